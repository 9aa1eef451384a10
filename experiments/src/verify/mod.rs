//! This build against reference numbers.

mod acquisitions;
mod autobct;
mod caligo;
mod fcvopt;
mod gp;
mod levelset;
mod optim;
mod pareto;
mod prob;
mod tpe;

use std::path::Path;

use serde_json::Value;

use crate::error::ExperimentError;

/// How one family of a file came out.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Line {
    pub file: String,
    pub family: String,
    pub cases: usize,
    /// The largest error, in the units of the tolerance.
    pub worst_error: f64,
    pub tolerance: f64,
    pub pass: bool,
}

/// What a file has: lines, and families that this build has nothing to compare with.
#[derive(Debug, Default)]
pub struct Findings {
    pub lines: Vec<Line>,
    pub skipped: Vec<String>,
}

/// Collects the worst error of a family.
pub struct Family {
    name: String,
    tolerance: f64,
    cases: usize,
    worst: f64,
}

impl Family {
    pub fn new(name: impl Into<String>, tolerance: f64) -> Self {
        Self { name: name.into(), tolerance, cases: 0, worst: 0.0 }
    }

    /// Counts a case with its error; NaN is as bad as can be.
    pub fn add(&mut self, error: f64) {
        self.cases += 1;
        self.worst = if error.is_nan() { f64::INFINITY } else { self.worst.max(error) };
    }

    pub fn line(self, file: &str) -> Line {
        let pass = self.worst <= self.tolerance;
        Line {
            file: file.into(),
            family: self.name,
            cases: self.cases,
            worst_error: self.worst,
            tolerance: self.tolerance,
            pass,
        }
    }
}

type Check = fn(&Value) -> Result<Findings, String>;

/// Files that this build knows, with the families' checks and the project's own copy.
const FILES: [(&str, Check, &str); 11] = [
    ("prob.json", prob::check, include_str!("../../../tests/golden/prob.json")),
    ("optim.json", optim::check, include_str!("../../../tests/golden/optim.json")),
    ("gp.json", gp::check, include_str!("../../../tests/golden/gp.json")),
    ("acquisitions.json", acquisitions::check, include_str!("../../../tests/golden/acquisitions.json")),
    ("tpe.json", tpe::check, include_str!("../../../tests/golden/tpe.json")),
    ("autobct.json", autobct::check, include_str!("../../../tests/golden/autobct.json")),
    ("fcvopt.json", fcvopt::check, include_str!("../../../tests/golden/fcvopt.json")),
    ("hypervolume.json", pareto::volumes, include_str!("../../../tests/golden/hypervolume.json")),
    ("caligo.json", caligo::check, include_str!("../../../tests/golden/caligo.json")),
    ("ehvi.json", pareto::improvements, include_str!("../../../tests/golden/ehvi.json")),
    ("levelset.json", levelset::check, include_str!("../../../tests/golden/levelset.json")),
];

/// How the estimators of other libraries are met.
pub fn tpe_lines() -> Result<Vec<Line>, ExperimentError> {
    let (name, check, text) = FILES[4];
    let value: Value = serde_json::from_str(text).map_err(|error| ExperimentError::data(name, error))?;
    Ok(check(&value).map_err(|message| ExperimentError::data(name, message))?.lines)
}

/// Checks every known file of a folder, or the project's own copies; whether everything passed.
pub fn run(folder: Option<&Path>, json: bool) -> Result<bool, ExperimentError> {
    let mut texts = Vec::new();
    let mut unknown = Vec::new();
    match folder {
        None => texts
            .extend(FILES.iter().map(|(name, check, text)| ((*name).to_owned(), *check, (*text).to_owned()))),
        Some(folder) => {
            let entries = std::fs::read_dir(folder).map_err(ExperimentError::io(folder))?;
            let mut names: Vec<String> = entries
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter(|n| Path::new(n).extension().is_some_and(|e| e == "json"))
                .collect();
            names.sort();
            for name in names {
                match FILES.iter().find(|(known, ..)| *known == name) {
                    Some((_, check, _)) => {
                        texts.push((name.clone(), *check, crate::data::read(&folder.join(name))?));
                    }
                    None => unknown.push(name),
                }
            }
            if texts.is_empty() {
                return Err(ExperimentError::data(folder, "holds no reference file that this build knows"));
            }
        }
    }
    let mut lines = Vec::new();
    let mut notes: Vec<String> =
        unknown.iter().map(|name| format!("{name}: not known to this build, not checked")).collect();
    for (name, check, text) in texts {
        let value: Value =
            serde_json::from_str(&text).map_err(|error| ExperimentError::data(&name, error))?;
        let findings = check(&value).map_err(|message| ExperimentError::data(&name, message))?;
        notes.extend(
            findings
                .skipped
                .iter()
                .map(|family| format!("{name}: {family}: nothing in this build to compare with")),
        );
        lines.extend(findings.lines.into_iter().map(|line| Line { file: name.clone(), ..line }));
    }
    if json {
        println!(
            "{}",
            serde_json::to_string_pretty(&lines)
                .map_err(|error| ExperimentError::data("standard output", error))?
        );
        notes.iter().for_each(|note| eprintln!("{note}"));
    } else {
        for line in &lines {
            let (file, family) = (&line.file, &line.family);
            println!(
                "{} {file:18} {family:34} {:4} cases  worst {:9.2e}  tolerance {:8.1e}",
                if line.pass { "pass" } else { "FAIL" },
                line.cases,
                line.worst_error,
                line.tolerance
            );
        }
        notes.iter().for_each(|note| println!("note {note}"));
    }
    Ok(!lines.is_empty() && lines.iter().all(|line| line.pass))
}

/// A number, or the decimal string of one.
pub fn number(value: &Value) -> Result<f64, String> {
    let text = |v: &Value| v.as_str().and_then(|s| s.parse().ok());
    value.as_f64().or_else(|| text(value)).ok_or_else(|| format!("{value} is not a number"))
}

/// All numbers in nested arrays.
pub fn numbers(value: &Value) -> Result<Vec<f64>, String> {
    match value {
        Value::Array(values) => values.iter().map(numbers).collect::<Result<Vec<_>, _>>().map(|v| v.concat()),
        value => Ok(vec![number(value)?]),
    }
}

/// The rows of an array; none when it is not there.
pub fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Error relative to the truth, absolute below `floor`.
pub fn relative(found: f64, truth: f64, floor: f64) -> f64 {
    if found == truth { 0.0 } else { (found - truth).abs() / truth.abs().max(floor) }
}

/// Worst error of numbers relative to the largest of them, and of their lengths.
pub fn relative_to_largest(found: &[f64], truth: &[f64], floor: f64) -> f64 {
    if found.len() != truth.len() {
        return f64::INFINITY;
    }
    let scale = truth.iter().fold(floor, |m: f64, v| m.max(v.abs()));
    found
        .iter()
        .zip(truth)
        .map(|(f, t)| if f == t { 0.0 } else { (f - t).abs() / scale })
        .fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) })
}

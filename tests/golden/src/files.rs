//! Reference files by name.

use std::path::Path;

use serde_json::Value;

use crate::error::GoldenError;
use crate::findings::Findings;
use crate::line::Line;
use crate::{acquisitions, autobct, caligo, fcvopt, gp, iterates, levelset, optim, pareto, prob, tpe};

type Check = fn(&Value) -> Result<Findings, String>;

macro_rules! file {
    ($name:literal, $check:expr) => {
        ($name, $check, include_str!(concat!("../", $name)))
    };
}

/// Files that this build knows, with their checks and the project's own copy.
const FILES: [(&str, Check, &str); 12] = [
    file!("prob.json", prob::check),
    file!("optim.json", optim::check),
    file!("lbfgsb_iterates.json", iterates::check),
    file!("gp.json", gp::check),
    file!("acquisitions.json", acquisitions::check),
    file!("tpe.json", tpe::check),
    file!("autobct.json", autobct::check),
    file!("fcvopt.json", fcvopt::check),
    file!("hypervolume.json", pareto::volumes),
    file!("caligo.json", caligo::check),
    file!("ehvi.json", pareto::improvements),
    file!("levelset.json", levelset::check),
];

/// Checks the text of a reference file.
///
/// # Errors
/// [`GoldenError`] when no check has this name, when the text is not JSON or lacks a number that a check needs.
pub fn check(name: &str, text: &str) -> Result<Findings, GoldenError> {
    let Some((_, check, _)) = FILES.iter().find(|(known, ..)| *known == name) else {
        return Err(GoldenError::UnknownFile { file: name.into() });
    };
    let bad = |message: String| GoldenError::Content { file: name.into(), message };
    let value: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let mut findings = check(&value).map_err(bad)?;
    findings.lines.iter_mut().for_each(|line| line.file = name.into());
    findings.skipped.iter_mut().for_each(|what| *what = format!("{name}: {what}"));
    Ok(findings)
}

fn join(all: &mut Findings, own: Findings) {
    all.lines.extend(own.lines);
    all.skipped.extend(own.skipped);
}

/// Checks the project's own copies; with a name only that file.
///
/// # Errors
/// [`GoldenError`] as of [`check`].
pub fn own(only: Option<&str>) -> Result<Vec<Line>, GoldenError> {
    let mut lines = Vec::new();
    for (name, _, text) in FILES.iter().filter(|(name, ..)| only.is_none_or(|only| only == *name)) {
        lines.extend(check(name, text)?.lines);
    }
    Ok(lines)
}

/// Checks every known file of a folder, or the project's own copies without one.
///
/// # Errors
/// [`GoldenError`] as of [`check`], and when the folder cannot be read or holds no file that is known.
pub fn folder(folder: Option<&Path>) -> Result<Findings, GoldenError> {
    let mut all = Findings::default();
    let Some(folder) = folder else {
        for (name, _, text) in FILES {
            join(&mut all, check(name, text)?);
        }
        return Ok(all);
    };
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| GoldenError::Io { path, source }
    };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map_err(io(folder))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "json"))
        .collect();
    names.sort();
    let mut checked = 0;
    for name in names {
        if FILES.iter().any(|(known, ..)| *known == name) {
            let path = folder.join(&name);
            join(&mut all, check(&name, &std::fs::read_to_string(&path).map_err(io(&path))?)?);
            checked += 1;
        } else {
            all.skipped.push(format!("{name}: not known to this build, not checked"));
        }
    }
    if checked == 0 {
        return Err(GoldenError::Empty { path: folder.to_owned() });
    }
    Ok(all)
}

//! Presets beside the libraries whose rules they have.

use std::collections::BTreeMap;
use std::path::Path;

use thrifty_tpe::{Joint, TpeSettings};

use super::runs::{AT, Method, collect, read_peers};
use super::scored::{NAMES, both};
use crate::error::ExperimentError;
use crate::harness::ablation::NO_REGRET;
use crate::harness::claims::{Claim, Family, Judgement, Kind, Rule, Sample as Evidence, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};
use crate::verify;

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/parity",
    paper: "Hyperopt 0.3.0 and Optuna 5.0.0: numbers of their own functions, and whole runs of Optuna (--peers)",
    claim: "the presets hyperopt and optuna5 have the rules of those libraries: mixtures to 1e-12, log densities to 1e-10, and runs that end alike",
    quick_cost: "157 cases: a second",
    full_cost: "the same, and 100 runs of the preset on ten problems: half a minute",
    run,
};

/// Presets under the names that the methods have in the file of peers.
const METHODS: [Method; 2] = [
    ("optuna", TpeSettings::optuna5),
    ("optuna grouped", || TpeSettings { joint: Joint::Grouped, ..TpeSettings::optuna5() }),
];

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let lines = verify::tpe_lines()?;
    let mut rows = Vec::new();
    let mut numbers = Family::new(Rule::All);
    for line in &lines {
        // A case that could not be computed at all is as far off as can be.
        let worst = if line.worst_error.is_finite() { line.worst_error } else { f64::MAX };
        numbers.push(Claim::exact(&line.family, 0.0, line.tolerance), Evidence::Values(vec![worst]));
        rows.push(vec![
            line.family.clone(),
            line.cases.to_string(),
            number(line.worst_error),
            number(line.tolerance),
            if line.pass { "yes" } else { "no" }.into(),
        ]);
    }
    let header = ["what", "cases", "worst error", "tolerance", "within"];
    let mut tables = vec![Table {
        name: "numbers".into(),
        caption: "Against numbers of the libraries' own functions, ties in the order of the trials.".into(),
        header: header.map(String::from).to_vec(),
        rows,
    }];
    let mut notes = Vec::new();
    let mut judgements = vec![numbers.judge()?];
    match &context.peers {
        Some(path) => {
            let (table, judgement) = alike(context, path)?;
            if table.rows.is_empty() {
                notes.push(format!("{} has no runs of these methods and problems.", path.display()));
            } else {
                notes.push(format!(
                    "Whole runs: the medians of log₁₀ of the regret are within {TOLERANCE} of each other in {} of {} comparisons, and \
                     are not in {}.",
                    judgement.count(Verdict::Holds),
                    table.rows.len(),
                    judgement.count(Verdict::DoesNotHold)
                ));
                tables.push(table);
                judgements.push(judgement);
            }
        }
        None => notes.push("Whole runs are compared when --peers names runs of Optuna.".into()),
    }
    Ok(Report {
        judgement: Judgement::all(judgements),
        numbers: BTreeMap::from([("families".to_owned(), lines.len() as f64)]),
        settings: BTreeMap::new(),
        notes,
        tables,
        figures: Vec::new(),
    })
}

/// Shift of log₁₀ of the regret that is no difference.
const TOLERANCE: f64 = 0.2;

/// Regrets of the presets beside those of the library, and whether they are alike.
fn alike(context: &RunContext, path: &Path) -> Result<(Table, Judgement), ExperimentError> {
    let problems = both(&NAMES);
    let theirs = read_peers(path, &problems)?;
    let seeds = context.replications(20, 100);
    let seeds = if theirs.is_empty() { 0 } else { seeds };
    let own = collect((EXPERIMENT.id, context), &METHODS, &problems, seeds)?;
    let (mut compared, mut family) = (Vec::new(), Family::new(Rule::All));
    for (key, theirs) in &theirs {
        let Some(own) = own.get(key) else { continue };
        for (at, evaluations) in AT.into_iter().enumerate() {
            let logs =
                |runs: &[[f64; 2]]| runs.iter().map(|r| r[at].max(NO_REGRET).log10()).collect::<Vec<f64>>();
            let median = |runs: &[[f64; 2]]| quantile(&runs.iter().map(|r| r[at]).collect::<Vec<f64>>(), 0.5);
            let name = format!("{} on {} at {evaluations}: runs as the library's", key.1, key.0);
            let kind = Kind::EqualTo { value: 0.0, tolerance: TOLERANCE };
            let claim = Claim::new(name, kind, Test::RankSum, own.len().min(theirs.len()));
            family.push(claim, Evidence::Independent { own: logs(own), other: logs(theirs) });
            compared.push((key, evaluations, median(own), median(theirs)));
        }
    }
    let judgement = family.judge()?;
    let rows = compared.into_iter().zip(judgement.findings()).map(
        |(((problem, method), evaluations, own, theirs), finding)| {
            vec![
                method.clone(),
                problem.clone(),
                evaluations.to_string(),
                number(own),
                number(theirs),
                finding.effect_text(),
                finding.verdict().to_string(),
            ]
        },
    );
    let header = ["method", "problem", "evaluations", "preset", "library", "shift of log₁₀", "alike"];
    let table = Table {
        name: "runs".into(),
        caption: "Median regrets of whole runs, and the shift of their logarithms with its 95 % interval by the rank sum.".into(),
        header: header.map(String::from).to_vec(),
        rows: rows.collect(),
    };
    Ok((table, judgement))
}

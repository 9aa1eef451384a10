use std::collections::BTreeMap;
use std::path::Path;

use thrifty_tpe::{Joint, TpeSettings};

use super::judged::{NAMES, both};
use super::runs::{AT, Method, collect, read_peers};
use crate::error::ExperimentError;
use crate::harness::stats::{holm, mann_whitney, quantile};
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
    let mut verdict = Verdict::Holds;
    for line in &lines {
        if !line.pass {
            verdict = Verdict::DoesNotHold;
        }
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
    match &context.peers {
        Some(path) => {
            let (table, differ) = alike(context, path)?;
            if table.rows.is_empty() {
                notes.push(format!("{} has no runs of these methods and problems.", path.display()));
            } else {
                notes.push(format!(
                    "Whole runs differ in distribution on {differ} of {} comparisons (rank-sum test, Holm-corrected below \
                     5 %).",
                    table.rows.len()
                ));
                tables.push(table);
            }
            if differ > 0 {
                verdict = Verdict::DoesNotHold;
            }
        }
        None => notes.push("Whole runs are compared when --peers names runs of Optuna.".into()),
    }
    Ok(Report {
        verdict,
        numbers: BTreeMap::from([("families".to_owned(), lines.len() as f64)]),
        settings: BTreeMap::new(),
        notes,
        tables,
        figures: Vec::new(),
    })
}

/// Final regrets of the presets beside those of the library, and on how many lines they differ.
fn alike(context: &RunContext, path: &Path) -> Result<(Table, usize), ExperimentError> {
    let problems = both(&NAMES);
    let theirs = read_peers(path, &problems)?;
    let seeds = context.replications(20, 100);
    let seeds = if theirs.is_empty() { 0 } else { seeds };
    let own = collect("tpe/parity", &METHODS, &problems, seeds, context.seed)?;
    let mut compared = Vec::new();
    for (key, theirs) in &theirs {
        let Some(own) = own.get(key) else { continue };
        for (at, evaluations) in AT.into_iter().enumerate() {
            let list = |runs: &[[f64; 2]]| runs.iter().map(|r| r[at]).collect::<Vec<f64>>();
            let (own, theirs) = (list(own), list(theirs));
            compared.push((
                key,
                evaluations,
                quantile(&own, 0.5),
                quantile(&theirs, 0.5),
                mann_whitney(&own, &theirs),
            ));
        }
    }
    let corrected = holm(&compared.iter().map(|c| c.4).collect::<Vec<f64>>());
    let differ = corrected.iter().filter(|p| **p < 0.05).count();
    let rows = compared.into_iter().zip(corrected).map(
        |(((problem, method), evaluations, own, theirs, p), corrected)| {
            vec![
                method.clone(),
                problem.clone(),
                evaluations.to_string(),
                number(own),
                number(theirs),
                number(p),
                number(corrected),
            ]
        },
    );
    let header = ["method", "problem", "evaluations", "preset", "library", "p", "p (Holm)"];
    let table = Table {
        name: "runs".into(),
        caption: "Median regrets of whole runs, and the rank-sum test of their distributions.".into(),
        header: header.map(String::from).to_vec(),
        rows: rows.collect(),
    };
    Ok((table, differ))
}

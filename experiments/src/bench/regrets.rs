//! Tables of what was reached, ours and published.

use std::path::Path;

use super::egreedy;
use super::sample::{Sample, distinct, finals};
use crate::error::ExperimentError;
use crate::harness::clock::Clock;
use crate::harness::stats::quantile;
use crate::harness::{Table, number};

/// One row a function and method: runs, quartiles, seconds.
pub fn summary(all: &[Sample], evaluations: usize) -> Table {
    let mut rows = Vec::new();
    for function in distinct(all.iter().map(|s| &s.function)) {
        for method in distinct(all.iter().filter(|s| s.function == function).map(|s| &s.method)) {
            let regrets: Vec<f64> = finals(all, &method, &function, evaluations).into_values().collect();
            let own = all.iter().filter(|s| s.function == function && s.method == method);
            let seconds: Vec<f64> = own.map(|s| s.seconds).collect();
            let quartiles = [0.25, 0.5, 0.75].map(|p| number(quantile(&regrets, p)));
            let mut row = vec![function.clone(), method, regrets.len().to_string()];
            row.extend(quartiles);
            row.push(number(quantile(&seconds, 0.5)));
            rows.push(row);
        }
    }
    let header = ["function", "method", "runs", "q25", "median", "q75", "seconds a run"];
    Table {
        name: "regret".into(),
        caption: format!(
            "Simple regret after {evaluations} evaluations, design included. Seconds: median of a whole run of one thread, ours \
             in {}, peers as their file says.",
            Clock::unit()
        ),
        header: header.map(String::from).to_vec(),
        rows,
    }
}

/// The published quartiles on these functions, by method.
pub fn published(path: &Path, names: &[String], evaluations: usize) -> Result<Table, ExperimentError> {
    let mut published = egreedy::published(path)?;
    published.retain(|row| row.evals == evaluations);
    let methods = distinct(published.iter().map(|row| &row.method));
    let quartiles = |function: &String, method: &String| {
        let row = published.iter().find(|row| &row.problem == function && &row.method == method);
        row.map_or(String::new(), |row| {
            format!("{} ({} to {})", number(row.median), number(row.q25), number(row.q75))
        })
    };
    let row = |function: &String| {
        std::iter::once(function.clone()).chain(methods.iter().map(|m| quartiles(function, m))).collect()
    };
    Ok(Table {
        name: format!("published-{evaluations}"),
        caption: format!(
            "Context: simple regret after {evaluations} evaluations, median and quartiles of 51 runs, as De Ath et al. (2021) published them, from the \
             same designs. Their optimum of logSixHumpCamel is rounded, which shifts its regrets by 0.0004."
        ),
        header: std::iter::once("function".to_owned()).chain(methods.clone()).collect(),
        rows: names.iter().map(row).collect(),
    })
}

//! Times and results of tools on equal terms.

use std::collections::BTreeMap;

use thrifty_golden::relative_to_largest;

use super::inputs::Inputs;
use super::line::{Line, Tool};
use super::model::log_ei_at;
use super::tasks::Operation;
use crate::error::ExperimentError;
use crate::harness::stats::{mean_and_std_dev, quantile};

/// Judges every tool, the reference first, and brings the rows in the order of operation, test points, size, tool.
///
/// # Errors
/// [`ExperimentError`] when Thrifty itself cannot compute what is needed to judge.
pub fn judge(inputs: &Inputs, tools: &[Tool]) -> Result<Vec<Row>, ExperimentError> {
    let mut rows = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let mut groups: BTreeMap<Key, Vec<&Line>> = BTreeMap::new();
        for line in &tool.lines {
            groups.entry(key(line)).or_default().push(line);
        }
        for (of, lines) in groups {
            let others = if at == 0 { [].as_slice() } else { &tools[0].lines };
            let reference = others.iter().find(|line| key(line) == of);
            rows.push(row(inputs, &tool.name, &lines, reference)?);
        }
    }
    rows.sort_by_key(|row| (row.operation, row.m, row.n));
    Ok(rows)
}

/// Time of a tool for an operation at a size, and the value it reached, on terms that are the same for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub tool: String,
    pub operation: Operation,
    pub n: usize,
    pub m: Option<usize>,
    /// The median over seeds of the least over repeats.
    pub cpu_ms: Option<f64>,
    pub reached: Option<Reached>,
    /// Largest difference from Thrifty's numbers relative to the largest of them.
    pub difference: Option<f64>,
    pub remark: String,
}

/// Log likelihood of a fit, log expected improvement at a point found, or best value of a whole run, over seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    pub seeds: usize,
    pub median: f64,
    pub mean: f64,
    pub worst: f64,
}

/// Operation, objectives and size of a row.
type Key = (Operation, Option<usize>, usize);

fn key(line: &Line) -> Key {
    (line.operation, line.m, line.n)
}

/// One row from the lines of one task under all its seeds, at least one.
fn row(
    inputs: &Inputs,
    tool: &str,
    lines: &[&Line],
    reference: Option<&Line>,
) -> Result<Row, ExperimentError> {
    let (operation, m, n) = key(lines[0]);
    let times: Vec<f64> = lines.iter().filter_map(|line| line.cpu_ms).collect();
    let mut values = Vec::new();
    for line in lines {
        values.extend(value(inputs, line)?);
    }
    let differences = lines.iter().filter_map(|line| {
        let ours = reference.filter(|ours| !ours.values.is_empty() && !line.values.is_empty())?;
        Some(relative_to_largest(&line.values, &ours.values, 1e-300))
    });
    Ok(Row {
        tool: tool.into(),
        operation,
        n,
        m,
        cpu_ms: (!times.is_empty()).then(|| quantile(&times, 0.5)),
        reached: reached(operation, &values),
        difference: differences.reduce(f64::max),
        remark: lines.iter().map(|line| remark(line)).find(|said| !said.is_empty()).unwrap_or_default(),
    })
}

/// Value that a task reached, by Thrifty. Hyperparameters or a point that Thrifty does not take have no value.
fn value(inputs: &Inputs, line: &Line) -> Result<Option<f64>, ExperimentError> {
    match (line.operation, &line.hyperparameters, &line.point) {
        (Operation::Fit, Some(found), _) => {
            Ok(found.posterior(inputs.data(line.n)?).ok().map(|posterior| posterior.log_likelihood()))
        }
        (Operation::Acquisition, _, Some(point)) => {
            let data = inputs.data(line.n)?;
            let posterior = data.posterior.as_ref().unwrap_or(&inputs.hyperparameters).posterior(data)?;
            Ok(log_ei_at(&posterior, data, point))
        }
        _ => Ok(line.best),
    }
}

fn reached(operation: Operation, values: &[f64]) -> Option<Reached> {
    // Runs minimise; likelihood and acquisition are maximised.
    let worse = if operation == Operation::Bo { f64::max } else { f64::min };
    let worst = values.iter().copied().reduce(worse)?;
    let (mean, _) = mean_and_std_dev(values);
    Some(Reached { seeds: values.len(), median: quantile(values, 0.5), mean, worst })
}

fn remark(line: &Line) -> String {
    let failed = line.failed.as_ref().map(|why| format!("failed: {why}"));
    let unsupported = line.unsupported.as_ref().map(|why| format!("not offered: {why}"));
    let said = failed.or(unsupported).or_else(|| line.note.clone()).unwrap_or_default();
    said.replace(['|', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::clock::Budget;
    use crate::speed::tasks::Task;

    fn judged(ours: &str, peer: &str) -> Vec<Row> {
        let tasks = vec![Task::new(Operation::Fit, 20), Task::maximize(20, 0)];
        let inputs = Inputs::new(Budget { seconds: 0.0, repeats: 1 }, tasks, 3).unwrap();
        judge(&inputs, &[Tool::parse("ours", ours), Tool::parse("peer", peer)]).unwrap()
    }

    #[test]
    fn rows_are_merged_by_task_and_compared_with_the_first_tool() {
        let ours = r#"{"task": "predict", "n": 20, "m": 5, "cpu_ms": 1.0, "values": [1.0, 4.0]}
{"task": "likelihood", "n": 20, "cpu_ms": 1.0, "values": [-10.0, 1.0]}"#;
        let peer = r#"{"task": "likelihood", "n": 20, "cpu_ms": 3.0, "values": [-10.0, 1.5]}
{"task": "predict", "n": 20, "m": 5, "failed": "a|b"}"#;
        let rows = judged(ours, peer);
        let names: Vec<(&str, Operation)> = rows.iter().map(|r| (r.tool.as_str(), r.operation)).collect();
        assert_eq!(names[..2], [("ours", Operation::Likelihood), ("peer", Operation::Likelihood)]);
        assert_eq!((rows[0].difference, rows[1].difference), (None, Some(0.05)));
        assert_eq!((rows[3].cpu_ms, rows[3].remark.as_str()), (None, "failed: a b"));
    }

    #[test]
    fn fits_and_points_are_valued_by_thrifty() {
        let peer = r#"{"task": "fit", "n": 20, "lengthscales": [1,1,1,1,1,1], "variance": 1.0, "noise": 0.1}
{"task": "acquisition", "n": 20, "seed": 0, "point": [0.5,0.5,0.5,0.5,0.5,0.5]}
{"task": "acquisition", "n": 20, "seed": 1, "point": [0.5]}"#;
        let rows = judged("", peer);
        assert!(rows[0].reached.unwrap().median < 0.0);
        assert_eq!((rows.len(), rows[1].reached.unwrap().seeds), (2, 1));
        let negative = r#"{"task": "fit", "n": 20, "lengthscales": [-1], "variance": 1.0, "noise": 0.1}"#;
        assert_eq!(judged("", negative)[0].reached, None);
    }

    #[test]
    fn seeds_become_one_row_of_medians() {
        let peer = r#"{"task": "bo", "n": 60, "seed": 0, "cpu_ms": 10.0, "best": -3.0}
{"task": "bo", "n": 60, "seed": 1, "cpu_ms": 30.0, "best": -2.0}"#;
        let rows = judged("", peer);
        assert_eq!((rows.len(), rows[0].cpu_ms), (1, Some(20.0)));
        assert_eq!(rows[0].reached, Some(Reached { seeds: 2, median: -2.5, mean: -2.5, worst: -2.0 }));
    }
}

use super::inputs::Inputs;
use super::line::{Line, Tool};
use super::model::log_ei_at;
use super::tasks::Operation;
use crate::error::ExperimentError;
use crate::harness::stats::{mean_and_deviation, quantile};
use crate::verify::relative_to_largest;

/// What a tool needed for an operation at a size, and what it got for that, on terms that are the same for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub tool: String,
    pub operation: Operation,
    pub n: usize,
    pub m: Option<usize>,
    /// The median over runs for whole runs.
    pub cpu_ms: Option<f64>,
    /// Fit: log likelihood reached. Acquisition: median of the log expected improvement reached. Whole run: median
    /// of the best value.
    pub reached: Option<f64>,
    /// Largest difference from Thrifty's numbers relative to the largest of them.
    pub difference: Option<f64>,
    pub remark: String,
}

/// Judges every tool, Thrifty first, and brings the rows in the order of operation, test points, size and tool.
///
/// # Errors
/// [`ExperimentError`] when Thrifty itself cannot compute what is needed to judge.
pub fn judge(inputs: &Inputs, tools: &[Tool]) -> Result<Vec<Row>, ExperimentError> {
    let mut rows = Vec::new();
    for tool in tools {
        for line in tool.lines.iter().filter(|line| line.operation != Operation::Bo) {
            let reference = tools.first().and_then(|ours| ours.lines.iter().find(|l| same_task(l, line)));
            rows.push(row(inputs, &tool.name, line, reference)?);
        }
        rows.extend(whole_runs(tool));
    }
    rows.sort_by_key(|row| (row.operation, row.m, row.n));
    Ok(rows)
}

fn same_task(a: &Line, b: &Line) -> bool {
    (a.operation, a.n, a.m) == (b.operation, b.n, b.m)
}

fn row(inputs: &Inputs, tool: &str, line: &Line, ours: Option<&Line>) -> Result<Row, ExperimentError> {
    let mut reached = None;
    if let (Operation::Fit, Some(found)) = (line.operation, &line.hyperparameters) {
        // Hyperparameters that Thrifty's kernel does not take are a remark, not an error.
        reached = found.posterior(inputs.data(line.n)?).ok().map(|p| p.log_likelihood());
    } else if line.operation == Operation::Acquisition && !line.points.is_empty() {
        let data = inputs.data(line.n)?;
        let posterior = data.posterior.as_ref().unwrap_or(&inputs.hyperparameters).posterior(data)?;
        reached = Some(quantile(&log_ei_at(&posterior, data, &line.points), 0.5));
    }
    let compared = ours.filter(|ours| !ours.values.is_empty() && !line.values.is_empty());
    let difference = compared.map(|ours| relative_to_largest(&line.values, &ours.values, 1e-300));
    Ok(Row {
        tool: tool.into(),
        operation: line.operation,
        n: line.n,
        m: line.m,
        cpu_ms: line.cpu_ms,
        reached,
        difference,
        remark: remark(line),
    })
}

fn remark(line: &Line) -> String {
    let failed = line.failed.as_ref().map(|why| format!("failed: {why}"));
    let unsupported = line.unsupported.as_ref().map(|why| format!("not offered: {why}"));
    let said = failed.or(unsupported).or_else(|| line.note.clone()).unwrap_or_default();
    said.replace(['|', '\n'], " ")
}

/// All whole runs of a tool as one row.
fn whole_runs(tool: &Tool) -> Option<Row> {
    let runs: Vec<&Line> = tool.lines.iter().filter(|line| line.operation == Operation::Bo).collect();
    let first = runs.first()?;
    let done: Vec<(f64, f64)> = runs.iter().filter_map(|run| run.cpu_ms.zip(run.best)).collect();
    let (times, best): (Vec<f64>, Vec<f64>) = done.into_iter().unzip();
    let row = Row {
        tool: tool.name.clone(),
        operation: Operation::Bo,
        n: first.n,
        m: None,
        cpu_ms: None,
        reached: None,
        difference: None,
        remark: runs.iter().map(|run| remark(run)).find(|said| !said.is_empty()).unwrap_or_default(),
    };
    if best.is_empty() {
        return Some(row);
    }
    let worst = best.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mean, _) = mean_and_deviation(&best);
    let spread = format!("{} runs, mean best {mean:.4}, worst {worst:.4}", best.len());
    let remark = if row.remark.is_empty() { spread } else { format!("{spread}; {}", row.remark) };
    Some(Row { cpu_ms: Some(quantile(&times, 0.5)), reached: Some(quantile(&best, 0.5)), remark, ..row })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::clock::Budget;
    use crate::speed::tasks::Task;

    fn inputs() -> Inputs {
        let tasks = vec![Task::new(Operation::Fit, 20), Task::new(Operation::Acquisition, 20)];
        Inputs::new(Budget { seconds: 0.0, repeats: 1 }, tasks, 3).unwrap()
    }

    fn judged(ours: &str, peer: &str) -> Vec<Row> {
        judge(&inputs(), &[Tool::parse("ours", ours), Tool::parse("peer", peer)]).unwrap()
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
        assert_eq!(rows[1].difference, Some(0.05));
        assert_eq!((rows[3].cpu_ms, rows[3].remark.as_str()), (None, "failed: a b"));
    }

    #[test]
    fn fits_and_points_are_valued_by_thrifty() {
        let peer = r#"{"task": "fit", "n": 20, "lengthscales": [1,1,1,1,1,1], "variance": 1.0, "noise": 0.1}
{"task": "acquisition", "n": 20, "points": [[0.5,0.5,0.5,0.5,0.5,0.5]]}
{"task": "fit", "n": 20, "lengthscales": [-1,1,1,1,1,1], "variance": 1.0, "noise": 0.1}"#;
        let rows = judged("", peer);
        assert!(rows[0].reached.unwrap() < 0.0 && rows[1].reached.is_none());
        assert!(rows[2].reached.unwrap().is_finite());
    }

    #[test]
    fn whole_runs_become_one_row_of_medians() {
        let peer = r#"{"task": "bo", "n": 60, "seed": 0, "cpu_ms": 10.0, "best": -3.0}
{"task": "bo", "n": 60, "seed": 1, "cpu_ms": 30.0, "best": -2.0}"#;
        let rows = judged("", peer);
        assert_eq!((rows.len(), rows[0].cpu_ms, rows[0].reached), (1, Some(20.0), Some(-2.5)));
        assert!(rows[0].remark.starts_with("2 runs"));
    }
}

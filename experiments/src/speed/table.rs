use super::floor::Stages;
use super::judge::Row;
use super::line::Tool;
use super::ours;
use super::tasks::Operation;
use super::threads::Comparison;
use crate::harness::{Table, number};

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

/// Every operation at every size by every tool.
pub fn speed(rows: &[Row]) -> Table {
    let ours = |row: &Row| {
        let same =
            |r: &&Row| r.tool == ours::NAME && (r.operation, r.n, r.m) == (row.operation, row.n, row.m);
        rows.iter().find(same).and_then(|row| row.cpu_ms)
    };
    let cells = |row: &Row| {
        let operation = match row.m {
            Some(m) => format!("{} {m}", row.operation),
            None => row.operation.to_string(),
        };
        vec![
            operation,
            row.n.to_string(),
            row.tool.clone(),
            cell(row.cpu_ms),
            cell(row.cpu_ms.zip(ours(row)).map(|(theirs, ours)| theirs / ours)),
            row.reached.map_or_else(String::new, |value| format!("{value:.4}")),
            row.difference.map_or_else(String::new, |value| format!("{value:.0e}")),
            row.remark.clone(),
        ]
    };
    Table {
        name: "speed".into(),
        caption: "Least CPU time over repeats. Reached: log likelihood of a fit (higher is better), log expected \
            improvement of the point found (higher is better), best value of a run (lower is better), each valued \
            by Thrifty and a median over repeats. Difference: from Thrifty's numbers, relative to the largest."
            .into(),
        header: header(&["operation", "n", "tool", "CPU ms", "x Thrifty", "reached", "difference", "remark"]),
        rows: rows.iter().map(cells).collect(),
    }
}

/// Where Thrifty's likelihood spends its time, and how far it is from the floor.
pub fn floor(stages: &[Stages]) -> Table {
    let cells = |s: &Stages| {
        let times = [s.build, s.factor, s.invert, s.gram, s.gradient, s.floor(), s.measured];
        let mut row = vec![s.n.to_string(), number(s.rate())];
        row.extend(times.map(number));
        row.push(format!("{:.0} %", 100.0 * s.share()));
        row
    };
    Table {
        name: "speed-floor".into(),
        caption: "Likelihood and gradient, CPU milliseconds. Floor: n³ flops at the rate of the factorisation (n³/3 \
            flops), and the kernel's two passes; share is floor over measured."
            .into(),
        header: header(&[
            "n", "GFLOP/s", "build", "factor", "invert", "gram", "gradient", "floor", "measured", "share",
        ]),
        rows: stages.iter().map(cells).collect(),
    }
}

/// One thread against the pool.
pub fn threads(comparisons: &[Comparison]) -> Table {
    let cells = |c: &Comparison| {
        vec![c.n.to_string(), number(c.one), number(c.pool), format!("{:.2}", c.one / c.pool)]
    };
    Table {
        name: "speed-threads".into(),
        caption: format!(
            "Linear algebra of a likelihood with gradient, least wall milliseconds on 1 thread and on the pool of {}.",
            std::thread::available_parallelism().map_or(1, usize::from)
        ),
        header: header(&["n", "1 thread", "pool", "speed-up"]),
        rows: comparisons.iter().map(cells).collect(),
    }
}

/// The tools with their versions, who is missing and why, and how far the peers' numbers are from Thrifty's.
pub fn summary(tools: &[Tool], rows: &[Row]) -> String {
    let mut text = String::new();
    for tool in tools {
        text += &match &tool.missing {
            Some(why) if tool.lines.is_empty() => format!("* {}: skipped, {why}\n", tool.name),
            Some(why) => format!("* {} {}: incomplete, {why}\n", tool.name, tool.version),
            None => format!("* {} {}\n", tool.name, tool.version),
        };
    }
    for operation in [Operation::Likelihood, Operation::Predict] {
        let theirs = rows.iter().filter(|row| row.operation == operation && row.tool != ours::NAME);
        if let Some(largest) = theirs.filter_map(|row| row.difference).reduce(f64::max) {
            text += &format!("\nLargest difference from a peer, {operation}: {largest:.1e}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tool: &str, cpu_ms: Option<f64>, difference: Option<f64>) -> Row {
        let operation = Operation::Predict;
        let (m, reached, remark) = (Some(1000), None, String::new());
        Row { tool: tool.into(), operation, n: 25, m, cpu_ms, reached, difference, remark }
    }

    #[test]
    fn a_table_has_the_ratio_to_thrifty_and_blanks_for_what_is_not_there() {
        let rows =
            [row(ours::NAME, Some(2.0), None), row("peer", Some(3.0), Some(1e-9)), row("other", None, None)];
        let table = speed(&rows);
        assert!(table.rows.iter().all(|cells| cells.len() == table.header.len()));
        assert_eq!(table.rows[1][..5], ["predict 1000", "25", "peer", "3.000", "1.500"]);
        assert_eq!(table.rows[2][3..], ["", "", "", "", ""]);
    }

    #[test]
    fn the_summary_names_who_is_missing_and_the_largest_difference() {
        let missing = Tool { name: "peer".into(), missing: Some("no module".into()), ..Tool::default() };
        let text = summary(&[missing], &[row("a", None, Some(1e-9)), row("b", None, Some(2e-8))]);
        assert!(text.contains("* peer: skipped, no module\n"));
        assert!(text.contains("predict: 2.0e-8"));
    }
}

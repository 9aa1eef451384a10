//! Tables of times.

use super::judge::{Reached, Row};
use super::tasks::Operation;
use crate::harness::{Table, number};

fn operation(row: &Row) -> String {
    match row.m {
        Some(m) if row.operation.has_front() => format!("{}, {m} objectives", row.operation),
        Some(m) => format!("{}, {m} points", row.operation),
        None => row.operation.to_string(),
    }
}

fn same_task(a: &Row, b: &Row) -> bool {
    (a.operation, a.n, a.m) == (b.operation, b.n, b.m)
}

/// Every operation at every size by every tool: a line each, for other programs.
pub fn long(rows: &[Row]) -> Table {
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let cells = |row: &Row| {
        let reached = |of: fn(&Reached) -> f64| cell(row.reached.as_ref().map(of));
        vec![
            row.operation.to_string(),
            row.n.to_string(),
            row.m.map_or_else(String::new, |m| m.to_string()),
            row.tool.clone(),
            cell(row.cpu_ms),
            reached(|r| r.median),
            reached(|r| r.mean),
            reached(|r| r.worst),
            row.reached.map_or_else(String::new, |r| r.seeds.to_string()),
            cell(row.difference),
            row.remark.clone(),
        ]
    };
    let header = [
        "operation",
        "n",
        "m",
        "tool",
        "cpu_ms",
        "reached_median",
        "reached_mean",
        "reached_worst",
        "seeds",
        "difference",
        "remark",
    ];
    Table {
        name: "speed".into(),
        caption: String::new(),
        header: header.map(String::from).to_vec(),
        rows: rows.iter().map(cells).collect(),
    }
}

/// A row an operation and size, a column a tool; rows without any cell are left out. The cell function has the row
/// of the first tool for comparison.
fn wide(
    tools: &[&str],
    rows: &[Row],
    cell: impl Fn(&Row, Option<&Row>) -> Option<String>,
) -> (Vec<String>, Vec<Vec<String>>) {
    let mut header = vec!["operation".to_owned(), "n".to_owned()];
    header.extend(tools.iter().map(ToString::to_string));
    let of = |task: &Row, tool: &str| rows.iter().find(|row| same_task(row, task) && row.tool == tool);
    let mut lines = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let task = &rows[at];
        let first = tools.first().and_then(|tool| of(task, tool));
        let cells: Vec<Option<String>> =
            tools.iter().map(|tool| of(task, tool).and_then(|row| cell(row, first))).collect();
        if cells.iter().any(Option::is_some) {
            let mut line = vec![operation(task), task.n.to_string()];
            line.extend(cells.into_iter().map(|cell| cell.unwrap_or_else(|| "–".into())));
            lines.push(line);
        }
        at += rows[at..].iter().take_while(|row| same_task(row, task)).count();
    }
    (header, lines)
}

/// CPU milliseconds, and how many times those of the first tool.
pub fn times(tools: &[&str], rows: &[Row]) -> Table {
    let (header, rows) = wide(tools, rows, |row, first| {
        let ms = number(row.cpu_ms?);
        let ratio = first.filter(|first| first.tool != row.tool).and_then(|first| first.cpu_ms);
        Some(match ratio.zip(row.cpu_ms) {
            Some((first, own)) => format!("{ms} ({}×)", ratio_text(own / first)),
            None => ms,
        })
    });
    Table {
        name: "CPU milliseconds".into(),
        caption: "Least CPU time over repeats, median over seeds; in brackets how many times Thrifty's."
            .into(),
        header,
        rows,
    }
}

/// Values that fits, maximisations and runs reached.
pub fn reached(tools: &[&str], rows: &[Row]) -> Table {
    let (header, rows) = wide(tools, rows, |row, _| {
        let Reached { seeds, median, mean, worst } = row.reached?;
        Some(match row.operation {
            Operation::Bo => format!("{median:.4} (mean {mean:.4}, worst {worst:.4} of {seeds})"),
            Operation::Acquisition => format!("{median:.4} (worst {worst:.4} of {seeds})"),
            _ => format!("{median:.4}"),
        })
    });
    Table {
        name: "Reached".into(),
        caption: "Log likelihood of a fit (higher is better), log expected improvement at the point found (higher is \
            better), best value of a run (lower is better; the optimum is -3.3224): all valued by Thrifty, medians \
            over seeds."
            .into(),
        header,
        rows,
    }
}

/// Two digits.
fn ratio_text(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tool: &str, n: usize, cpu_ms: Option<f64>) -> Row {
        let (operation, m, remark) = (Operation::Predict, Some(1000), String::new());
        Row { tool: tool.into(), operation, n, m, cpu_ms, reached: None, difference: None, remark }
    }

    #[test]
    fn a_row_has_all_tools_with_ratios_and_dashes_for_what_is_not_there() {
        let rows = [row("ours", 25, Some(2.0)), row("peer", 25, Some(3.0)), row("other", 50, Some(1.0))];
        let table = times(&["ours", "peer", "other"], &rows);
        assert_eq!(table.header[2..], ["ours", "peer", "other"]);
        assert_eq!(table.rows[0], ["predict, 1000 points", "25", "2.000", "3.000 (1.5×)", "–"]);
        assert_eq!(table.rows[1], ["predict, 1000 points", "50", "–", "–", "1.000"]);
        assert!(reached(&["ours"], &rows).rows.is_empty());
    }

    #[test]
    fn the_long_table_has_a_line_for_every_row_as_wide_as_its_header() {
        let table = long(&[row("ours", 25, Some(2.0)), row("peer", 25, None)]);
        assert!(table.rows.iter().all(|cells| cells.len() == table.header.len()));
        assert_eq!((table.rows[0][4].as_str(), table.rows[1][4].as_str()), ("2", ""));
    }
}

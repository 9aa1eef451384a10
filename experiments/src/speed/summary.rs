//! The comparison in sentences.

use super::judge::Row;
use super::line::Tool;
use super::tasks::Operation;

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
    let compared = [
        Operation::Likelihood,
        Operation::Predict,
        Operation::Hypervolume,
        Operation::Ranks,
        Operation::Ehvi,
        Operation::EhviGradient,
    ];
    for operation in compared {
        let found = rows.iter().filter(|row| row.operation == operation).filter_map(|row| row.difference);
        if let Some(largest) = found.reduce(f64::max) {
            text += &format!(
                "\nLargest difference of a peer's numbers from Thrifty's, {operation}: {largest:.1e} of the largest \
                 number.\n"
            );
        }
    }
    text
}

/// Remarks on single operations, each once.
pub fn remarks(rows: &[Row]) -> String {
    let mut said: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| !row.remark.is_empty()) {
        let line = format!("* {}, {}: {}\n", row.tool, row.operation, row.remark);
        if !said.contains(&line) {
            said.push(line);
        }
    }
    if said.is_empty() { String::new() } else { format!("\n## Remarks\n\n{}", said.concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tool: &str, difference: f64, remark: &str) -> Row {
        Row {
            tool: tool.into(),
            operation: Operation::Predict,
            n: 25,
            m: Some(1000),
            cpu_ms: None,
            reached: None,
            difference: Some(difference),
            remark: remark.into(),
        }
    }

    #[test]
    fn the_summary_names_who_is_missing_and_the_largest_difference() {
        let missing = Tool { name: "peer".into(), missing: Some("no module".into()), ..Tool::default() };
        let text = summary(&[missing], &[row("a", 1e-9, ""), row("b", 2e-8, "")]);
        assert!(text.contains("* peer: skipped, no module\n"));
        assert!(text.contains("predict: 2.0e-8"));
    }

    #[test]
    fn a_remark_is_made_once() {
        let text = remarks(&[row("a", 0.0, "why"), row("a", 0.0, "why"), row("b", 0.0, "")]);
        assert_eq!(text, "\n## Remarks\n\n* a, predict: why\n");
        assert_eq!(remarks(&[]), "");
    }
}

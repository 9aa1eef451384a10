//! Prints how this build meets the reference numbers of `tests/golden`.

use std::path::Path;

use thrifty_golden::{Line, folder};

use crate::error::ExperimentError;

/// Lines of the comparison with estimators of other libraries.
pub fn tpe_lines() -> Result<Vec<Line>, ExperimentError> {
    Ok(thrifty_golden::own(Some("tpe.json"))?)
}

/// Checks every known file of a folder, or the project's own copies; whether everything passed.
pub fn run(golden: Option<&Path>, json: bool) -> Result<bool, ExperimentError> {
    let findings = folder(golden)?;
    if json {
        let text = serde_json::to_string_pretty(&findings.lines);
        println!("{}", text.map_err(|error| ExperimentError::data("standard output", error))?);
        findings.skipped.iter().for_each(|what| eprintln!("skipped {what}"));
    } else {
        for line in &findings.lines {
            let (file, family) = (&line.file, &line.family);
            println!(
                "{} {file:20} {family:42} {:4} cases  worst {:9.2e}  tolerance {:8.1e}",
                if line.pass { "pass" } else { "FAIL" },
                line.cases,
                line.worst_error,
                line.tolerance
            );
        }
        findings.skipped.iter().for_each(|what| println!("skipped {what}"));
    }
    Ok(!findings.lines.is_empty() && findings.lines.iter().all(|line| line.pass))
}

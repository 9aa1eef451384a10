//! Files of a report.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::runs::commit;
use super::{Experiment, Report, RunContext, Table};
use crate::error::ExperimentError;

/// Writes `OUT/ID/summary.json`, `report.md`, the tables as CSV and the figures as SVG.
pub fn write(
    out: &Path,
    experiment: &Experiment,
    context: &RunContext,
    report: &Report,
) -> Result<(), ExperimentError> {
    let folder = out.join(experiment.id);
    fs::create_dir_all(&folder).map_err(ExperimentError::io(&folder))?;
    let save = |name: &str, text: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(ExperimentError::io(path))
    };
    let summary = json!({
        "id": experiment.id,
        "paper": experiment.paper,
        "claim": experiment.claim,
        "verdict": report.judgement.verdict(),
        "claims": report.judgement.findings(),
        "numbers": report.numbers,
        "settings": report.settings,
        "effort": context.effort,
        "design": context.design(),
        "command": context.command(experiment.id),
        "seed": context.seed,
        // The runs may be of an earlier build than the report.
        "versions": {
            "thrifty": env!("CARGO_PKG_VERSION"),
            "commit": context.merged_commit.or_build(),
            "report": commit(),
        },
    });
    save("summary.json", format!("{summary:#}\n").as_bytes())?;
    let claims = report.judgement.table();
    for table in std::iter::once(&claims).chain(&report.tables) {
        let path = path_of_table(&folder, &table.name)?;
        let text = csv(table).map_err(|e| ExperimentError::data(&path, e))?;
        fs::write(&path, text).map_err(ExperimentError::io(path))?;
    }
    for figure in &report.figures {
        save(&format!("{}.svg", figure.name), figure.svg.as_bytes())?;
    }
    save("report.md", markdown(experiment, report).as_bytes())
}

/// File of a table. One with the name of the lines of runs is refused: the next run in this folder would take it for its own lines.
fn path_of_table(folder: &Path, name: &str) -> Result<PathBuf, ExperimentError> {
    let path = folder.join(format!("{name}.csv"));
    if name == "runs" || name.starts_with("runs-") {
        return Err(ExperimentError::data(path, "a table may not have the name of the lines of runs"));
    }
    Ok(path)
}

/// A table as CSV.
pub fn csv(table: &Table) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&table.header)?;
    for row in &table.rows {
        writer.write_record(row)?;
    }
    Ok(writer.into_inner()?)
}

fn markdown(experiment: &Experiment, report: &Report) -> String {
    let mut text = format!(
        "# {}\n\nPaper: {}\n\nClaim: {}\n\nVerdict: **{}**\n",
        experiment.id,
        experiment.paper,
        experiment.claim,
        report.judgement.verdict()
    );
    for note in &report.notes {
        text += &format!("\n{note}\n");
    }
    text += &section(&report.judgement.table());
    for table in &report.tables {
        text += &section(table);
    }
    for figure in &report.figures {
        text += &format!("\n![{}]({}.svg)\n\n{}\n", figure.name, figure.name, figure.caption);
    }
    text += "\n## Settings\n\n";
    for (name, value) in &report.settings {
        text += &format!("* {name}: {value}\n");
    }
    text
}

/// A table as a section of Markdown.
pub fn section(table: &Table) -> String {
    let mut text = format!("\n## {}\n\n{}\n\n", table.name, table.caption);
    text += &format!("| {} |\n|{}\n", table.header.join(" | "), "---|".repeat(table.header.len()));
    for row in &table.rows {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A summary of merged runs has their commit, which `results accept` takes.
    #[test]
    fn the_commit_of_a_summary_is_that_of_the_runs() {
        let folder = tempfile::tempdir().unwrap();
        let experiment = crate::registry::find("levelset/theory").unwrap();
        let id = experiment.id;
        let out = Some(folder.path().to_owned());
        let own = RunContext { seeds: Some(1), out, ..RunContext::default() };
        (experiment.run)(&own).unwrap();
        for part in ["regret", "certified"] {
            let path = folder.path().join(id).join(format!("runs-{part}.csv"));
            let text = fs::read_to_string(&path).unwrap().replace(commit(), "0123456789ab");
            fs::write(&path, text).unwrap();
        }
        let merged = RunContext { merged: true, ..own };
        let report = (experiment.run)(&merged).unwrap();
        write(folder.path(), &experiment, &merged, &report).unwrap();
        let text = fs::read_to_string(folder.path().join(id).join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(summary["versions"]["commit"], "0123456789ab");
        assert_eq!(summary["versions"]["report"], commit());
    }

    #[test]
    fn tables_do_not_take_the_place_of_lines_of_runs() {
        let folder = Path::new("out");
        assert_eq!(path_of_table(folder, "policies").unwrap(), folder.join("policies.csv"));
        for name in ["runs", "runs-peers"] {
            let error = path_of_table(folder, name).unwrap_err().to_string();
            assert!(error.contains(&format!("{name}.csv: a table may not")), "{error}");
        }
    }
}

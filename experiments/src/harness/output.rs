//! Files of a report.

use std::fs;
use std::path::Path;

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
        "versions": { "thrifty": env!("CARGO_PKG_VERSION"), "commit": commit() },
    });
    save("summary.json", format!("{summary:#}\n").as_bytes())?;
    let claims = report.judgement.table();
    for table in std::iter::once(&claims).chain(&report.tables) {
        // The next run in this folder would take the table for its own lines.
        if table.name == "runs" || table.name.starts_with("runs-") {
            let path = folder.join(format!("{}.csv", table.name));
            return Err(ExperimentError::data(path, "a table may not have the name of the lines of runs"));
        }
        save(
            &format!("{}.csv", table.name),
            &csv(table).map_err(|e| ExperimentError::data(folder.join(&table.name), e))?,
        )?;
    }
    for figure in &report.figures {
        save(&format!("{}.svg", figure.name), figure.svg.as_bytes())?;
    }
    save("report.md", markdown(experiment, report).as_bytes())
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

//! One page with all reports.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Experiment, Report};
use crate::error::ExperimentError;

/// Writes `OUT/index.html` with every verdict, table and figure.
pub fn write(out: &Path, reports: &[(Experiment, Report)]) -> Result<PathBuf, ExperimentError> {
    let mut html = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Thrifty: experiments</title>\n<style>\n\
         body { font: 16px/1.5 sans-serif; max-width: 960px; margin: 2em auto; padding: 0 1em; }\n\
         table { border-collapse: collapse; font-size: 14px; } th, td { padding: 2px 10px; text-align: right; }\n\
         th { border-bottom: 1px solid; } td:first-child, th:first-child { text-align: left; }\n\
         img { max-width: 100%; } .verdict { font-weight: bold; }\n</style>\n<h1>Thrifty: experiments</h1>\n",
    );
    for (experiment, report) in reports {
        html += &format!(
            "<h2 id=\"{0}\">{0}</h2>\n<p>{1}</p>\n<p>Claim: {2}</p>\n<p>Verdict: <span class=\"verdict\">{3}</span></p>\n",
            escape(experiment.id),
            escape(experiment.paper),
            escape(experiment.claim),
            report.judgement.verdict()
        );
        for note in &report.notes {
            html += &format!("<p>{}</p>\n", escape(note));
        }
        for figure in &report.figures {
            let (name, caption) = (escape(&figure.name), escape(&figure.caption));
            html += &format!(
                "<figure><img src=\"{}/{name}.svg\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>\n",
                escape(experiment.id)
            );
        }
        let claims = report.judgement.table();
        for table in std::iter::once(&claims).chain(&report.tables) {
            html += &format!("<p>{}</p>\n<table>\n<tr>", escape(&table.caption));
            html.extend(table.header.iter().map(|cell| format!("<th>{}</th>", escape(cell))));
            html += "</tr>\n";
            for row in &table.rows {
                html += "<tr>";
                html.extend(row.iter().map(|cell| format!("<td>{}</td>", escape(cell))));
                html += "</tr>\n";
            }
            html += "</table>\n";
        }
    }
    html += "</html>\n";
    let path = out.join("index.html");
    fs::write(&path, html).map_err(ExperimentError::io(&path))?;
    Ok(path)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

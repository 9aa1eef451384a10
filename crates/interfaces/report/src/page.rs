//! The page of a report: one HTML file without references to other files.
//!
//! Every text of the study goes through the escaping of `maud`. The figures are SVG of our own, whose texts are escaped by the
//! drawing library. The script and the styles are constants.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use thrifty_results::Table;

use crate::report::Report;
use crate::warnings::warnings;
use crate::{Figure, ReportError, Unfit, summary};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// No script but the page's own, by its hash, and nothing from elsewhere, should a text break out after all.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                      script-src 'sha256-/c/t/5XcnYlk02q/DJ4wZXncjGM6Y5qtJg8XB2FPzKE='";

pub(crate) fn page(report: &Report<'_>, title: &str) -> Result<String, ReportError> {
    let table = Table::of(report.history)?;
    let drawn: Vec<(Figure, Result<String, Unfit>)> =
        Figure::ALL.into_iter().map(|figure| (figure, figure.draw(report))).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                (overview(report))
                h2 { "Figures" }
                (figures(&drawn))
                h2 { "Trials" }
                (trials(&table))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(page.into_string())
}

/// Summary and warnings.
fn overview(report: &Report<'_>) -> Markup {
    let warnings = warnings(report);
    html! {
        dl {
            @for (name, value) in summary::lines(report) { dt { (name) } dd { (value) } }
        }
        @if !warnings.is_empty() {
            ul class="warnings" {
                @for warning in &warnings { li { (warning) } }
            }
        }
    }
}

/// Figures that fit, then the others with their reasons.
fn figures(drawn: &[(Figure, Result<String, Unfit>)]) -> Markup {
    let missing: Vec<(Figure, &Unfit)> =
        drawn.iter().filter_map(|(figure, result)| Some((*figure, result.as_ref().err()?))).collect();
    html! {
        @for (figure, svg) in drawn.iter().filter_map(|(figure, result)| Some((figure, result.as_ref().ok()?))) {
            figure id=(figure.name()) {
                (PreEscaped(svg))
                figcaption { (figure.caption()) }
            }
        }
        @if !missing.is_empty() {
            details {
                summary { "Figures that this study does not have" }
                ul {
                    @for (figure, reason) in missing { li { (figure.name()) ": " (reason) } }
                }
            }
        }
    }
}

/// All trials; the heads of the columns sort the rows.
fn trials(table: &Table) -> Markup {
    html! {
        div class="table" {
            table class="sortable" {
                thead {
                    tr { @for name in table.names() { th { button type="button" { (name) } } } }
                }
                tbody {
                    @for row in 0..table.len() {
                        tr { @for column in table.columns() { td { (column.values.text(row).unwrap_or_default()) } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_has_the_hash_of_the_script() {
        let hash = STANDARD.encode(Sha256::digest(SCRIPT));
        assert!(POLICY.contains(&format!("'sha256-{hash}'")), "{hash}");
    }
}

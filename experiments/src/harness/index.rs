//! One page with all reports.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Effort, Experiment, Report, Table};
use crate::error::ExperimentError;

/// `OUT/index.html`: contents with verdicts and reasons, then every claim, table and figure.
///
/// It is written anew after each experiment. Until the last one it has the progress, and browsers load it again.
pub struct Page<'a> {
    effort: Effort,
    experiments: &'a [Experiment],
    states: Vec<State>,
    is_finished: bool,
}

/// State of an experiment on the page.
enum State {
    Waiting,
    /// Without a report, for a reason.
    Left(String),
    Done {
        report: Box<Report>,
        seconds: f64,
    },
}

impl<'a> Page<'a> {
    pub fn new(effort: Effort, experiments: &'a [Experiment]) -> Self {
        let states = experiments.iter().map(|_| State::Waiting).collect();
        Self { effort, experiments, states, is_finished: false }
    }

    /// Adds the report of an experiment and its wall-clock seconds.
    pub fn add(&mut self, at: usize, report: Report, seconds: f64) {
        self.states[at] = State::Done { report: Box::new(report), seconds };
    }

    /// Notes why an experiment has no report.
    pub fn leave(&mut self, at: usize, reason: String) {
        self.states[at] = State::Left(reason);
    }

    /// Writes the page for the last time.
    pub fn finish(mut self, out: &Path) -> Result<PathBuf, ExperimentError> {
        self.is_finished = true;
        self.write(out)
    }

    /// Writes the page as it is now.
    pub fn write(&self, out: &Path) -> Result<PathBuf, ExperimentError> {
        let path = out.join("index.html");
        fs::create_dir_all(out).map_err(ExperimentError::io(out))?;
        fs::write(&path, self.html()).map_err(ExperimentError::io(&path))?;
        Ok(path)
    }

    fn html(&self) -> String {
        let reload = if self.is_finished { "" } else { "<meta http-equiv=\"refresh\" content=\"10\">\n" };
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n{reload}<title>Thrifty: experiments</title>\n<style>\n\
             body {{ font: 16px/1.5 sans-serif; max-width: 960px; margin: 2em auto; padding: 0 1em; }}\n\
             table {{ border-collapse: collapse; font-size: 14px; }} th, td {{ padding: 2px 10px; text-align: right; }}\n\
             th {{ border-bottom: 1px solid; }} td:first-child, th:first-child {{ text-align: left; }}\n\
             .contents td {{ text-align: left; }} img {{ max-width: 100%; }} .verdict {{ font-weight: bold; }}\n</style>\n\
             <h1>Thrifty: experiments</h1>\n"
        );
        self.contents(&mut html);
        for (experiment, state) in self.experiments.iter().zip(&self.states) {
            if let State::Done { report, .. } = state {
                section(experiment, report, &mut html);
            }
        }
        html += "</html>\n";
        html
    }

    /// Progress, and a line per experiment.
    fn contents(&self, html: &mut String) {
        let done = self.states.iter().filter(|state| !matches!(state, State::Waiting)).count();
        let kind = match self.effort {
            Effort::Quick => {
                "Quick runs have few replications: most of their verdicts are inconclusive. Whole studies: --full."
            }
            Effort::Full => "Whole studies.",
        };
        if !self.is_finished {
            let of = self.states.len();
            _ = writeln!(html, "<p class=\"verdict\">{done} of {of} experiments are done.</p>");
        }
        _ = writeln!(html, "<p>{kind}</p>\n<table class=\"contents\">");
        html.push_str(
            "<tr><th>experiment</th><th>verdict</th><th>why</th><th>source</th><th>seconds</th></tr>\n",
        );
        for (experiment, state) in self.experiments.iter().zip(&self.states) {
            let (link, verdict, why, seconds) = match state {
                State::Waiting => (false, String::new(), "not yet run".to_owned(), String::new()),
                State::Left(reason) => (false, String::new(), reason.clone(), String::new()),
                State::Done { report, seconds } => {
                    let judgement = &report.judgement;
                    (true, judgement.verdict().to_string(), judgement.reason(), format!("{seconds:.1}"))
                }
            };
            let id = escape(experiment.id);
            let name = if link { format!("<a href=\"#{id}\">{id}</a>") } else { id };
            _ = writeln!(
                html,
                "<tr><td>{name}</td><td class=\"verdict\">{verdict}</td><td>{}</td><td>{}</td><td>{seconds}</td></tr>",
                escape(&why),
                escape(experiment.paper)
            );
        }
        html.push_str("</table>\n");
    }
}

/// One experiment.
fn section(experiment: &Experiment, report: &Report, html: &mut String) {
    let (id, verdict) = (escape(experiment.id), report.judgement.verdict());
    _ = writeln!(html, "<h2 id=\"{id}\">{id}</h2>\n<p>{}</p>", escape(experiment.paper));
    _ = writeln!(html, "<p>Claim: {}</p>", escape(experiment.claim));
    _ = writeln!(html, "<p>Verdict: <span class=\"verdict\">{verdict}</span></p>");
    for note in &report.notes {
        _ = writeln!(html, "<p>{}</p>", escape(note));
    }
    for figure in &report.figures {
        let (name, caption) = (escape(&figure.name), escape(&figure.caption));
        _ = writeln!(
            html,
            "<figure><img src=\"{id}/{name}.svg\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>"
        );
    }
    table(&report.judgement.table(), html);
    report.tables.iter().for_each(|own| table(own, html));
}

fn table(table: &Table, html: &mut String) {
    _ = write!(html, "<p>{}</p>\n<table>\n<tr>", escape(&table.caption));
    html.extend(table.header.iter().map(|cell| format!("<th>{}</th>", escape(cell))));
    html.push_str("</tr>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        html.extend(row.iter().map(|cell| format!("<td>{}</td>", escape(cell))));
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::claims::{Claim, Family, Kind, Rule, Sample, Test};

    fn report() -> Report {
        let claim = Claim::new("a < b", Kind::Superior, Test::SignFlip, 3);
        let judgement = Family::new(Rule::All).with(claim, Sample::Gains(vec![1.0, 2.0, 3.0])).judge();
        Report {
            judgement: judgement.unwrap(),
            numbers: std::collections::BTreeMap::new(),
            settings: std::collections::BTreeMap::new(),
            notes: vec!["x < y".into()],
            tables: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// The page of a run that is under way has what is done, what was left and what is to come; the last one is not loaded again.
    #[test]
    fn a_page_has_progress_until_it_is_finished() {
        let experiments = crate::registry::all();
        let experiments = &experiments[..3];
        let folder = tempfile::tempdir().unwrap();
        let mut page = Page::new(Effort::Quick, experiments);
        page.add(0, report(), 1.25);
        page.leave(1, "2 of 9 runs are missing".into());
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        let html = read(page.write(folder.path()).unwrap());
        for part in [
            "2 of 3 experiments are done",
            "http-equiv=\"refresh\"",
            "inconclusive",
            "0 of 1 claims hold, 1 undecided, 1 with too few replications",
            "2 of 9 runs are missing",
            "not yet run",
            "x &lt; y",
            "a &lt; b",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert_eq!(html.matches("<h2").count(), 1);
        let html = read(page.finish(folder.path()).unwrap());
        assert!(!html.contains("refresh") && !html.contains("are done"));
    }
}

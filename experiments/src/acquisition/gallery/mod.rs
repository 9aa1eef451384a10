//! A figure for each acquisition: one variable, a posterior above, the utility below.

mod information;
mod moments;
mod noise;
mod pending;
mod scene;
mod weights;

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Rule, Sample};
use crate::harness::runs::lossless_number;
use crate::harness::{Experiment, Figure, JobName, Judgement, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "acquisition/gallery",
    paper: "none: the figures of the chapter on acquisitions",
    claim: "each acquisition looks where its theory says, and fails where it is known to fail",
    quick_cost: "13 figures of one variable: a second",
    full_cost: "the same",
    run,
};

/// A number that a figure shows.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Finding {
    what: String,
    #[serde(with = "lossless_number")]
    value: f64,
    /// True if the number is as the theory says; none for a number that another is compared with.
    holds: Option<bool>,
}

impl Finding {
    fn new(what: impl Into<String>, value: f64, holds: bool) -> Self {
        Self { what: what.into(), value, holds: Some(holds) }
    }

    /// A number without a claim.
    fn number(what: impl Into<String>, value: f64) -> Self {
        Self { what: what.into(), value, holds: None }
    }
}

/// A figure with what it shows.
struct Drawn {
    figure: Figure,
    findings: Vec<Finding>,
}

/// Line of a figure.
#[derive(serde::Serialize, serde::Deserialize)]
struct Line {
    caption: String,
    findings: Vec<Finding>,
    svg: String,
}

/// A figure of the gallery by its name.
type Draw = fn(Seed) -> Result<Drawn, ExperimentError>;

const FIGURES: [(&str, Draw); 13] = [
    ("improvement", |_| moments::improvement()),
    ("extremes", |_| moments::extremes()),
    ("underflow", |_| moments::underflow()),
    ("noisy-improvement", noise::noisy_improvement),
    ("knowledge-gradient", |_| noise::knowledge_gradient()),
    ("one-shot", noise::one_shot),
    ("max-value", information::max_value),
    ("minima", information::minima),
    ("joint-entropy", information::joint_entropy),
    ("entropy-search", information::entropy_search),
    ("thompson", information::thompson),
    ("pending", pending::pending),
    ("weights", |_| weights::weights()),
];

/// Every number with a claim is as the theory says.
fn judge(findings: &[(String, Finding)]) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (figure, finding) in findings {
        if let Some(holds) = finding.holds {
            let name = format!("{figure}: {} ({}) is as it should be", finding.what, number(finding.value));
            family.push(Claim::exact(name, 1.0, 0.0), Sample::Values(vec![f64::from(u8::from(holds))]));
        }
    }
    family.judge()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let seed = Seed(context.seed).child(EXPERIMENT.id, 0);
    let name = |(figure, _): &(&str, Draw)| JobName::new(*figure, "figure", 0);
    let lines: Vec<Line> = Runs::new(EXPERIMENT.id, context).collect(&FIGURES, name, |(_, draw)| {
        let Drawn { figure, findings } = draw(seed)?;
        Ok(Line { caption: figure.caption, findings, svg: figure.svg })
    })?;
    let (mut figures, mut findings) = (Vec::new(), Vec::new());
    for ((name, _), Line { caption, findings: own, svg }) in FIGURES.iter().zip(lines) {
        findings.extend(own.into_iter().map(|finding| ((*name).to_owned(), finding)));
        figures.push(Figure { name: (*name).to_owned(), caption, svg });
    }
    let row = |(figure, finding): &(String, Finding)| {
        let shown = finding.holds.map_or("", |holds| if holds { "yes" } else { "no" });
        vec![figure.clone(), finding.what.clone(), number(finding.value), shown.into()]
    };
    let numbers: BTreeMap<String, f64> = findings.iter().map(|(_, f)| (f.what.clone(), f.value)).collect();
    Ok(Report {
        judgement: judge(&findings)?,
        numbers,
        settings: [("process", "Matérn 5/2 with known hyperparameters, mean 0, variance 1".to_owned())]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
        notes: vec!["Maximizers are those among 401 points.".into()],
        tables: vec![Table {
            name: "findings".into(),
            caption: "Numbers that the figures show, and whether each is as the theory says.".into(),
            header: ["figure", "what", "value", "as it should be"].map(String::from).to_vec(),
            rows: findings.iter().map(row).collect(),
        }],
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::claims::Verdict;

    /// Every number of a figure can break the claim, and a figure draws what its name says.
    #[test]
    fn any_number_that_is_off_is_found() {
        let drawn = moments::underflow().unwrap();
        assert_eq!(drawn.figure.name, "underflow");
        let named = |findings: &[Finding]| -> Vec<(String, Finding)> {
            findings.iter().map(|finding| ("underflow".to_owned(), finding.clone())).collect()
        };
        assert_eq!(judge(&named(&drawn.findings)).unwrap().verdict(), Verdict::Holds);
        for worse in 0..drawn.findings.len() {
            let mut findings = drawn.findings.clone();
            findings[worse].holds = Some(false);
            assert_eq!(judge(&named(&findings)).unwrap().verdict(), Verdict::DoesNotHold);
        }
        // A number without a claim decides nothing.
        let alone = [("f".to_owned(), Finding::number("distance", 1.0))];
        assert_eq!(judge(&alone).unwrap().verdict(), Verdict::Inconclusive);
    }
}

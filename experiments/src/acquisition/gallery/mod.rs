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
use crate::harness::claims::{Claim, Family, Rule, Sample};
use crate::harness::{Experiment, Figure, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "acquisition/gallery",
    paper: "none: the figures of the chapter on acquisitions",
    claim: "each acquisition looks where its theory says, and fails where it is known to fail",
    quick_cost: "13 figures of one variable: a second",
    full_cost: "the same",
    run,
};

/// A number that a figure shows, and whether it is as it should be.
struct Finding {
    what: String,
    value: f64,
    holds: bool,
}

impl Finding {
    fn new(what: impl Into<String>, value: f64, holds: bool) -> Self {
        Self { what: what.into(), value, holds }
    }
}

/// A figure with what it shows.
struct Drawn {
    figure: Figure,
    findings: Vec<Finding>,
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let seed = Seed(context.seed).child(EXPERIMENT.id, 0);
    let mut drawn = moments::draw()?;
    drawn.extend(noise::draw(seed)?);
    drawn.extend(information::draw(seed)?);
    drawn.extend(pending::draw(seed)?);
    drawn.extend(weights::draw()?);
    let (mut figures, mut findings) = (Vec::new(), Vec::new());
    for Drawn { figure, findings: own } in drawn {
        findings.extend(own.into_iter().map(|finding| (figure.name.clone(), finding)));
        figures.push(figure);
    }
    let mut family = Family::new(Rule::All);
    for (figure, finding) in &findings {
        let shown = f64::from(u8::from(finding.holds));
        let name = format!("{figure}: {} ({}) is as it should be", finding.what, number(finding.value));
        family.push(Claim::exact(name, 1.0, 0.0), Sample::Values(vec![shown]));
    }
    let row = |(figure, finding): &(String, Finding)| {
        let shown = if finding.holds { "yes" } else { "no" };
        vec![figure.clone(), finding.what.clone(), number(finding.value), shown.into()]
    };
    let numbers: BTreeMap<String, f64> = findings.iter().map(|(_, f)| (f.what.clone(), f.value)).collect();
    Ok(Report {
        judgement: family.judge()?,
        numbers,
        settings: [("process", "Matérn 5/2 with known hyperparameters, mean 0, variance 1".to_owned())]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
        notes: vec!["Maximisers are those among 401 points.".into()],
        tables: vec![Table {
            name: "findings".into(),
            caption: "What the figures show, and whether it is what they are meant to show.".into(),
            header: ["figure", "what", "value", "as it should be"].map(String::from).to_vec(),
            rows: findings.iter().map(row).collect(),
        }],
        figures,
    })
}

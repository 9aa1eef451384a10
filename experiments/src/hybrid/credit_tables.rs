//! Table 2 of the hybrid paper, and the numbers of trees that were chosen.

use std::collections::BTreeMap;

use thrifty_figures::{LinePlot, Series};

use super::credit_convergence::{Reference, STARTS, TURNS, Tuned};
use super::credit_data::Learner;
use crate::error::ExperimentError;
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{Figure, Table, number};

/// Runs of a method, by its label.
pub type Group<'a> = (String, &'a [Tuned]);

/// A statistic of a run, for a reference.
type Statistic = (&'static str, fn(&Tuned, &Reference) -> f64);

/// Statistics of a run: one meaning each, the same for every method.
const STATISTICS: [Statistic; 6] = [
    ("accuracy of the recommendation", |run, reference| reference.accuracy(run.recommended(TURNS))),
    ("score of the recommendation", |run, reference| reference.score(run.recommended(TURNS))),
    ("turn of convergence", |run, reference| run.convergence(reference) as f64),
    ("evaluations after the starts", |run, _| run.evaluations() as f64),
    ("trees recommended", |run, _| run.recommended(TURNS)),
    ("seconds", |run, _| run.seconds),
];

/// Mean, least, largest and standard deviation of every statistic by method, with the means as numbers.
pub fn table(
    learner: Learner,
    reference: &Reference,
    groups: &[Group<'_>],
    numbers: &mut BTreeMap<String, f64>,
) -> Table {
    let mut rows = Vec::new();
    for (label, runs) in groups {
        for (name, pick) in STATISTICS {
            let values: Vec<f64> = runs.iter().map(|run| pick(run, reference)).collect();
            let (mean, std_dev) = mean_and_std_dev(&values);
            // Seconds are of this machine and this hour; everything else is the same for the same seed.
            if name != "seconds" {
                numbers.insert(format!("{}: mean {name} of {label}", learner.name()), mean);
            }
            let cells = [mean, quantile(&values, 0.0), quantile(&values, 1.0), std_dev].map(number);
            rows.push([vec![label.clone(), name.into()], cells.to_vec()].concat());
        }
    }
    let (best, score) = reference.best();
    let header = ["method", "statistic", "average", "minimum", "maximum", "standard deviation"];
    Table {
        name: format!("table2-{}", learner.name().replace(' ', "-")),
        caption: format!(
            "The statistics of the paper's table 2 for the {}, over runs. Accuracy and score are those of the reference at the recommended \
             number of trees; the best score is {} at {best} trees. Turn of convergence: the first from which on the recommendation \
             stays good; {} where it does not.",
            learner.name(),
            number(score),
            TURNS + 1
        ),
        header: header.map(String::from).to_vec(),
        rows,
    }
}

/// Empirical distribution of the number of trees chosen, by method.
pub fn figure(learner: Learner, groups: &[Group<'_>]) -> Result<Figure, ExperimentError> {
    let series = groups.iter().map(|(label, runs)| {
        let trees: Vec<f64> = runs.iter().map(|run| run.recommended(TURNS)).collect();
        Series::distribution(label, &trees)
    });
    let plot = LinePlot {
        title: format!("Trees of the {}: share of runs with at most so many", learner.name()),
        x_label: "trees".into(),
        y_label: "share of runs".into(),
        series: series.collect(),
        ..LinePlot::default()
    };
    Figure::of(
        &format!("trees-{}", learner.name().replace(' ', "-")),
        "Empirical distribution of the number of trees recommended at the end, by method.",
        plot.draw(),
    )
}

/// Settings that both learners share.
pub fn settings(runs: usize, folds: usize, references: usize, data: &str) -> BTreeMap<String, String> {
    [
        ("data", data.to_owned()),
        ("score", format!("cross-validated accuracy - {} · trees/{}", super::credit_convergence::PENALTY, super::credit_convergence::MOST)),
        ("learners", "smartcore's random forest and boosted trees, their defaults; fresh trees and folds for every evaluation".into()),
        ("folds", folds.to_string()),
        ("runs", format!("{runs}, {STARTS} random starts, at most {TURNS} turns")),
        ("reference", format!("mean accuracy of {references} fresh learners at each of 14 numbers of trees")),
    ]
    .map(|(name, value): (&str, String)| (name.to_owned(), value))
    .into()
}

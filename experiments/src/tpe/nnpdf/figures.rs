//! Figures of the scans.

use thrifty_figures::{FigureError, LinePlot, Series, panels};

use super::Outcome;
use super::law::{BEYOND, Law, cells};
use super::scan::{Densities, FOLLOWED, Goal, Search};
use super::tables::best;
use crate::error::ExperimentError;
use crate::harness::Figure;

pub fn all(outcomes: &[Outcome]) -> Result<Vec<Figure>, ExperimentError> {
    let mut figures = Vec::new();
    let mut add = |name: String, caption: String, svg: Result<String, FigureError>| {
        svg.map(|svg| figures.push(Figure { name, caption, svg })).map_err(ExperimentError::failed)
    };
    let first = |law: Law, goal: Goal, search: Search| {
        outcomes.iter().find(move |o| (o.law, o.goal, o.search, o.replication) == (law, goal, search, 0))
    };
    if let Some(scan) = first(Law::Parton, Goal::Folds, Search::Described).map(|o| &o.scan) {
        for (parameter, ..) in FOLLOWED {
            let own: Vec<&Densities> = scan.densities.iter().filter(|d| d.parameter == parameter).collect();
            let counts: Vec<String> = own.iter().map(|d| d.trials.to_string()).collect();
            let caption = format!(
                "Densities of good (l) and bad (g) trials over the {parameter}, per unit of its logarithm, and their ratio, \
                 after {} trials (in this order blue, vermilion, green, pink) of one scan of the parton law by K-fold χ².",
                counts.join(", ")
            );
            add(format!("densities_{}", parameter.replace(' ', "_")), caption, panels(&densities(&own)))?;
        }
    }
    for goal in Goal::ALL {
        let (name, caption) = match goal {
            Goal::Folds => ("losses_folds", "The K-fold χ²"),
            Goal::Test => ("losses_test", "The χ² on the test sets"),
        };
        let caption = format!(
            "{caption}: smallest so far, relative to the smallest of the random search of the same law and replication; \
             geometric mean over laws and replications."
        );
        add(name.into(), caption, losses(outcomes, goal).draw())?;
    }
    let fits: Vec<LinePlot> = Goal::ALL
        .into_iter()
        .flat_map(|goal| Law::ALL.map(|law| (goal, law)))
        .filter_map(|(goal, law)| first(law, goal, Search::Described).map(fit))
        .collect();
    let caption = "Ensembles of the models that one scan by TPE chose: mean and one deviation of the replicas (blue), the law \
                   (vermilion) and the training data (green). Test data within and, beyond 0.75, outside the training range.";
    add("fits".into(), caption.into(), panels(&fits))?;
    Ok(figures)
}

/// l, g and l / g as the scan goes on.
fn densities(stages: &[&Densities]) -> Vec<LinePlot> {
    let parts: [(&str, fn(f64, f64) -> f64); 3] =
        [("l, good trials", |l, _| l), ("g, bad trials", |_, g| g), ("l / g", |l, g| l - g)];
    let plot = |(title, value): (&str, fn(f64, f64) -> f64)| {
        let line = |stage: &&Densities| {
            let points = stage.curve.iter().map(|&(x, l, g)| (x, value(l, g).exp())).collect();
            Series::line(format!("{} trials", stage.trials), points)
        };
        LinePlot {
            title: title.into(),
            x_label: stages.first().map_or("", |stage| &stage.parameter).into(),
            y_label: title.split(',').next().unwrap_or_default().into(),
            log_x: true,
            log_y: true,
            series: stages.iter().map(line).collect(),
            ..LinePlot::default()
        }
    };
    parts.map(plot).to_vec()
}

fn losses(outcomes: &[Outcome], goal: Goal) -> LinePlot {
    let runs = |search| outcomes.iter().filter(move |o| o.goal == goal && o.search == search);
    let reference = |of: &Outcome| {
        let same = |o: &&Outcome| (o.law, o.replication) == (of.law, of.replication);
        runs(Search::Random).find(same).map_or(f64::NAN, best)
    };
    let line = |search: Search| {
        let curves: Vec<Vec<f64>> = runs(search)
            .map(|o| {
                let mut least = f64::INFINITY;
                let so_far = o.scan.losses.iter().map(|loss| {
                    least = least.min(*loss);
                    (least / reference(o)).ln()
                });
                so_far.collect()
            })
            .collect();
        let trials = curves.iter().map(Vec::len).min().unwrap_or(0);
        let mean = |i: usize| curves.iter().map(|c| c[i]).sum::<f64>() / curves.len() as f64;
        Series::line(search.name(), (0..trials).map(|i| ((i + 1) as f64, mean(i).exp())).collect())
    };
    LinePlot {
        title: format!("Smallest {} so far", goal.name()),
        x_label: "trials".into(),
        y_label: "relative to random search's smallest".into(),
        log_y: true,
        series: Search::ALL.map(line).to_vec(),
        ..LinePlot::default()
    }
}

fn fit(outcome: &Outcome) -> LinePlot {
    let curve = &outcome.judgement.curve;
    let law = cells((0.02, BEYOND.1), 300).map(|x| (x, outcome.law.value(x))).collect();
    let data = &outcome.closure.training;
    LinePlot {
        title: format!("{}, chosen by {}", outcome.law.name(), outcome.goal.name()),
        x_label: "x".into(),
        y_label: "law".into(),
        series: vec![
            Series {
                band: curve.iter().map(|&(x, mean, sd)| (x, mean - sd, mean + sd)).collect(),
                ..Series::line("ensemble", curve.iter().map(|&(x, mean, _)| (x, mean)).collect())
            },
            Series::line("law", law),
            Series {
                bars: data.iter().map(|d| (d.x, d.y - d.sigma, d.y + d.sigma)).collect(),
                dots: true,
                ..Series::default()
            },
        ],
        ..LinePlot::default()
    }
}

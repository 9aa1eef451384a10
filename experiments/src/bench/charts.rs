//! Figures of regret against evaluations.

use thrifty_figures::{LinePlot, Series};

use super::sample::{Sample, distinct};
use crate::error::ExperimentError;
use crate::harness::Figure;
use crate::harness::stats::quantile;

/// The smallest regret drawn.
const FLOOR: f64 = 1e-10;

/// Whose runs, and after how many evaluations their regret is known.
fn noted(samples: &[&Sample], evaluations: usize) -> Vec<usize> {
    let Some(first) = samples.first() else { return Vec::new() };
    first.curve.iter().map(|(t, _)| *t).filter(|t| *t <= evaluations).collect()
}

/// Median regret of every method on a function, with the quartiles of `ours` as a band.
pub fn traces(function: &str, ours: &str, samples: &[Sample], evaluations: usize) -> LinePlot {
    let on: Vec<&Sample> = samples.iter().filter(|s| s.function == function).collect();
    let series = distinct(on.iter().map(|s| &s.method)).into_iter().map(|method| {
        let own: Vec<&Sample> = on.iter().copied().filter(|s| s.method == method).collect();
        let at =
            |t: usize, p: f64| quantile(&own.iter().map(|s| s.at(t)).collect::<Vec<f64>>(), p).max(FLOOR);
        let times = noted(&own, evaluations);
        let band = times.iter().map(|&t| (t as f64, at(t, 0.25), at(t, 0.75)));
        let band = if method == ours { band.collect() } else { Vec::new() };
        let points = times.iter().map(|&t| (t as f64, at(t, 0.5))).collect();
        Series { band, ..Series::line(method, points) }
    });
    LinePlot {
        title: format!("{function}: simple regret, median"),
        x_label: "evaluations".into(),
        y_label: "regret".into(),
        log_y: true,
        series: series.collect(),
        ..LinePlot::default()
    }
}

/// [`traces`] as a figure.
pub fn anytime(
    function: &str,
    ours: &str,
    samples: &[Sample],
    evaluations: usize,
) -> Result<Figure, ExperimentError> {
    let plot = traces(function, ours, samples, evaluations);
    Figure::of(
        &format!("anytime-{}", function.to_lowercase()),
        &format!(
            "{function}: median simple regret over the designs; shaded, the quartiles of {ours}. Peers are known after \
             every ten evaluations, with straight lines between."
        ),
        plot.draw(),
    )
}

/// Share of (function, design, target) reached; 31 targets from 10² to 10⁻⁴ of regret.
pub fn ecdf(samples: &[Sample], functions: &[String], evaluations: usize) -> Result<Figure, ExperimentError> {
    let targets: Vec<f64> = (0..=30).map(|i| 10_f64.powf(2.0 - 0.2 * f64::from(i))).collect();
    let mut series = Vec::new();
    for method in distinct(samples.iter().map(|s| &s.method)) {
        let own: Vec<&Sample> = samples.iter().filter(|s| s.method == method).collect();
        // A method that left a function out cannot be compared by a share over all.
        if functions.iter().any(|function| own.iter().all(|s| &s.function != function)) {
            continue;
        }
        let share = |t: usize| {
            let of = |function: &String| {
                let (mut reached, mut runs) = (0, 0);
                for sample in own.iter().filter(|s| &s.function == function) {
                    reached += targets.iter().filter(|target| sample.at(t) <= **target).count();
                    runs += 1;
                }
                reached as f64 / (runs * targets.len()) as f64
            };
            functions.iter().map(of).sum::<f64>() / functions.len() as f64
        };
        let points = noted(&own, evaluations).into_iter().map(|t| (t as f64, share(t))).collect();
        series.push(Series::line(method, points));
    }
    let plot = LinePlot {
        title: "All functions: share of targets reached".into(),
        x_label: "evaluations".into(),
        y_label: "share of targets".into(),
        series,
        ..LinePlot::default()
    };
    Figure::of(
        "ecdf",
        "Empirical distribution over 31 regret targets from 100 to 0.0001, evenly spaced by logarithm, each function \
         with equal weight; methods that ran on every function.",
        plot.draw(),
    )
}

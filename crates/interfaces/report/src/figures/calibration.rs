//! Predictions against observations.

use thrifty_figures::{LinePlot, Series, predicted_against_observed};
use thrifty_space::Config;
use thrifty_study::Trial;

use crate::Unfit;
use crate::report::Report;

/// Diagnostics of suggestions that predict the objective as a loss: median and central 95 % interval.
const INTERVAL: [&str; 3] = ["predicted_low", "predicted", "predicted_high"];

/// Diagnostics of suggestions that predict a transformed objective.
const MEAN: &str = "mean";
const STD_DEV: &str = "std_dev";

/// Predictions in the user's units where the optimiser gives them, else in those of its model.
pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    let intervals = intervals(report);
    let (low, high) = intervals
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| (low.min(point.0), high.max(point.0)));
    if intervals.is_empty() {
        return in_units_of_the_model(report);
    }
    let points = intervals.iter().map(|(observed, [_, median, _])| (*observed, *median)).collect();
    let bars = intervals.iter().map(|(observed, [low, _, high])| (*observed, *low, *high)).collect();
    let predicted = Series { bars, ..Series::dots("predicted, 95 % interval", points) };
    let plot = LinePlot {
        title: "predictions of the optimiser".into(),
        x_label: "observed".into(),
        y_label: "predicted".into(),
        series: vec![predicted, Series::line("equal", vec![(low, low), (high, high)])],
        palette: report.palette.clone(),
        ..LinePlot::default()
    };
    Ok(plot.draw()?)
}

/// Observed objectives with the predicted lower end, median and upper end, in the user's units. A transform may have no finite value for
/// an end that lies far out; such a trial is left out.
fn intervals(report: &Report<'_>) -> Vec<(f64, [f64; 3])> {
    let interval = |trial: &Trial<Config>| -> Option<[f64; 3]> {
        let mut ends = [0.0; 3];
        for (end, name) in ends.iter_mut().zip(INTERVAL) {
            *end = report.value(0, *trial.diagnostics.get(name)?);
        }
        // A maximised objective turns the interval round.
        ends.sort_unstable_by(f64::total_cmp);
        ends.iter().all(|end| end.is_finite()).then_some(ends)
    };
    report.values().into_iter().filter_map(|(trial, observed)| Some((observed, interval(trial)?))).collect()
}

/// Predictions of optimisers that do not map them back.
fn in_units_of_the_model(report: &Report<'_>) -> Result<String, Unfit> {
    let (mut mean, mut variance, mut observed) = (Vec::new(), Vec::new(), Vec::new());
    for (trial, objective) in report.values() {
        if let (Some(m), Some(s)) = (trial.diagnostics.get(MEAN), trial.diagnostics.get(STD_DEV)) {
            mean.push(report.value(0, *m));
            variance.push(s * s);
            observed.push(objective);
        }
    }
    if observed.is_empty() {
        return Err(Unfit::Missing("a prediction (diagnostics mean and std_dev)"));
    }
    let plot = predicted_against_observed("predictions of the optimiser", &mean, &variance, &observed);
    // The diagonal is that of equal units, which a model of transformed objectives does not have.
    let series = plot.series.into_iter().filter(|series| !series.bars.is_empty()).collect();
    let y_label = "predicted, in the units of the model".into();
    Ok(LinePlot { series, y_label, palette: report.palette.clone(), ..plot }.draw()?)
}

/// Leave-one-out predictions of the Gaussian process.
pub(crate) fn leave_one_out(report: &Report<'_>) -> Result<String, Unfit> {
    let gp = report.gp()?;
    let (mean, variance): (Vec<f64>, Vec<f64>) = gp.posterior.leave_one_out().into_iter().unzip();
    let plot = predicted_against_observed("leave-one-out predictions", &mean, &variance, &gp.y);
    Ok(LinePlot { palette: report.palette.clone(), ..plot }.draw()?)
}

//! Predictions against observations.

use thrifty_figures::{LinePlot, predicted_against_observed};

use crate::Unfit;
use crate::report::Report;

/// Diagnostics of suggestions that predict the objective.
const MEAN: &str = "mean";
const STD_DEV: &str = "std_dev";

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
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

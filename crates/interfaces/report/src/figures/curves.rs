//! Intermediate values by step.

use thrifty_figures::{LinePlot, Series};

use super::is_wide;
use crate::Unfit;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    let reported = || report.history.trials().iter().filter(|trial| !trial.reports.is_empty());
    if reported().next().is_none() {
        return Err(Unfit::Missing("intermediate values"));
    }
    let mut series = Vec::new();
    for name in ["pruned", "failed", "running", "measured"] {
        for (at, trial) in reported().filter(|trial| trial.state() == name).enumerate() {
            let points: Vec<(f64, f64)> =
                trial.reports.iter().map(|(step, loss)| (*step as f64, report.value(0, *loss))).collect();
            // One entry in the legend per state; series without a label have the colour of the one before.
            let label = if at == 0 { name } else { "" };
            // A single value has no line.
            series.push(Series { dots: points.len() == 1, ..Series::line(label, points) });
        }
    }
    let plot = LinePlot {
        title: "intermediate values".into(),
        x_label: "step".into(),
        y_label: "value".into(),
        log_y: is_wide(
            reported().flat_map(|trial| trial.reports.iter().map(|(_, loss)| report.value(0, *loss))),
        ),
        series,
        palette: report.palette.clone(),
        ..LinePlot::default()
    };
    Ok(plot.draw()?)
}

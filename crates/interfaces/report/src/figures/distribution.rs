//! Empirical distribution of the objective.

use thrifty_figures::{LinePlot, Series};

use super::is_wide;
use crate::Unfit;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    let values: Vec<f64> = report.compared().into_iter().map(|(_, loss)| report.value(0, loss)).collect();
    Unfit::unless(report.compared_name(), values.len(), 2)?;
    let plot = LinePlot {
        title: format!("distribution of {}", report.objective_label()),
        x_label: report.objective_label().into(),
        y_label: "share of the trials".into(),
        log_x: is_wide(values.iter().copied()),
        series: vec![Series::distribution("trials", &values)],
        palette: report.palette.clone(),
        ..LinePlot::default()
    };
    Ok(plot.draw()?)
}

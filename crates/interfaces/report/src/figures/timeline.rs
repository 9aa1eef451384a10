//! Time spent over the trials.

use thrifty_figures::{LinePlot, Series};
use thrifty_study::Timing;

use crate::Unfit;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    let trials = report.history.trials();
    if trials.iter().all(|trial| trial.timing == Timing::default()) {
        return Err(Unfit::Missing("a time"));
    }
    let summed = |of: fn(&Timing) -> f64| -> Vec<(f64, f64)> {
        let mut sum = 0.0;
        let point = |trial: &thrifty_study::Trial<_>| {
            let seconds = of(&trial.timing);
            sum += if seconds.is_finite() { seconds } else { 0.0 };
            (trial.id.0 as f64, sum)
        };
        trials.iter().map(point).collect()
    };
    let plot = LinePlot {
        title: "time".into(),
        x_label: "trial".into(),
        y_label: "seconds, summed".into(),
        series: vec![
            Series::line("suggestions", summed(|timing| timing.ask)),
            Series::line("evaluations", summed(|timing| timing.evaluate)),
        ],
        palette: report.palette.clone(),
        ..LinePlot::default()
    };
    Ok(plot.draw()?)
}

//! Densities of a Parzen estimator.

use thrifty_figures::{Axis, LinePlot, Series, panels_with_legend};
use thrifty_space::Config;
use thrifty_study::History;
use thrifty_tpe::TpeOptimizer;

use crate::Unfit;
use crate::report::Report;

/// Points of a curve.
const STEPS: usize = 121;

/// Measured trials from which there are good and bad ones.
const FEWEST: usize = 10;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless("measured trials", report.compared().len(), FEWEST)?;
    let numeric = report.numeric();
    Unfit::unless("numeric parameters", numeric.len(), 1)?;
    let mut optimizer = TpeOptimizer::new(report.space.clone())?;
    // Good and bad trials are told apart by their objectives.
    let trials = report.history.trials().iter().filter(|trial| report.compares(trial)).cloned();
    let history = History::from_trials(trials.collect(), report.history.seed());
    let mut plots = Vec::new();
    for parameter in numeric.into_iter().filter_map(|at| report.parameters.get(at)) {
        if let Some(axis) = parameter.numeric() {
            plots.push(plot(report, &history, &mut optimizer, &parameter.name, axis)?);
        }
    }
    Ok(panels_with_legend(&plots)?)
}

/// Both densities over one parameter, each relative to its largest value: their units differ with the scale of the parameter.
fn plot(
    report: &Report<'_>,
    history: &History<Config>,
    optimizer: &mut TpeOptimizer,
    name: &str,
    axis: &Axis,
) -> Result<LinePlot, Unfit> {
    let values: Vec<f64> = (0..STEPS).map(|i| axis.value(i as f64 / (STEPS - 1) as f64)).collect();
    let logs = optimizer.marginals(history, name, &values)?;
    let largest = logs.iter().map(|(l, g)| l.max(*g)).fold(f64::NEG_INFINITY, f64::max);
    let curve = |of: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
        values.iter().zip(&logs).map(|(value, logs)| (*value, (of(logs) - largest).exp())).collect()
    };
    Ok(LinePlot {
        title: format!("densities of {name}"),
        x_label: name.into(),
        y_label: "density / largest".into(),
        log_x: axis.log,
        series: vec![
            Series::line("l (good trials)", curve(|logs| logs.0)),
            Series::line("g (bad trials)", curve(|logs| logs.1)),
        ],
        palette: report.palette.clone(),
        ..LinePlot::default()
    })
}

//! Densities of a Parzen estimator.

use thrifty_figures::{Axis, LinePlot, Series, panels_with_legend};
use thrifty_space::{Config, Kind};
use thrifty_study::History;
use thrifty_tpe::TpeOptimizer;

use crate::Unfit;
use crate::report::Report;

/// Points of a curve.
const STEPS: usize = 121;

/// Measured trials from which there are good and bad ones.
const FEWEST: usize = 10;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless(report.compared_name(), report.compared().len(), FEWEST)?;
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

/// Logarithm of the length that a value takes on the axis: of a whole number on a logarithmic axis the estimator has the mass, which falls with
/// that length. All others take the same.
fn log_width(report: &Report<'_>, name: &str) -> impl Fn(f64) -> f64 {
    let kind = report.space.parameters().iter().find(|parameter| parameter.name == name);
    let step = match kind.map(|parameter| &parameter.kind) {
        Some(Kind::Int { step, log: true, .. }) => Some(*step as f64),
        _ => None,
    };
    move |value| step.map_or(0.0, |step| (step / (value - 0.5 * step)).ln_1p().ln())
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
    let width = log_width(report, name);
    let logs = optimizer.marginals(history, name, &values)?.into_iter().zip(&values);
    let logs: Vec<(f64, f64)> = logs.map(|((l, g), value)| (l - width(*value), g - width(*value))).collect();
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

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_search::RandomSearch;
    use thrifty_space::Space;
    use thrifty_study::{MaxTrials, Study};

    use super::*;

    /// Trials that are even on a logarithmic axis, of floats and of whole numbers, have densities that are.
    #[test]
    fn even_trials_have_even_densities() {
        let space = Space::builder().log_float("x", 1.0, 1e6).log_int("n", 1, 1_000_000).build().unwrap();
        let mut study = Study::new(RandomSearch::new(space.clone()), Seed(1)).with_stop(MaxTrials(200));
        study.run(|_: &Config, context| context.id.0 as f64).unwrap();
        let (history, mut optimizer) = (study.history(), TpeOptimizer::new(space.clone()).unwrap());
        let report = Report::new(history, Some(&space)).unwrap();
        for parameter in &report.parameters {
            let axis = parameter.numeric().unwrap();
            let drawn = plot(&report, history, &mut optimizer, &parameter.name, axis).unwrap();
            let bad = &drawn.series[1].points[12..109];
            let least = bad.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
            assert!(least > 0.05, "{}: {least}", parameter.name);
        }
    }
}

//! Objective over each parameter.

use thrifty_figures::{LinePlot, Series, panels_with_legend};

use super::{LOWER, is_wide};
use crate::Unfit;
use crate::parameter::ParameterAxis;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless("measured trials", report.measured().len(), 1)?;
    let plots: Vec<LinePlot> = report.parameters.iter().map(|parameter| plot(report, parameter)).collect();
    Ok(panels_with_legend(&plots)?)
}

fn plot(report: &Report<'_>, parameter: &ParameterAxis) -> LinePlot {
    let measured = report.values();
    let best = report.history.best().map(|(trial, _)| trial.id);
    let point = |(trial, objective): &(&thrifty_study::Trial<thrifty_space::Config>, f64)| {
        Some((parameter.coordinate(trial.query.get(&parameter.name)?)?, *objective))
    };
    let dots = |compares: bool| -> Vec<(f64, f64)> {
        measured.iter().filter(|(trial, _)| report.compares(trial) == compares).filter_map(point).collect()
    };
    let mut series = vec![Series::dots("trials", dots(true))];
    // Without them the legend has no entry for them.
    series.extend(Some(Series::dots(LOWER, dots(false))).filter(|lower| !lower.points.is_empty()));
    let best = measured.iter().filter(|(trial, _)| Some(trial.id) == best).filter_map(point).collect();
    series.push(Series::dots("best trial", best));
    LinePlot {
        title: parameter.name.clone(),
        x_label: parameter.name.clone(),
        y_label: report.objective_label().into(),
        log_x: parameter.numeric().is_some_and(|axis| axis.log),
        log_y: is_wide(measured.iter().map(|(_, objective)| *objective)),
        x_names: parameter.names(),
        series,
        palette: report.palette.clone(),
    }
}

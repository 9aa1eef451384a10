//! Objective over each parameter.

use thrifty_figures::{LinePlot, Series, panels_with_legend};

use super::is_wide;
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
    let trials = measured.iter().filter_map(point).collect();
    let best = measured.iter().filter(|(trial, _)| Some(trial.id) == best).filter_map(point).collect();
    LinePlot {
        title: parameter.name.clone(),
        x_label: parameter.name.clone(),
        y_label: report.objective_label().into(),
        log_x: parameter.numeric().is_some_and(|axis| axis.log),
        log_y: is_wide(measured.iter().map(|(_, objective)| *objective)),
        x_names: parameter.names(),
        series: vec![Series::dots("trials", trials), Series::dots("best trial", best)],
        palette: report.palette.clone(),
    }
}

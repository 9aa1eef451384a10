//! A line per trial over all parameters.

use thrifty_figures::{ParallelCoordinates, ParallelLine};
use thrifty_study::Direction;

use super::is_wide;
use crate::Unfit;
use crate::parameter::ParameterAxis;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless("parameters", report.parameters.len(), 2)?;
    let measured = report.values();
    Unfit::unless("measured trials", measured.len(), 2)?;
    // Shades of a wide range would all be one shade.
    let log = is_wide(measured.iter().map(|(_, objective)| *objective));
    let value = |objective: f64| if log { objective.log10() } else { objective };
    let line = |(trial, objective): &(&thrifty_study::Trial<thrifty_space::Config>, f64)| ParallelLine {
        places: report.places(&trial.query),
        value: value(*objective),
    };
    let label = report.objective_label();
    let figure = ParallelCoordinates {
        title: "trials over all parameters".into(),
        value_label: if log { format!("log10 of {label}") } else { label.into() },
        axes: report.parameters.iter().map(ParameterAxis::parallel).collect(),
        lines: measured.iter().map(line).collect(),
        larger_is_better: report.history.directions().first() == Direction::Maximize,
    };
    Ok(figure.draw()?)
}

//! Gaussian process over the parameters.

use thrifty_domain::{Spacing, VariableKind};
use thrifty_figures::{Axis, LinePlot, Observations, panels, posterior_band, posterior_maps};

use crate::Unfit;
use crate::report::Report;

/// Mean and band along each numeric parameter through the best trial.
pub(crate) fn slices(report: &Report<'_>) -> Result<String, Unfit> {
    let gp = report.gp()?;
    let columns: Vec<(usize, Axis)> =
        report.numeric().into_iter().filter_map(|at| column(report, at)).collect();
    Unfit::unless("numeric parameters", columns.len(), 1)?;
    let best = gp.best()?;
    let slice = |(column, axis): &(usize, Axis)| LinePlot {
        y_label: report.objective_label().into(),
        palette: report.palette.clone(),
        ..posterior_band(&gp.posterior, *column, best, axis, None)
    };
    Ok(panels(&columns.iter().map(slice).collect::<Vec<_>>())?)
}

/// Mean and standard deviation over the two most important numeric parameters.
pub(crate) fn map(report: &Report<'_>) -> Result<String, Unfit> {
    let gp = report.gp()?;
    let columns: Vec<(usize, Axis)> =
        report.numeric().into_iter().filter_map(|at| column(report, at)).collect();
    let [(first, x), (second, y), ..] = &columns[..] else {
        return Err(Unfit::TooFew { what: "numeric parameters", found: columns.len(), needed: 2 });
    };
    let seen = Observations { x: gp.x.as_ref(), y: &gp.y };
    Ok(posterior_maps(&gp.posterior, (*first, *second), gp.best()?, (x, y), Some(seen))?)
}

/// The column of a numeric parameter in the unit cube and its axis there: values on a grid stand in the middle of their cells.
fn column(report: &Report<'_>, at: usize) -> Option<(usize, Axis)> {
    let axis = report.parameters.get(at)?.numeric()?;
    let domain = report.space.domain();
    let half = match domain.variables().get(at)?.kind {
        VariableKind::Continuous => 0.0,
        VariableKind::Stepped { count, spacing: Spacing::Linear } if count > 1 => {
            0.5 * (axis.high - axis.low) / (count - 1) as f64
        }
        VariableKind::Stepped { count, spacing: Spacing::Log { first } } if count > 1 && first > 0.0 => {
            0.5 * axis.low / first
        }
        _ => return None,
    };
    let axis = Axis { low: axis.low - half, high: axis.high + half, ..axis.clone() };
    Some((domain.columns(at).start, axis))
}

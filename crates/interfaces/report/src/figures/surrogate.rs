//! Gaussian process over the parameters.

use thrifty_figures::{Axis, LinePlot, Observations, panels, posterior_band, posterior_maps};
use thrifty_space::Kind;

use crate::Unfit;
use crate::report::Report;

/// Mean and band along each numeric parameter through the best trial.
pub(crate) fn slices(report: &Report<'_>) -> Result<String, Unfit> {
    let gp = report.gp()?;
    let best = gp.best()?;
    let columns = columns(report);
    Unfit::unless("numeric parameters", columns.len(), 1)?;
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
    let best = gp.best()?;
    let columns = columns(report);
    let [(first, x), (second, y), ..] = &columns[..] else {
        return Err(Unfit::TooFew { what: "numeric parameters", found: columns.len(), needed: 2 });
    };
    let seen = Observations { x: gp.x.as_ref(), y: &gp.y };
    Ok(posterior_maps(&gp.posterior, (*first, *second), best, (x, y), Some(seen))?)
}

/// Columns and axes of the numeric parameters that are active in the best trial, the most important first: along another one nothing changes.
fn columns(report: &Report<'_>) -> Vec<(usize, Axis)> {
    let best = report.history.best().map(|(trial, _)| &trial.query);
    let is_active = |at: &usize| best.is_some_and(|best| best.get(&report.parameters[*at].name).is_some());
    report.numeric().into_iter().filter(is_active).filter_map(|at| column(report, at)).collect()
}

/// The column of a numeric parameter in the unit cube and its axis there: values on a grid stand in the middle of their cells.
fn column(report: &Report<'_>, at: usize) -> Option<(usize, Axis)> {
    let axis = report.parameters.get(at)?.numeric()?;
    let step = match report.space.parameters().get(at)?.kind {
        Kind::StepFloat { step, .. } => step,
        Kind::Int { step, .. } => step as f64,
        _ => 0.0,
    };
    let axis = Axis { low: axis.low - 0.5 * step, high: axis.high + 0.5 * step, ..axis.clone() };
    Some((report.space.domain().columns(at).start, axis))
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_space::{Config, Space, Value};
    use thrifty_study::History;

    use super::*;

    /// Values of a grid at their own places on the axis, also where the upper bound is not on the grid.
    #[test]
    fn values_of_a_grid_are_at_their_places() {
        let space = Space::builder()
            .step_float("a", 0.0, 1.0, 0.3)
            .step_float("b", 0.0, 0.9, 0.3)
            .step_int("c", 1, 10, 4)
            .log_int("d", 2, 9)
            .float("e", 1.0, 5.0)
            .build()
            .unwrap();
        let history = History::<Config>::new(Seed(1));
        let report = Report::new(&history, Some(&space)).unwrap();
        let floats = |values: &[f64]| values.iter().map(|value| Value::Float(*value)).collect();
        let ints = |values: &[i64]| values.iter().map(|value| Value::Int(*value)).collect();
        let expected: [Vec<Value>; 5] = [
            floats(&[0.0, 0.3, 0.6, 0.9]),
            floats(&[0.0, 0.3, 0.6, 0.9]),
            ints(&[1, 5, 9]),
            ints(&[2, 3, 4, 5, 6, 7, 8, 9]),
            floats(&[1.0, 2.5, 5.0]),
        ];
        for (at, values) in expected.into_iter().enumerate() {
            let (column, axis) = column(&report, at).unwrap();
            for value in values {
                let mut config = space.decode(&vec![0.5; space.dim()]);
                config.insert(space.parameters()[at].name.clone(), value.clone());
                let place = space.encode(&config).unwrap()[column];
                let number = value.number().expect("a number");
                assert!((axis.value(place) - number).abs() < 1e-9, "{}: {number}", axis.label);
            }
        }
    }
}

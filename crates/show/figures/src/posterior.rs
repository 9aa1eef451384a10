//! Figures of posteriors.

use thrifty_domain::{Points, PointsRef};
use thrifty_surrogate::Posterior;

use crate::{Axis, Contours, FigureError, LinePlot, Series};

/// Points of a curve.
const STEPS: usize = 201;

/// Observations: points of the unit cube and their targets.
#[derive(Debug, Clone, Copy)]
pub struct Observations<'a> {
    /// The points.
    pub x: PointsRef<'a>,
    /// Their targets.
    pub y: &'a [f64],
}

/// Mean and 95 % band of the latent function along one axis through a point of the unit cube, the other coordinates
/// held; in one dimension with the observations.
///
/// # Panics
/// When the point is not of the posterior's dimension, or has no such column.
#[must_use]
pub fn posterior_band(
    posterior: &dyn Posterior,
    column: usize,
    through: &[f64],
    axis: &Axis,
    observations: Option<Observations<'_>>,
) -> LinePlot {
    let at = |i: usize| i as f64 / (STEPS - 1) as f64;
    let mut points = Points::new(through.len());
    for i in 0..STEPS {
        let mut point = through.to_vec();
        point[column] = at(i);
        points.push(&point);
    }
    let (mut mean, mut variance) = (vec![0.0; STEPS], vec![0.0; STEPS]);
    posterior.predict_into(points.as_ref(), &mut mean, &mut variance);
    let reach = |i: usize| 1.96 * variance[i].sqrt();
    let curve = Series {
        band: (0..STEPS).map(|i| (axis.value(at(i)), mean[i] - reach(i), mean[i] + reach(i))).collect(),
        ..Series::line("mean, 95 % band", (0..STEPS).map(|i| (axis.value(at(i)), mean[i])).collect())
    };
    let mut series = vec![curve];
    if let Some(Observations { x, y }) = observations.filter(|_| through.len() == 1) {
        let dots = x.rows().zip(y).map(|(x, y)| (axis.value(x[0]), *y)).collect();
        series.push(Series::dots("observations", dots));
    }
    LinePlot {
        title: format!("posterior along {}", axis.label),
        x_label: axis.label.clone(),
        y_label: "value".into(),
        log_x: axis.log,
        series,
        ..LinePlot::default()
    }
}

/// [`posterior_band`] along every axis through one point.
///
/// # Panics
/// When the number of axes differs from the number of dimensions.
#[must_use]
pub fn slices(posterior: &dyn Posterior, through: &[f64], axes: &[Axis]) -> Vec<LinePlot> {
    assert!(through.len() == posterior.dim() && axes.len() == through.len(), "one axis a dimension");
    axes.iter().enumerate().map(|(d, axis)| posterior_band(posterior, d, through, axis, None)).collect()
}

/// Maps of mean and standard deviation over two columns of the unit cube, the other coordinates held, with the observations.
///
/// # Errors
/// [`FigureError`] when the drawing library fails.
///
/// # Panics
/// When the point is not of the posterior's dimension, or has no such columns.
pub fn posterior_maps(
    posterior: &dyn Posterior,
    columns: (usize, usize),
    through: &[f64],
    axes: (&Axis, &Axis),
    observations: Option<Observations<'_>>,
) -> Result<String, FigureError> {
    let side = 60;
    let at = |i: usize| i as f64 / (side - 1) as f64;
    let mut points = Points::new(through.len());
    for j in 0..side {
        for i in 0..side {
            let mut point = through.to_vec();
            (point[columns.0], point[columns.1]) = (at(i), at(j));
            points.push(&point);
        }
    }
    let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    posterior.predict_into(points.as_ref(), &mut mean, &mut variance);
    let dots: Vec<(f64, f64)> =
        observations.map_or(Vec::new(), |seen| seen.x.rows().map(|x| (x[columns.0], x[columns.1])).collect());
    let map = |title: &str, values: Vec<f64>| Contours {
        title: title.into(),
        axes: (axes.0.clone(), axes.1.clone()),
        side,
        values,
        levels: 10,
        isolines: Vec::new(),
        dots: dots.clone(),
    };
    let std_dev = variance.iter().map(|v| v.sqrt()).collect();
    Contours::side_by_side(&[map("posterior mean", mean), map("posterior standard deviation", std_dev)])
}

//! Pareto fronts of many points: volumes, ranks, expected improvements. Points travel as bytes of doubles.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use thrifty::domain::Points;
use thrifty::pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, crowding_distance, non_dominated,
    non_dominated_ranks,
};

use crate::boundary::{guarded, invalid};

/// Doubles of native bytes.
pub(crate) fn floats(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(invalid("not a whole number of doubles"));
    }
    Ok(numbers.iter().map(|one| f64::from_ne_bytes(*one)).collect())
}

/// Native bytes of doubles.
pub(crate) fn bytes<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyBytes> {
    let all: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    PyBytes::new(py, &all)
}

/// Points of so many columns.
pub(crate) fn points(values: &[u8], columns: usize) -> PyResult<Points> {
    let values = floats(values)?;
    if columns == 0 || !values.len().is_multiple_of(columns) {
        return Err(invalid(format!("{} numbers are no rows of {columns}", values.len())));
    }
    Ok(Points::from_flat(values, columns))
}

/// Hypervolume that points dominate up to a reference point.
#[pyfunction]
pub(crate) fn hypervolume(py: Python<'_>, values: &[u8], reference: Vec<f64>) -> PyResult<f64> {
    let points = points(values, reference.len())?;
    guarded(py, || Hypervolume::new(&reference).and_then(|h| h.exact(points.as_ref())).map_err(invalid))
}

/// Volume that each point alone dominates.
#[pyfunction]
pub(crate) fn contributions(py: Python<'_>, values: &[u8], reference: Vec<f64>) -> PyResult<Vec<f64>> {
    let points = points(values, reference.len())?;
    guarded(py, || {
        Hypervolume::new(&reference).and_then(|h| h.contributions(points.as_ref())).map_err(invalid)
    })
}

/// Rank of each point, 0 on the front.
#[pyfunction]
pub(crate) fn ranks(py: Python<'_>, values: &[u8], columns: usize) -> PyResult<Vec<usize>> {
    let points = points(values, columns)?;
    guarded(py, || non_dominated_ranks(points.as_ref()).map_err(invalid))
}

/// Indices of the points that no other dominates; of equal points all, or the first.
#[pyfunction]
pub(crate) fn front(py: Python<'_>, values: &[u8], columns: usize, unique: bool) -> PyResult<Vec<usize>> {
    let points = points(values, columns)?;
    let duplicates = if unique { Duplicates::First } else { Duplicates::Keep };
    guarded(py, || non_dominated(points.as_ref(), duplicates).map_err(invalid))
}

/// Crowding distance of each point of a front.
#[pyfunction]
pub(crate) fn crowding(py: Python<'_>, values: &[u8], columns: usize) -> PyResult<Vec<f64>> {
    let points = points(values, columns)?;
    guarded(py, || crowding_distance(points.as_ref()).map_err(invalid))
}

/// Logarithm of the expected hypervolume improvement of independent normal objectives at each row.
#[pyfunction]
pub(crate) fn log_expected_improvement(
    py: Python<'_>,
    values: &[u8],
    reference: Vec<f64>,
    means: &[u8],
    std_devs: &[u8],
) -> PyResult<Vec<f64>> {
    let columns = reference.len();
    let (front, means, std_devs) =
        (points(values, columns)?, points(means, columns)?, points(std_devs, columns)?);
    if means.len() != std_devs.len() {
        let (found, expected) = (std_devs.len(), means.len());
        return Err(invalid(format!("{found} rows of standard deviations for {expected} of means")));
    }
    guarded(py, || {
        let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), &reference).map_err(invalid)?;
        let rows = means.rows().zip(std_devs.rows());
        rows.map(|(mean, std_dev)| improvement.log_value(mean, std_dev).map_err(invalid)).collect()
    })
}

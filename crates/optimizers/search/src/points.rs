//! Points of the unit cube for the trials of a history.

use thrifty_domain::Points;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Trial};

/// The queries of trials in the unit cube, one row per trial.
///
/// # Errors
/// [`OptimizerError`] names a trial whose query is not of the space.
pub fn points_of<'t>(
    space: &Space,
    trials: impl IntoIterator<Item = &'t Trial<Config>>,
) -> Result<Points, OptimizerError> {
    let mut points = Points::new(space.dim());
    for trial in trials {
        let point = space
            .encode(&trial.query)
            .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
        points.push(&point);
    }
    Ok(points)
}

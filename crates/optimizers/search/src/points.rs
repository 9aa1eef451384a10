//! Points of the unit cube for the trials of a history.

use thrifty_domain::Points;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Outcome, Trial};

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

/// The queries that must not be asked again: those of all trials, except failures that are unrelated to the query
/// ([`Outcome::unrelated`](thrifty_study::Outcome::unrelated)).
///
/// # Errors
/// As [`points_of`].
pub fn asked_points<'t>(
    space: &Space,
    trials: impl IntoIterator<Item = &'t Trial<Config>>,
) -> Result<Points, OptimizerError> {
    points_of(space, trials.into_iter().filter(|trial| is_asked(trial)))
}

/// True unless a trial failed for a reason that is unrelated to its query; such a query may be asked again.
#[must_use]
pub fn is_asked<Q>(trial: &Trial<Q>) -> bool {
    !trial.outcome.as_ref().is_some_and(Outcome::is_unrelated)
}

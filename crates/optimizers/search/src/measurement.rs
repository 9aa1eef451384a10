//! Measurements of trials and their shape.

use thrifty_check::counted;
use thrifty_space::Config;
use thrifty_study::{History, Measurement, OptimizerError, Outcome, Trial};

/// A measurement whose number of objectives or constraints differs from the first.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("the measurement has {}, expected {expected} as in trial {first}", counted(*found, what))]
pub struct MeasurementMismatch {
    /// Objectives or constraints.
    pub what: &'static str,
    /// Number found.
    pub found: usize,
    /// Number expected.
    pub expected: usize,
    /// The trial with the expected number.
    pub first: u64,
}

/// The measurement of a trial; `None` without a measurement or without an objective.
pub fn measurement(trial: &Trial<Config>) -> Option<&Measurement> {
    trial.outcome.as_ref().and_then(Outcome::measurement).filter(|measured| !measured.objectives.is_empty())
}

/// True for a trial that failed or was pruned, and so ended without a loss. False for a failure that is unrelated to the configuration:
/// models ignore it.
pub fn ended_without_loss(trial: &Trial<Config>) -> bool {
    let is_related = trial.outcome.as_ref().is_some_and(|outcome| !outcome.is_unrelated());
    is_related && measurement(trial).is_none()
}

/// Numbers of objectives and constraints, equal in all measurements; `None` without a measurement.
///
/// # Errors
/// As [`same_shape`].
pub fn shape(history: &History<Config>) -> Result<Option<(usize, usize)>, OptimizerError> {
    same_shape(history.trials())
}

/// Numbers of objectives and constraints in some trials.
///
/// # Errors
/// [`OptimizerError`] names the first trial that differs from those before: [`MeasurementMismatch`].
pub fn same_shape<'t>(
    trials: impl IntoIterator<Item = &'t Trial<Config>>,
) -> Result<Option<(usize, usize)>, OptimizerError> {
    let mut first: Option<(u64, usize, usize)> = None;
    for trial in trials {
        let Some(Measurement { objectives, constraints, .. }) = measurement(trial) else { continue };
        let (of, m, c) = *first.get_or_insert((trial.id.0, objectives.len(), constraints.len()));
        for (what, found, expected) in
            [("objectives", objectives.len(), m), ("constraints", constraints.len(), c)]
        {
            if found != expected {
                let error = MeasurementMismatch { what, found, expected, first: of };
                return Err(OptimizerError::failed(format!("reading trial {}", trial.id.0), error));
            }
        }
    }
    Ok(first.map(|(_, m, c)| (m, c)))
}

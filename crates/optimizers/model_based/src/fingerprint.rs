//! Fingerprints of surrogates and acquisition functions.

use thrifty_acquisition::AcquisitionFactory;
use thrifty_study::{Fingerprint, OptimizerError};
use thrifty_surrogate::Surrogate;

/// The fingerprint of a surrogate: its name and settings.
///
/// # Errors
/// [`OptimizerError`] when the settings cannot be written.
pub fn surrogate_fingerprint(surrogate: &dyn Surrogate) -> Result<Fingerprint, OptimizerError> {
    let described = surrogate
        .describe()
        .map_err(|error| OptimizerError::failed("writing the fingerprint of the surrogate", error))?;
    Fingerprint::new(described.name).with("model", &described.settings)
}

/// Adds a user-defined acquisition function to a fingerprint.
///
/// # Errors
/// [`OptimizerError`] when its settings cannot be written.
pub fn acquisition_fingerprint(
    fingerprint: Fingerprint,
    acquisition: &dyn AcquisitionFactory,
) -> Result<Fingerprint, OptimizerError> {
    let described = acquisition
        .describe()
        .map_err(|error| OptimizerError::failed("writing the fingerprint of the acquisition", error))?;
    fingerprint.with("acquisition", &(described.name, described.settings))
}

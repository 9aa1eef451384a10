//! Fingerprints of optimisers over configurations.

use serde::Serialize;
use thrifty_acquisition::AcquisitionFactory;
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{Fingerprint, OptimizerError};
use thrifty_surrogate::Surrogate;

/// The fingerprint of a method with settings, a seed and a space.
///
/// # Errors
/// [`OptimizerError`] names the part that cannot be written.
pub fn fingerprint(
    method: &str,
    settings: &impl Serialize,
    seed: Seed,
    space: &Space,
) -> Result<Fingerprint, OptimizerError> {
    Fingerprint::new(method).with("settings", settings)?.with("seed", &seed)?.with("space", space)
}

/// The fingerprint of an optimiser whose initial design was another in format 1.
#[must_use]
pub fn design_changed(fingerprint: Fingerprint) -> Fingerprint {
    fingerprint.changed_since_format_one(
        "settings.initial",
        "as many trials as the encoded space has columns, whatever came of them",
        "as many measurements as the space has parameters",
    )
}

/// The text by which a journal of format 1 knew a method without settings.
///
/// # Errors
/// [`OptimizerError`] when the space cannot be written.
pub(crate) fn format_one(method: &str, seed: Seed, space: &Space) -> Result<String, OptimizerError> {
    let hash = space
        .fingerprint()
        .map_err(|error| OptimizerError::failed("writing the fingerprint of space", error))?;
    Ok(format!("{method} null seed {} space {hash}", seed.0))
}

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

/// A fingerprint with an acquisition function of one's own.
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

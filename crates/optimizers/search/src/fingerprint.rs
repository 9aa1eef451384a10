//! Fingerprints of optimisers over configurations.

use serde::Serialize;
use thrifty_space::Space;
use thrifty_study::{Fingerprint, OptimizerError};

/// The fingerprint of a method with settings and a space.
///
/// # Errors
/// [`OptimizerError`] names the part that cannot be written.
pub fn fingerprint(
    method: &str,
    settings: &impl Serialize,
    space: &Space,
) -> Result<Fingerprint, OptimizerError> {
    Fingerprint::new(method).with("settings", settings)?.with("space", space)
}

/// Marks the fingerprint of an optimiser whose initial design differed in format 1.
#[must_use]
pub fn design_changed(fingerprint: Fingerprint) -> Fingerprint {
    fingerprint.changed_since_format_one(
        "settings.initial",
        "as many trials as the encoded space has columns, whatever came of them",
        "as many measurements as the space has parameters",
    )
}

/// The text by which a journal of format 1 identifies a method without settings; `{seed}` stands for the seed.
///
/// # Errors
/// [`OptimizerError`] when the space cannot be written.
pub(crate) fn format_one(method: &str, space: &Space) -> Result<String, OptimizerError> {
    let hash = space
        .fingerprint()
        .map_err(|error| OptimizerError::failed("writing the fingerprint of space", error))?;
    Ok(format!("{method} null seed {{seed}} space {hash}"))
}

//! The form of stationary kernels in files.

use thrifty_params::Transform;

use super::learnt_profile::LearntProfile;
use crate::hyperparameters::Hyperparameters;
use crate::{KernelError, Stationary, StationaryProfile};

/// A stationary kernel in a file. The profile's name keeps a kernel from being read back as another one.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Stored {
    lengthscales: Hyperparameters,
    profile: Option<String>,
    /// Parameters of the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shape: Vec<Hyperparameters>,
    /// The parameter of a rational-quadratic kernel in earlier files, which held no profile.
    #[serde(default, skip_serializing)]
    alpha: Option<Hyperparameters>,
}

impl<R: StationaryProfile> From<Stationary<R>> for Stored {
    fn from(kernel: Stationary<R>) -> Self {
        let (lengthscales, shape) = (kernel.lengthscales, kernel.profile.params);
        Self { lengthscales, profile: Some(R::NAME.into()), shape, alpha: None }
    }
}

impl<R: StationaryProfile> TryFrom<Stored> for Stationary<R> {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let (found, shape) = match (stored.profile, stored.alpha) {
            (None, Some(alpha)) => ("rational_quadratic".into(), vec![alpha]),
            (Some(name), None) => (name, stored.shape),
            _ => return Err("expected a kernel with a profile".into()),
        };
        let (expected, count) = (R::NAME, R::PARAMS.len());
        if found != expected {
            return Err(format!("kernel is {found}, expected {expected}"));
        }
        if shape.len() != count {
            return Err(format!(
                "kernel {expected} has {} profile parameters, expected {count}",
                shape.len()
            ));
        }
        if let Some(found) = shape.iter().map(|own| own.values().len()).find(|count| *count != 1) {
            return Err(format!("kernel {expected} has {found} values of a profile parameter, expected 1"));
        }
        if stored.lengthscales.values().is_empty() {
            return Err(KernelError::NoLengthscales.to_string());
        }
        let lengthscales = stored.lengthscales.require_learnt(Transform::Log, "expected learnt lengthscales");
        let own = |own: &Hyperparameters| own.require_own(Transform::Log, "expected a learnt parameter");
        lengthscales.and_then(|()| shape.iter().try_for_each(own)).map_err(|error| error.to_string())?;
        Ok(Self { lengthscales: stored.lengthscales, profile: LearntProfile::of(shape) })
    }
}

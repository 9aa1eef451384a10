//! Settings as users write them: conversion of those that are losses from the user's units, and errors in words.
//!
#![doc = include_str!("../README.md")]

use thrifty_bo::{BoSettings, FailurePolicy, MultiObjectiveSettings};
use thrifty_cmaes::CmaEsSettings;
use thrifty_fidelity::MultiFidelitySettings;
use thrifty_study::{Direction, Directions};
use thrifty_tpe::{Split, TpeSettings};
use thrifty_trust_region::TrustRegionSettings;

mod words;

pub use words::in_words;

/// A setting whose value has no meaning in the user's units.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {value}, expected {expected}")]
pub struct UnitsError {
    /// Name of the setting.
    pub setting: &'static str,
    /// Its value.
    pub value: String,
    /// The values that are allowed.
    pub expected: &'static str,
}

/// Settings of a method, some of which may be losses.
pub trait InUserUnits: Sized {
    /// The settings with losses, from those with values in the user's units.
    ///
    /// # Errors
    /// [`UnitsError`] for a value that is no loss in any direction.
    fn into_losses(self, directions: &Directions) -> Result<Self, UnitsError>;
}

fn invalid<T>(setting: &'static str, value: String, expected: &'static str) -> Result<T, UnitsError> {
    Err(UnitsError { setting, value, expected })
}

/// The value of failed trials as a loss.
fn failures(policy: FailurePolicy, direction: Direction) -> FailurePolicy {
    match policy {
        FailurePolicy::AsValue(value) => FailurePolicy::AsValue(direction.flip(value)),
        other => other,
    }
}

impl InUserUnits for BoSettings {
    fn into_losses(mut self, directions: &Directions) -> Result<Self, UnitsError> {
        let direction = directions.first();
        self.failures = failures(self.failures, direction);
        if let Some(target) = self.rule.fixed_target_mut() {
            *target = direction.flip(*target);
        }
        Ok(self)
    }
}

impl InUserUnits for MultiObjectiveSettings {
    fn into_losses(mut self, directions: &Directions) -> Result<Self, UnitsError> {
        let differ = directions.as_slice().iter().any(|direction| *direction != directions.first());
        if let (FailurePolicy::AsValue(value), true) = (self.failures, differ) {
            let expected = "a policy without a value, because the value is for every objective and their directions differ";
            return invalid("failures", value.to_string(), expected);
        }
        let (reference, expected) =
            (self.reference.as_deref().unwrap_or_default(), directions.as_slice().len());
        if !reference.is_empty() && expected > 0 && reference.len() != expected {
            return invalid("reference", format!("{reference:?}"), "one number per direction");
        }
        self.failures = failures(self.failures, directions.first());
        self.reference = self.reference.map(|reference| directions.flip(&reference));
        Ok(self)
    }
}

impl InUserUnits for MultiFidelitySettings {
    fn into_losses(mut self, directions: &Directions) -> Result<Self, UnitsError> {
        self.failures = failures(self.failures, directions.first());
        Ok(self)
    }
}

impl InUserUnits for TrustRegionSettings {
    fn into_losses(mut self, directions: &Directions) -> Result<Self, UnitsError> {
        self.failures = failures(self.failures, directions.first());
        Ok(self)
    }
}

impl InUserUnits for TpeSettings {
    fn into_losses(mut self, directions: &Directions) -> Result<Self, UnitsError> {
        if let (Split::Target { loss }, true) = (self.split, directions.as_slice().len() > 1) {
            return invalid(
                "split",
                format!("a target of {loss}"),
                "another split, as there are several objectives",
            );
        }
        if let Split::Target { loss } = &mut self.split {
            *loss = directions.first().flip(*loss);
        }
        Ok(self)
    }
}

impl InUserUnits for CmaEsSettings {
    /// Shares and counts alone: none is a loss.
    fn into_losses(self, _: &Directions) -> Result<Self, UnitsError> {
        Ok(self)
    }
}

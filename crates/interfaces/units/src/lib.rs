//! Settings as users write them: tables with names, conversion of those that are losses from the user's units, and errors that name a setting in words.
//!
#![doc = include_str!("../README.md")]

use thrifty_autobct::{AutoBctSettings, Scale};
use thrifty_bo::{BoSettings, FailurePolicy, MultiObjectiveSettings};
use thrifty_cmaes::CmaEsSettings;
use thrifty_fidelity::MultiFidelitySettings;
use thrifty_study::{Direction, Directions};
use thrifty_tpe::{Split, TpeSettings};
use thrifty_trust_region::TrustRegionSettings;

mod fault;
mod tables;
mod words;

pub use fault::at_fault;
pub use tables::from_tables;
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

impl InUserUnits for AutoBctSettings {
    /// The bad and the good score are in the user's units. The identity is the scale from 0 to 1: its objective is maximised.
    fn into_losses(mut self, directions: &Directions) -> Result<Self, UnitsError> {
        let direction = directions.first();
        let (zero, one) = match self.score {
            Scale::Identity => (0.0, 1.0),
            Scale::Affine { zero, one } | Scale::Logarithmic { zero, one } => (zero, one),
        };
        if direction.flip(zero) < direction.flip(one) {
            let expected = match direction {
                Direction::Minimize => "the good value below the bad one, as the objective is minimized",
                Direction::Maximize => "the good value above the bad one, as the objective is maximized",
            };
            return invalid("score", format!("a scale from {zero} (bad) to {one} (good)"), expected);
        }
        if direction == Direction::Maximize {
            if matches!(self.score, Scale::Logarithmic { .. }) {
                let expected = "another scale, as the objective is maximized: its losses have no logarithm";
                return invalid("score", "logarithmic".into(), expected);
            }
            self.score = Scale::Affine { zero: direction.flip(zero), one: direction.flip(one) };
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(score: Scale, direction: Direction) -> Result<Scale, String> {
        let settings = AutoBctSettings { score, ..AutoBctSettings::default() };
        let found = settings.into_losses(&Directions::new(vec![direction]));
        found.map(|settings| settings.score).map_err(|error| error.to_string())
    }

    /// The scale of losses has the good value of the user at 1, and a scale against the direction is refused.
    #[test]
    fn scores_have_the_direction_of_the_study() {
        use Direction::{Maximize, Minimize};
        let affine = |zero, one| Scale::Affine { zero, one };
        assert_eq!(losses(affine(0.5, 0.9), Maximize), Ok(affine(-0.5, -0.9)));
        assert_eq!(losses(Scale::Identity, Maximize), Ok(affine(0.0, -1.0)));
        assert_eq!(losses(affine(0.9, 0.5), Minimize), Ok(affine(0.9, 0.5)));
        let logarithmic = |zero, one| Scale::Logarithmic { zero, one };
        assert_eq!(losses(logarithmic(0.9, 0.5), Minimize), Ok(logarithmic(0.9, 0.5)));
        let expected = "score is a scale from 0.9 (bad) to 0.5 (good), expected the good value above the bad one, as the \
                        objective is maximized";
        assert_eq!(losses(affine(0.9, 0.5), Maximize), Err(expected.into()));
        for refused in [affine(0.5, 0.9), Scale::Identity, logarithmic(0.5, 0.9)] {
            assert!(losses(refused, Minimize).unwrap_err().ends_with("as the objective is minimized"));
        }
        assert!(losses(logarithmic(0.5, 0.9), Maximize).unwrap_err().contains("logarithm"));
    }
}

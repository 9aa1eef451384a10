//! Settings of learnt value functions.

use thrifty_check::InputError;
use thrifty_sampling::Seed;
use thrifty_trees::{BoostingSettings, ForestSettings};

use crate::{AutoBctError, Expectation, Quadrature};

/// Settings of a value function that is learnt from samples of states.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapSettings {
    /// N: trainings at most.
    pub depth: usize,
    /// Baseline: the difference from it is learnt.
    pub baseline: Baseline,
    /// Features of a state for the trees.
    pub features: Features,
    /// Over the outcomes of a training. Sampled with its seed for the first belief, and ones that follow from it for the others.
    pub expectation: Expectation,
    /// Smooth values over the controls, at most 3000, before the best is taken: what samples need and quadrature does not.
    pub smooth: bool,
    /// Regressor.
    pub regressor: Regressor,
    /// Bins that a feature is cut into.
    pub bins: usize,
    /// Never below the baseline, because the value never decreases with the horizon.
    pub clip: bool,
    /// Seed of the regressor's draws.
    pub seed: Seed,
}

/// Baseline of a learnt value function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// Nothing: V₁ is learnt as well, as in the paper.
    Nothing,
    /// V₁.
    OneStep,
    /// V₂, exactly.
    TwoSteps,
}

impl Baseline {
    /// Trainings that are exact.
    pub(crate) fn depth(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::OneStep => 1,
            Self::TwoSteps => 2,
        }
    }
}

/// Features of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Features {
    /// Means and lower triangles of covariances, as in the paper: J + J (J + 1) / 2 numbers for score and cost each.
    Raw,
    /// At this number of controls: the worth of one training below the best of these, the standard deviation of the score, mean and standard deviation
    /// of the cost; and by how much the baseline exceeds that best. The same for scores that are everywhere larger.
    Shape(usize),
}

/// Regressor of values on states.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Regressor {
    /// A random forest, as in the paper.
    Forest(ForestSettings),
    /// Boosted trees.
    Boosting(BoostingSettings),
}

impl MapSettings {
    /// The published method (`cironis2022`): a forest on states as they are, of the best of smoothed means of samples.
    #[must_use]
    pub fn paper(depth: usize, samples: usize, seed: Seed) -> Self {
        Self {
            depth,
            baseline: Baseline::Nothing,
            features: Features::Raw,
            expectation: Expectation::Sampled { samples, seed },
            smooth: true,
            regressor: Regressor::Forest(ForestSettings::default()),
            bins: 256,
            clip: false,
            seed,
        }
    }

    /// An accurate value function: boosted trees from quadrature for the gain of more than two trainings over the exact value.
    #[must_use]
    pub fn accurate(depth: usize) -> Self {
        Self {
            depth,
            baseline: Baseline::TwoSteps,
            features: Features::Shape(9),
            expectation: Expectation::Interpolated { of_score: 11, of_cost: Quadrature::Hermite(3) },
            smooth: false,
            regressor: Regressor::Boosting(BoostingSettings::default()),
            bins: 256,
            clip: true,
            seed: Seed(0),
        }
    }

    pub(crate) fn validate(&self) -> Result<(), AutoBctError> {
        if self.depth == 0 {
            return Err(
                InputError::Number { name: "depth of a map", value: 0.0, expected: "at least 1" }.into()
            );
        }
        if self.features == Features::Shape(0) {
            let what = "controls that a map looks at";
            return Err(InputError::Number { name: what, value: 0.0, expected: "at least 1" }.into());
        }
        Ok(())
    }
}

//! Settings of hybrid optimisation.

use thrifty_acquisition::AcquisitionFactory;
use thrifty_model_based::Modelled;
use thrifty_study::{OptimizerError, TrialId};

use crate::{Anticipation, ConvergenceMeasure};

/// Rate of exploration.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Exploration {
    /// Never: Algorithm 1.
    Never,
    /// Exploration with probability `rate`: Algorithm 2. The published threshold is lost; 0.1 is our reading of "a small
    /// fraction of the time".
    FixedRate {
        /// τ in [0, 1].
        rate: f64,
    },
    /// Exploration with probability `max(floor, basis · PI)`, where PI is the probability of improvement at the point to explore. This is
    /// Algorithm 3, whose basis "may equal unity". The floor is our addition: PI comes from the same posterior whose overconfidence
    /// exploration should correct.
    PiScaled {
        /// τ₀ in [0, 1].
        basis: f64,
        /// Smallest probability, 0 in the published algorithm.
        floor: f64,
    },
    /// The smallest posterior mean; with probability `epsilon` a uniform point instead. Source: De Ath et al. (2021), ε-RS.
    EpsRandom {
        /// ε in [0, 1].
        epsilon: f64,
    },
    /// The smallest posterior mean; with probability `epsilon` a point of the Pareto front of mean and standard deviation instead. Source:
    /// De Ath et al. (2021), ε-PF.
    EpsPareto {
        /// ε in [0, 1].
        epsilon: f64,
    },
    /// Exploration only after an exploit turn has converged, as with [`OnConvergence::Force`]; never by coin flip.
    ForcedOnConvergence,
}

/// Point to explore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExplorePoint {
    /// The point of largest posterior standard deviation, as in the algorithms. In three or more dimensions this is a corner.
    #[default]
    #[serde(rename = "maximum_deviation", alias = "max_std_dev")]
    MaxStdDev,
    /// A uniform point.
    Uniform,
    /// A uniform choice from the Pareto front of small mean and large standard deviation among 1,000 points.
    Pareto,
}

/// Decision when an exploit turn expects too little: the largest expected improvement is below ε times the range of the losses. The
/// published hybrids do not define it. Three variants are readings of the text; the fourth ignores convergence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnConvergence {
    /// Exploit anyway.
    Ignore,
    /// Stop: the literal reading; Algorithm 1.
    Stop,
    /// Spend the turn and flip the coin again.
    Skip,
    /// Explore instead: the reading that reproduces the published figure every time.
    #[default]
    Force,
}

/// Settings of [`Hybrid`](crate::Hybrid).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HybridSettings {
    /// Rate of exploration.
    pub exploration: Exploration,
    /// Point to explore, by coin flip and when forced; the ε rules define their own.
    pub point: ExplorePoint,
    /// Decision after convergence.
    pub convergence: OnConvergence,
    /// ε of the convergence test, as a share of the range of the losses.
    pub epsilon: f64,
    /// Number of turns after the initial design, including skipped ones; then the study stops. `None` for no limit except the stop rules,
    /// with at most 1,000 skips before one evaluation.
    pub max_turns: Option<usize>,
    /// Acquisition function of an exploit turn; the ε rules use the posterior mean instead.
    #[serde(skip_serializing_if = "is_default")]
    pub anticipation: Anticipation,
    /// Quantity that is compared with `epsilon`.
    #[serde(skip_serializing_if = "is_default")]
    pub measure: ConvergenceMeasure,
}

/// True for a value that journals and fingerprints leave out: studies from before the setting existed used it.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for HybridSettings {
    /// Algorithm 2 with rate 0.1, exploration at the largest standard deviation, and forced exploration after convergence at ε = 1e-3.
    fn default() -> Self {
        Self {
            exploration: Exploration::FixedRate { rate: 0.1 },
            point: ExplorePoint::default(),
            convergence: OnConvergence::default(),
            epsilon: 1e-3,
            max_turns: None,
            anticipation: Anticipation::default(),
            measure: ConvergenceMeasure::default(),
        }
    }
}

impl HybridSettings {
    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        let share = |name: &str, value: f64| {
            if (0.0..=1.0).contains(&value) {
                Ok(())
            } else {
                let expected = "a number in [0, 1]".into();
                Err(OptimizerError::InvalidSetting { name: name.into(), value: value.to_string(), expected })
            }
        };
        share("epsilon of convergence", self.epsilon)?;
        match self.exploration {
            Exploration::Never | Exploration::ForcedOnConvergence => Ok(()),
            Exploration::FixedRate { rate } => share("rate", rate),
            Exploration::PiScaled { basis, floor } => share("basis", basis).and(share("floor", floor)),
            Exploration::EpsRandom { epsilon } | Exploration::EpsPareto { epsilon } => {
                share("epsilon", epsilon)
            }
        }
    }

    /// Anticipation equation of an exploit turn.
    pub(crate) fn exploited(&self) -> Anticipation {
        match self.exploration {
            Exploration::EpsRandom { .. } | Exploration::EpsPareto { .. } => Anticipation::Mean,
            _ => self.anticipation,
        }
    }

    /// Acquisition function that replaces the optimiser's own; `None` to keep it.
    pub(crate) fn acquisition(&self) -> Option<Box<dyn AcquisitionFactory>> {
        self.exploited().factory()
    }

    /// Rejects a turn with several objectives if a rule needs one, before the coin or convergence requires it.
    ///
    /// # Errors
    /// [`OptimizerError`] names the rule and the trial.
    pub(crate) fn check_turn<Q>(&self, turn: &dyn Modelled<Q>, id: TrialId) -> Result<(), OptimizerError> {
        let explores = self.exploration != Exploration::Never || self.convergence == OnConvergence::Force;
        let objectives = turn.posteriors().len();
        let rule = if self.acquisition().is_some() && !turn.takes_acquisition() {
            "exploiting by another acquisition function"
        } else if explores && self.explore_point() == ExplorePoint::Pareto && objectives > 1 {
            "the front of mean and standard deviation"
        } else {
            return Ok(());
        };
        let error = format!("{rule} needs an optimiser with one objective");
        Err(OptimizerError::failed(format!("suggesting trial {}", id.0), error))
    }

    /// Point that is explored by coin flip.
    pub(crate) fn explore_point(&self) -> ExplorePoint {
        match self.exploration {
            Exploration::EpsRandom { .. } => ExplorePoint::Uniform,
            Exploration::EpsPareto { .. } => ExplorePoint::Pareto,
            _ => self.point,
        }
    }
}

//! Settings of hybrid optimisation.

use thrifty_acquisition::AcquisitionFactory;
use thrifty_model_based::Modelled;
use thrifty_study::{OptimizerError, TrialId};

use crate::{Anticipation, ConvergenceMeasure};

/// Rate of exploration.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exploration {
    /// Never: Algorithm 1.
    Never,
    /// Exploration with probability `rate`: Algorithm 2. The published threshold is lost; 0.1 is our reading of "a small
    /// fraction of the time".
    FixedRate {
        /// τ in [0, 1].
        rate: f64,
    },
    /// Exploration with probability `max(floor, basis · PI)`, the probability of improvement at the point to explore:
    /// Algorithm 3, whose basis "may equal unity". The floor is ours: the improvement is judged by the posterior
    /// whose overconfidence causes the failure that exploration is to prevent.
    PiScaled {
        /// τ₀ in [0, 1].
        basis: f64,
        /// Smallest probability, 0 in the published algorithm.
        floor: f64,
    },
    /// The smallest posterior mean, and with probability `epsilon` a uniform point. Source: De Ath et al.
    /// (2021), ε-RS.
    EpsRandom {
        /// ε in [0, 1].
        epsilon: f64,
    },
    /// The smallest posterior mean, and with probability `epsilon` a point of the Pareto front of mean and
    /// standard deviation. Source: De Ath et al. (2021), ε-PF.
    EpsPareto {
        /// ε in [0, 1].
        epsilon: f64,
    },
    /// Exploration only when an exploit turn has converged, as [`OnConvergence::Force`] does; never by the coin flip.
    ForcedOnConvergence,
}

/// Point to explore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExplorePoint {
    /// The point of largest posterior standard deviation, as in the algorithms. In three dimensions and more that is a corner.
    #[default]
    #[serde(rename = "maximum_deviation", alias = "max_std_dev")]
    MaxStdDev,
    /// A uniform point.
    Uniform,
    /// A uniform choice among 1,000 points' Pareto front of small mean and large standard deviation.
    Pareto,
}

/// Decision when an exploit turn promises nothing: the largest expected improvement is below ε times the range
/// of the losses. The published hybrids do not define it; these are three readings, and to ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnConvergence {
    /// Exploit all the same.
    Ignore,
    /// Stop: the literal reading, and Algorithm 1.
    Stop,
    /// The turn is spent and the coin falls again.
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
    /// Point to explore, by the coin and when forced; the ε rules bring their own.
    pub point: ExplorePoint,
    /// Decision on convergence.
    pub convergence: OnConvergence,
    /// ε of convergence, a share of the range of the losses.
    pub epsilon: f64,
    /// Turns after the initial design, those that were skipped included; then stop. None: as many as the stop
    /// rules allow, of which at most 1,000 skips before one evaluation.
    pub max_turns: Option<usize>,
    /// Acquisition function of an exploit turn; the ε rules bring their own, the posterior mean.
    #[serde(skip_serializing_if = "is_default")]
    pub anticipation: Anticipation,
    /// Quantity that is compared with `epsilon`.
    #[serde(skip_serializing_if = "is_default")]
    pub measure: ConvergenceMeasure,
}

/// True for a value that journals and fingerprints leave out, because studies from before the setting existed had it.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for HybridSettings {
    /// Algorithm 2 with rate 0.1, exploring at the largest standard deviation, forced on convergence at ε = 1e-3.
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

    /// Equation by which a turn exploits.
    pub(crate) fn exploited(&self) -> Anticipation {
        match self.exploration {
            Exploration::EpsRandom { .. } | Exploration::EpsPareto { .. } => Anticipation::Mean,
            _ => self.anticipation,
        }
    }

    /// Acquisition function instead of the optimiser's own, if there is one.
    pub(crate) fn acquisition(&self) -> Option<Box<dyn AcquisitionFactory>> {
        self.exploited().factory()
    }

    /// Refuses a turn without the one objective that a rule needs: before the coin or convergence ask for it.
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

    /// The point that the coin explores.
    pub(crate) fn explore_point(&self) -> ExplorePoint {
        match self.exploration {
            Exploration::EpsRandom { .. } => ExplorePoint::Uniform,
            Exploration::EpsPareto { .. } => ExplorePoint::Pareto,
            _ => self.point,
        }
    }
}

//! Settings of Bayesian optimisation.

use thrifty_acquisition::AcquisitionKind;
use thrifty_study::OptimizerError;

use thrifty_model_based::{
    CostAwareness, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy, StateSettings,
};

/// Restarts from a new random design once a run has converged; the runs before are forgotten.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restarts {
    /// Converged: the largest expected improvement is below this share of the range of the run's losses.
    pub epsilon: f64,
}

/// Settings of [`BayesianOptimizer`](crate::BayesianOptimizer).
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoSettings {
    /// Initial design.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if it is known: an automatic design is a quarter of them at most.
    #[serde(default)]
    pub budget: Option<usize>,
    /// The acquisition.
    pub rule: AcquisitionKind,
    /// Maximizer of the acquisition function.
    #[serde(rename = "maximiser", alias = "maximizer")]
    pub maximizer: Maximizer,
    /// Transform of the losses.
    pub losses: LossTransform,
    /// Policy for failed trials.
    pub failures: FailurePolicy,
    /// Policy for running trials.
    pub pending: PendingPolicy,
    /// Weight of costs in the choice of a point.
    #[serde(default)]
    pub cost: CostAwareness,
    /// Several runs instead of one.
    pub restarts: Option<Restarts>,
}

impl BoSettings {
    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        self.state().validate()?;
        match self.restarts {
            Some(Restarts { epsilon }) if !(epsilon > 0.0 && epsilon.is_finite()) => {
                Err(OptimizerError::InvalidSetting {
                    name: "epsilon".into(),
                    value: epsilon.to_string(),
                    expected: "a positive finite number".into(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Settings of the surrogate state.
    #[must_use]
    pub fn state(&self) -> StateSettings {
        StateSettings {
            initial: self.initial.clone(),
            budget: self.budget,
            maximizer: self.maximizer.clone(),
            losses: self.losses,
            failures: self.failures,
            pending: self.pending,
            cost: self.cost,
        }
    }
}

use thrifty_acquisition::AcquisitionKind;
use thrifty_study::OptimizerError;

use crate::{CostAwareness, InitialDesign, Maximiser};

/// How failed and pruned trials enter the training data.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// A loss as bad as the worst measured: the model learns to stay away.
    #[default]
    AsWorst,
    /// A loss of this value.
    AsValue(f64),
    /// Nothing: points near it may be tried. The point itself is not asked again, so that a finite space comes to an end.
    Ignore,
}

/// How running trials enter the model. The outcomes that a policy imagines count in the threshold of an improvement too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingPolicy {
    /// An observation of its posterior mean. Source: Ginsbourger, Le Riche & Carraro (2010).
    KrigingBeliever,
    /// An observation of the best loss measured: optimistic, keeps points close together.
    LiarBest,
    /// An observation of the mean loss.
    LiarMean,
    /// An observation of the worst loss measured: spreads points out.
    LiarWorst,
    /// Joint posterior draws at all running trials: an improvement is averaged over them, each draw with its own threshold
    /// and, where there are constraints, its own feasible trials. With expected improvement this is the greedy q-EI. Noisy
    /// expected improvement draws running trials in its own baseline. Other rules see the posterior mean as an observation, and
    /// so does any rule when the model has no joint posterior.
    /// Source: Snoek, Larochelle & Adams (2012), section 3.3.
    Fantasies {
        /// Number of joint draws, at least 1.
        draws: usize,
    },
}

impl Default for PendingPolicy {
    /// 32 joint draws.
    fn default() -> Self {
        Self::Fantasies { draws: 32 }
    }
}

/// What is done to losses before the model sees them. Expected improvements, thresholds, means and deviations
/// are then on the scale of the transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossTransform {
    /// Nothing.
    None,
    /// The [`YeoJohnson`](thrifty_gp::YeoJohnson) map of an upper tail, fitted anew for each suggestion: bad losses are
    /// drawn in, and what sets the best apart stays.
    #[default]
    UpperTail,
    /// The map fitted to both tails: losses come as close as they can to what a Gaussian process expects.
    BothTails,
}

/// Begin again from a new random design once a run has converged, forgetting the runs before.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Restarts {
    /// Converged: the largest expected improvement is below this share of the range of the run's losses.
    pub epsilon: f64,
}

/// How [`BayesianOptimizer`](crate::BayesianOptimizer) works.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct BoSettings {
    /// Initial design.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if it is known: an automatic design is a quarter of them at most.
    #[serde(default)]
    pub budget: Option<usize>,
    /// The acquisition.
    pub rule: AcquisitionKind,
    /// Maximiser of the acquisition function.
    pub maximiser: Maximiser,
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
        let invalid = |name: &str, value: f64, expected: &str| {
            Err(OptimizerError::InvalidSetting {
                name: name.into(),
                value: value.to_string(),
                expected: expected.into(),
            })
        };
        if self.maximiser.raw == 0 {
            return invalid("raw", 0.0, "at least 1 candidate");
        }
        if self.pending == (PendingPolicy::Fantasies { draws: 0 }) {
            return invalid("draws", 0.0, "at least 1 draw for running trials");
        }
        match self.cost {
            CostAwareness::PerUnit { exponent } if !(exponent >= 0.0 && exponent.is_finite()) => {
                return invalid("exponent", exponent, "a finite number from 0");
            }
            CostAwareness::Cooled { budget } if !(budget > 0.0 && budget.is_finite()) => {
                return invalid("budget", budget, "a positive finite number");
            }
            _ => {}
        }
        match (self.failures, self.restarts) {
            (FailurePolicy::AsValue(value), _) if !value.is_finite() => {
                invalid("failures", value, "a finite loss")
            }
            (_, Some(Restarts { epsilon })) if !(epsilon > 0.0 && epsilon.is_finite()) => {
                invalid("epsilon", epsilon, "a positive finite number")
            }
            _ => Ok(()),
        }
    }
}

//! Settings that model-based optimisers share.

use thrifty_search::{DesignBudget, InitialDesign, measurement};
use thrifty_space::Config;
use thrifty_study::{Measurement, MeasurementProblem, OptimizerError, Outcome, Trial};

use crate::{Maximizer, TiePolicy};

/// Policy for failed and pruned trials in the training data.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// A loss as bad as the worst measured: the model learns to stay away.
    AsWorst,
    /// A loss of this value.
    AsValue(f64),
    /// Nothing: points near it may be tried. The point itself is not asked again, so that a finite space comes to an end.
    Ignore,
    /// A broken constraint: where trials fail is learnt by [classification](thrifty_censored::GpClassifier) of failed and other trials, and a utility counts
    /// times the probability of not failing. The loss is modelled without failed trials; a pruned one has the worst loss measured.
    /// Source: `run bo/failures`; Gelbart, Snoek & Adams (2014), section 3.3.
    #[default]
    AsConstraint,
}

impl FailurePolicy {
    /// The policy by which journals know a study: those from before [`AsConstraint`](Self::AsConstraint) have the default of their time, and go on
    /// with this one.
    #[must_use]
    pub fn identity(self) -> Self {
        if self == Self::AsConstraint { Self::AsWorst } else { self }
    }

    /// Number of trials of which a model learns by what they are told: measured ones, and, where failing is a constraint and something was
    /// measured, failed ones. An initial design lasts until there are enough of them.
    #[must_use]
    pub fn told<'t>(self, trials: impl IntoIterator<Item = &'t Trial<Config>>) -> usize {
        let (mut measured, mut failed) = (0, 0);
        for trial in trials {
            match &trial.outcome {
                Some(_) if measurement(trial).is_some() => measured += 1,
                Some(outcome @ Outcome::Failed(_)) if !outcome.is_unrelated() => failed += 1,
                _ => {}
            }
        }
        if self == Self::AsConstraint && measured > 0 { measured + failed } else { measured }
    }
}

/// Policy for running trials in the training data. Fantasies count in the target of an improvement too.
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

/// Transform of the losses before they enter the model. Expected improvements, thresholds, means and standard deviations
/// are then on the scale of the transform; a fixed target is given in units of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossTransform {
    /// Nothing.
    None,
    /// The [`YeoJohnson`](thrifty_gp::YeoJohnson) map of an upper tail, fitted anew for each suggestion: bad losses are
    /// drawn in, and what sets the best apart stays. One loss far above the others makes these equal.
    UpperTail,
    /// Map of the upper tail on losses scaled by their median and median absolute deviation: all of the upper half is drawn in, however large
    /// some losses are, and what sets the best apart stays.
    #[default]
    UpperHalf,
    /// The map fitted to both tails: losses come as close as they can to what a Gaussian process expects.
    BothTails,
    /// Upper half or nothing: the one under which the model predicts the measured losses better, each from all others.
    ///
    /// ```text
    /// Σ_i ln N(T(y_i); μ_-i, σ²_-i) + ln T'(y_i)          μ_-i, σ²_-i: prediction of T(y_i) from all other losses
    /// ```
    ///
    /// Two models are fitted to choose: for each suggestion up to 50 losses, and then after each fifth of growth.
    /// It is the upper half for a model without such predictions, for a mixture of models, for several objectives, and for [earlier
    /// studies](crate::EarlierStudies).
    Chosen,
}

/// Weight of the cost of an evaluation in the choice of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostAwareness {
    /// Nothing.
    #[default]
    Ignore,
    /// A utility counts per unit of expected cost, raised to an exponent: 1 counts the cost fully, 0 not at all. Every
    /// measurement has a positive cost, whose logarithm is learnt. Source: Snoek et al. (2012), section 3.2.
    PerUnit {
        /// η.
        exponent: f64,
    },
    /// Utility per unit of cost with a cooling exponent, the share of the budget that is left, so that the last evaluations may be dear.
    /// Runs before a restart have spent their part. See
    /// [`LogInverseCost::cooled`](thrifty_acquisition::LogInverseCost::cooled). Source: Lee et al. (2020).
    Cooled {
        /// Budget in units of cost, more than the initial design costs.
        budget: f64,
    },
}

impl CostAwareness {
    /// True where costs do not count.
    #[must_use]
    #[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
    pub fn is_ignored(&self) -> bool {
        *self == Self::Ignore
    }

    /// Refuses a measurement without a positive cost where costs count.
    ///
    /// # Errors
    /// As [`Measurement::require_positive_cost`].
    pub fn check(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        if self.is_ignored() { Ok(()) } else { measurement.require_positive_cost() }
    }
}

/// Settings of a [`SurrogateState`](crate::SurrogateState).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateSettings {
    /// Initial design.
    pub initial: InitialDesign,
    /// Number of trials by which an automatic design goes.
    pub budget: DesignBudget,
    /// Maximizer of the acquisition function.
    pub maximizer: Maximizer,
    /// Transform of the losses.
    pub losses: LossTransform,
    /// Policy for failed trials.
    pub failures: FailurePolicy,
    /// Policy for losses that tie.
    pub ties: TiePolicy,
    /// Policy for running trials.
    pub pending: PendingPolicy,
    /// True to leave running trials out of the model, as a recommendation does; fits still start from their memos.
    pub ignores_running: bool,
    /// Weight of costs in the choice of a point.
    pub cost: CostAwareness,
}

impl StateSettings {
    /// Checks all settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the first that is out of its range.
    pub fn validate(&self) -> Result<(), OptimizerError> {
        let invalid = |name: &str, value: f64, expected: &str| {
            let (name, value, expected) = (name.into(), value.to_string(), expected.into());
            Err(OptimizerError::InvalidSetting { name, value, expected })
        };
        if self.maximizer.raw == 0 {
            return invalid("raw", 0.0, "at least 1 candidate");
        }
        if self.pending == (PendingPolicy::Fantasies { draws: 0 }) {
            return invalid("draws", 0.0, "at least 1 draw for running trials");
        }
        if let FailurePolicy::AsValue(value) = self.failures
            && !value.is_finite()
        {
            return invalid("failures", value, "a finite loss");
        }
        match self.cost {
            CostAwareness::PerUnit { exponent } if !(exponent >= 0.0 && exponent.is_finite()) => {
                invalid("exponent", exponent, "a finite number from 0")
            }
            CostAwareness::Cooled { budget } if !(budget > 0.0 && budget.is_finite()) => {
                invalid("budget", budget, "a positive finite number")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use thrifty_study::TrialId;

    use super::*;

    #[test]
    fn failures_tell_something_beside_a_measurement() {
        let trial = |outcome: Option<Outcome>| Trial::new(TrialId(0), Config::new(), outcome);
        let mut trials: Vec<Trial<Config>> = vec![
            trial(Some(Outcome::failed("no memory"))),
            trial(Some(Outcome::unrelated("no machine"))),
            trial(Some(Outcome::pruned(3))),
            trial(None),
        ];
        let told = |trials: &[Trial<Config>]| {
            [FailurePolicy::AsConstraint, FailurePolicy::AsWorst, FailurePolicy::Ignore]
                .map(|policy| policy.told(trials))
        };
        assert_eq!(told(&trials), [0, 0, 0]);
        trials.push(trial(Some(1.0.into())));
        assert_eq!(told(&trials), [2, 1, 1]);
    }
}

//! Settings that model-based optimisers share.

use thrifty_search::{DesignBudget, InitialDesign, measurement};
use thrifty_space::Config;
use thrifty_study::{Measurement, MeasurementProblem, OptimizerError, Outcome, Trial};

use crate::{Maximizer, TiePolicy};

/// Policy for failed and pruned trials in the training data.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// The worst measured loss. The model then predicts high losses near these points.
    AsWorst,
    /// A loss of this value.
    AsValue(f64),
    /// Left out. Nearby points may still be suggested. The point itself is not suggested again, so a finite space is exhausted in the end.
    Ignore,
    /// A broken constraint. [Classification](thrifty_censored::GpClassifier) of failed and other trials gives the probability of not
    /// failing, and a utility is multiplied by it. The losses are modelled without failed trials. A pruned trial has the worst measured
    /// loss.
    /// Source: `run bo/failures`; Gelbart, Snoek & Adams (2014), section 3.3.
    #[default]
    AsConstraint,
}

impl FailurePolicy {
    /// The policy by which a journal identifies a study. Journals from before [`AsConstraint`](Self::AsConstraint) have `AsWorst`, the
    /// former default. Their studies can continue with the new policy.
    #[must_use]
    pub fn identity(self) -> Self {
        if self == Self::AsConstraint { Self::AsWorst } else { self }
    }

    /// Number of trials with information for the model: measured ones, and failed ones if failing is a constraint and at least one trial
    /// was measured. The initial design lasts until there are enough of them.
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

/// Policy for running trials in the training data. Fantasies also count in the improvement target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingPolicy {
    /// An observation of the posterior mean. Source: Ginsbourger, Le Riche & Carraro (2010).
    KrigingBeliever,
    /// An observation of the best measured loss: optimistic, keeps points close together.
    LiarBest,
    /// An observation of the mean measured loss.
    LiarMean,
    /// An observation of the worst measured loss: spreads points out.
    LiarWorst,
    /// Joint posterior draws at all running trials. An improvement is averaged over the draws. Each draw has its own target and, with
    /// constraints, its own feasible trials. With expected improvement this is the greedy q-EI.
    /// Noisy expected improvement draws the running trials as part of its baseline. All other acquisition functions use the posterior mean
    /// as an observation. So does every acquisition function if the model has no joint posterior.
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

/// Transform of the losses before they enter the model. Expected improvements, targets, means and standard deviations are then on the
/// transformed scale. A fixed target is still given in units of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossTransform {
    /// No transform.
    None,
    /// The [`YeoJohnson`](thrifty_gp::YeoJohnson) transform of the upper tail, fitted for each suggestion. It compresses high losses and
    /// keeps the differences among the best. One loss far above the others makes all the others nearly equal.
    UpperTail,
    /// Yeo–Johnson transform of the upper tail, for losses scaled by their median and median absolute deviation. It compresses the whole
    /// upper half, however large some losses are, and keeps the differences among the best.
    #[default]
    UpperHalf,
    /// Yeo–Johnson transform fitted to both tails: losses become as close to normal as the transform allows.
    BothTails,
    /// Upper half or no transform: the one with the larger leave-one-out log predictive density of the measured losses.
    ///
    /// ```text
    /// Σ_i ln N(T(y_i); μ_-i, σ²_-i) + ln T'(y_i)          μ_-i, σ²_-i: prediction of T(y_i) from all other losses
    /// ```
    ///
    /// Two models are fitted for a choice. It is made for each suggestion up to 50 losses, and then after each growth by a fifth.
    /// The upper half is used for models without leave-one-out predictions, mixtures of models, several objectives, and [earlier
    /// studies](crate::EarlierStudies).
    Chosen,
}

/// Weight of the cost of an evaluation in the choice of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostAwareness {
    /// Costs do not count.
    #[default]
    Ignore,
    /// The utility is divided by the expected cost, raised to an exponent: 1 counts the cost fully, 0 not at all. Every measurement must
    /// have a positive cost; its logarithm is modelled. Source: Snoek et al. (2012), section 3.2.
    PerUnit {
        /// Exponent η of the cost.
        exponent: f64,
    },
    /// Utility per unit of cost with a cooling exponent: the share of the budget that is left. The last evaluations may therefore be
    /// expensive. Runs before a restart count as spent. See [`LogInverseCost::cooled`](thrifty_acquisition::LogInverseCost::cooled).
    /// Source: Lee et al. (2020).
    Cooled {
        /// Budget in units of cost; more than the cost of the initial design.
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

    /// Rejects a measurement without a positive cost where costs count.
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
    /// Number of trials that determines the size of an automatic design.
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
    /// True to leave running trials out of the model, as for a recommendation. Fits still start from their memos.
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

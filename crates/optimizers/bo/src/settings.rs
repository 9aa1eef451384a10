//! Settings of Bayesian optimisation.

use thrifty_acquisition::AcquisitionKind;
use thrifty_study::{OptimizerError, TrialId};

use thrifty_model_based::{
    CostAwareness, DesignBudget, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy,
    Repeats, StateSettings, TiePolicy,
};

/// Rule for turns with little expected improvement.
///
/// A run has converged when the largest expected improvement is below a share `epsilon` of the range of its losses.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Convergence {
    /// Suggests the best point of the acquisition function anyway.
    Continue,
    /// A random point of the [Pareto front](thrifty_model_based::front) of mean and standard deviation, until improvement is expected
    /// again. Applies to expected improvement and its logarithm; with other acquisition functions the run continues.
    Explore {
        /// Share of the range.
        epsilon: f64,
    },
    /// Starts a new run from a random design; earlier runs are not modelled.
    Restart {
        /// Share of the range.
        epsilon: f64,
    },
}

impl Default for Convergence {
    fn default() -> Self {
        Self::Explore { epsilon: 1e-7 }
    }
}

/// Share of the range of the losses below which an expected improvement only refines digits of a known minimum.
pub(crate) const RESOLVED: f64 = 1e-3;

/// Settings of [`BayesianOptimizer`](crate::BayesianOptimizer).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoSettings {
    /// Initial design. If a number of trials is planned, an automatic design has at least 16 points, or a third of that number.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if known. It determines an [automatic design](InitialDesign::Automatic).
    #[serde(default)]
    pub budget: Option<usize>,
    /// The acquisition function.
    pub rule: AcquisitionKind,
    /// Maximizer of the acquisition function.
    #[serde(rename = "maximiser", alias = "maximizer")]
    pub maximizer: Maximizer,
    /// Transform of the losses.
    pub losses: LossTransform,
    /// Policy for failed trials.
    pub failures: FailurePolicy,
    /// Policy for losses that tie, for piecewise constant functions. Source: `run bo/jumps`.
    pub ties: TiePolicy,
    /// Policy for running trials.
    pub pending: PendingPolicy,
    /// Weight of costs in the choice of a point.
    #[serde(default)]
    pub cost: CostAwareness,
    /// Rule for turns with little expected improvement.
    pub convergence: Convergence,
    /// Number of trials at the end of a planned study that may be chosen by another rule, since no later trial uses what they explore. With
    /// several trials at a time, those at the smallest mean begin this many steps before the end. A step has as many trials as run.
    ///
    /// If the measurement noise exceeds a thousandth of the range of the losses, the knowledge gradient chooses these trials: it is the
    /// expected gain of the recommendation. Otherwise, if the largest expected improvement is below that share, a trial is placed at the
    /// smallest posterior mean. Only one such trial runs at a time. Where constraints are measured or costs count, it is placed at the
    /// largest improvement of the mean, weighted by them.
    ///
    /// This applies only if the acquisition function is an expected improvement and a parameter is continuous. The last trials start no new
    /// run, but an initial design that has begun continues. Without a plan there are no such trials. Source: `run bo/endings`, `run
    /// bo/constraints`, `run bo/noise`.
    pub ending: usize,
    /// Treatment of a space in which every configuration was evaluated. By default, configurations are repeated if a measurement reported a
    /// noise variance.
    #[serde(default)]
    pub repeats: Option<Repeats>,
}

impl Default for BoSettings {
    fn default() -> Self {
        Self {
            initial: InitialDesign::default(),
            budget: None,
            rule: AcquisitionKind::default(),
            maximizer: Maximizer::default(),
            losses: LossTransform::default(),
            failures: FailurePolicy::default(),
            ties: TiePolicy::default(),
            pending: PendingPolicy::default(),
            cost: CostAwareness::default(),
            convergence: Convergence::default(),
            ending: 5,
            repeats: None,
        }
    }
}

impl BoSettings {
    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        self.state().validate()?;
        self.rule.validate().map_err(|error| OptimizerError::invalid_setting("rule", error))?;
        match self.convergence {
            Convergence::Explore { epsilon } | Convergence::Restart { epsilon }
                if !(epsilon > 0.0 && epsilon.is_finite()) =>
            {
                Err(OptimizerError::InvalidSetting {
                    name: "epsilon".into(),
                    value: epsilon.to_string(),
                    expected: "a positive finite number".into(),
                })
            }
            _ => Ok(()),
        }
    }

    /// The settings by which a journal identifies its study. Budget, ending and repeats are left out, since they only affect how a study ends.
    ///
    /// Older studies had only restarts, and imputed the worst loss for failures. Settings without newer options are written in the old
    /// form, so these studies can continue.
    pub(crate) fn identity(&self) -> Result<serde_json::Value, OptimizerError> {
        let failed = |error| OptimizerError::failed("writing the settings", error);
        let failures = self.failures.identity();
        let mut value =
            serde_json::to_value(Self { budget: None, failures, ..self.clone() }).map_err(failed)?;
        if let Some(fields) = value.as_object_mut() {
            fields.remove("repeats");
            fields.remove("ending");
            // Older journals without this setting can continue with it.
            if self.ties == TiePolicy::Pieces {
                fields.remove("ties");
            }
        }
        let restarts = match self.convergence {
            Convergence::Explore { .. } => return Ok(value),
            Convergence::Continue => serde_json::Value::Null,
            Convergence::Restart { epsilon } => serde_json::json!({ "epsilon": epsilon }),
        };
        if let Some(fields) = value.as_object_mut() {
            fields.remove("convergence");
            fields.insert("restarts".into(), restarts);
        }
        Ok(value)
    }

    /// True if a trial is in one of the last steps of a plan, while `others` other trials run. A step has as many trials as run.
    pub(crate) fn is_ending(&self, id: TrialId, others: usize) -> bool {
        let last = self.ending.saturating_mul(others.saturating_add(1));
        let from = |planned: usize| planned.saturating_sub(last) as u64;
        self.budget.is_some_and(|planned| (from(planned)..planned as u64).contains(&id.0))
    }

    /// Numbers for an automatic design: at least 16 points, or a third of the planned number. A model that begins with fewer may never
    /// leave the first minimum that it finds. Without a plan there is no such minimum, since the study may have only 16 trials. Source:
    /// `run bo/few`.
    fn design_budget(&self) -> DesignBudget {
        let fewest = if self.budget.is_some() { 16 } else { DesignBudget::default().fewest };
        DesignBudget { planned: self.budget, fewest }
    }

    /// Settings of the surrogate state.
    #[must_use]
    pub fn state(&self) -> StateSettings {
        StateSettings {
            initial: self.initial.clone(),
            budget: self.design_budget(),
            maximizer: self.maximizer.clone(),
            losses: self.losses,
            failures: self.failures,
            ties: self.ties,
            pending: self.pending,
            ignores_running: false,
            cost: self.cost,
        }
    }
}

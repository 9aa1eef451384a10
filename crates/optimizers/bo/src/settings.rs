//! Settings of Bayesian optimisation.

use thrifty_acquisition::AcquisitionKind;
use thrifty_study::{OptimizerError, TrialId};

use thrifty_model_based::{
    CostAwareness, DesignBudget, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy,
    Repeats, StateSettings, TiePolicy,
};

/// Rule for a turn in which little improvement is expected.
///
/// A run has converged when the largest expected improvement is below a share `epsilon` of the range of its losses.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Convergence {
    /// The best point of the acquisition function all the same.
    Continue,
    /// A random point of the [Pareto front](thrifty_model_based::front) of mean and standard deviation, until improvement is expected again.
    /// For expected improvement and its logarithm; other acquisition functions continue.
    Explore {
        /// Share of the range.
        epsilon: f64,
    },
    /// A new run from a random design; the runs before are forgotten.
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

/// Share of the range of the losses below which an improvement is one of digits of a minimum that is found.
pub(crate) const RESOLVED: f64 = 1e-3;

/// Settings of [`BayesianOptimizer`](crate::BayesianOptimizer).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoSettings {
    /// Initial design. Where a number of trials is planned, an automatic one has at least 16 points, or a third of that number.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if it is known, by which an [automatic design](InitialDesign::Automatic) goes.
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
    /// Policy for losses that tie, of functions that are constant in pieces. Source: `run bo/jumps`.
    pub ties: TiePolicy,
    /// Policy for running trials.
    pub pending: PendingPolicy,
    /// Weight of costs in the choice of a point.
    #[serde(default)]
    pub cost: CostAwareness,
    /// Rule for a turn in which little improvement is expected.
    pub convergence: Convergence,
    /// Number of last trials of a planned study that may be other ones than those before, as no later trial uses what they explore. Where
    /// several trials run at a time, those at the least mean begin so many steps before the end, each of as many trials as run.
    ///
    /// The knowledge gradient chooses them if measurements are noisy by more than a thousandth of the range of the losses: it is what their
    /// recommendation gains. If not, those before which the largest expected improvement is below that share are at the least posterior mean, one
    /// at a time, or, where constraints are measured or costs count, at the largest improvement of the mean, weighted by them.
    ///
    /// The acquisition function is an expected improvement, and a parameter is continuous. Among the last of all no run is converged, but an
    /// initial design that has begun goes on. Without a plan there are none. Source: `run bo/endings`, `run bo/constraints`, `run bo/noise`.
    pub ending: usize,
    /// Treatment of a space in which every configuration was evaluated. Without it configurations are repeated if a measurement came with a
    /// variance of its noise.
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

    /// The settings by which a journal knows its study: without the budget, the ending and the repeats, which say how a study ends. Older
    /// studies knew restarts alone, and the worst loss for failures: settings without anything newer are written as theirs were, so that they
    /// continue.
    pub(crate) fn identity(&self) -> Result<serde_json::Value, OptimizerError> {
        let failed = |error| OptimizerError::failed("writing the settings", error);
        let failures = self.failures.identity();
        let mut value =
            serde_json::to_value(Self { budget: None, failures, ..self.clone() }).map_err(failed)?;
        if let Some(fields) = value.as_object_mut() {
            fields.remove("repeats");
            fields.remove("ending");
            // Journals from before the policy go on with it.
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

    /// True if a trial, beside which so many others run, is in one of the last steps of a plan. A step is as many trials as run.
    pub(crate) fn is_ending(&self, id: TrialId, others: usize) -> bool {
        let last = self.ending.saturating_mul(others.saturating_add(1));
        let from = |planned: usize| planned.saturating_sub(last) as u64;
        self.budget.is_some_and(|planned| (from(planned)..planned as u64).contains(&id.0))
    }

    /// Numbers by which an automatic design goes: at least 16 points, or a third of a planned number, as a model that begins with fewer may
    /// never leave the first minimum that it finds. Without a plan, 16 may be all that there are. Source: `run bo/few`.
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

//! Settings of multi-fidelity Bayesian optimisation.

use thrifty_model_based::{
    CostAwareness, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy, Repeats,
    StateSettings, TiePolicy,
};
use thrifty_study::OptimizerError;

/// Cost of an evaluation at a fidelity.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FidelityCost {
    /// Known cost: proportional to the value of the fidelity, plus a fixed share.
    ///
    /// ```text
    /// cost(s) = fixed + s / target
    /// ```
    ///
    /// If evaluations [continue](MultiFidelitySettings::continues), only the part of `s / target` counts that no earlier evaluation has paid for.
    Proportional {
        /// Fixed cost of every evaluation, at least 0, as a share of the cost of the target without it.
        fixed: f64,
    },
    /// Learnt cost. Every measurement must have a positive cost; its logarithm is modelled as a function of configuration and fidelity. A
    /// pruned trial counts at its last step if its cost is known. A failed trial does not count.
    Measured,
}

impl Default for FidelityCost {
    /// Proportional, without a fixed share.
    fn default() -> Self {
        Self::Proportional { fixed: 0.0 }
    }
}

/// Settings of [`MultiFidelityOptimizer`](crate::MultiFidelityOptimizer).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MultiFidelitySettings {
    /// Initial design, over configurations and fidelities.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if known. It caps an [automatic design](InitialDesign::Automatic).
    pub budget: Option<usize>,
    /// Cost of an evaluation.
    pub cost: FidelityCost,
    /// True if an evaluation of a configuration continues an earlier one at a lower fidelity and costs only the difference. The evaluator
    /// must keep its trained state.
    pub continues: bool,
    /// Largest number of intermediate reports per trial that count as observations at their steps; 0 for none. They are evenly spaced on
    /// the axis of the fidelity. Steps are values of the fidelity.
    pub reports: usize,
    /// Number of anchors of the knowledge gradient, at least 2.
    pub anchors: usize,
    /// Maximizer of the acquisition function. Settings that a file leaves out have the [default](MultiFidelitySettings::default) values of
    /// this struct.
    #[serde(alias = "maximiser", deserialize_with = "MaximizerInFile::deserialize")]
    pub maximizer: Maximizer,
    /// Transform of the losses.
    pub losses: LossTransform,
    /// Policy for failed trials, and for pruned ones without a report.
    pub failures: FailurePolicy,
    /// Policy for running trials; joint draws are replaced by the posterior mean.
    pub pending: PendingPolicy,
    /// Treatment of a space in which every configuration was evaluated. By default, configurations are repeated if a measurement reported a
    /// noise variance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

/// The maximizer in a file. Serde would fill missing fields from `Maximizer`, whose default differs.
#[derive(serde::Deserialize)]
#[serde(remote = "Maximizer", default = "default_maximizer", deny_unknown_fields)]
struct MaximizerInFile {
    raw: usize,
    around_best: usize,
    climbs: usize,
}

fn default_maximizer() -> Maximizer {
    Maximizer { raw: 256, around_best: 10, climbs: 4 }
}

impl Default for MultiFidelitySettings {
    /// Proportional costs, no continued evaluations, 4 reports per trial, 24 anchors, and running trials at their posterior mean.
    fn default() -> Self {
        Self {
            initial: InitialDesign::default(),
            budget: None,
            cost: FidelityCost::default(),
            continues: false,
            reports: 4,
            anchors: 24,
            maximizer: default_maximizer(),
            losses: LossTransform::default(),
            failures: FailurePolicy::default(),
            pending: PendingPolicy::KrigingBeliever,
            repeats: None,
        }
    }
}

impl MultiFidelitySettings {
    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        let invalid = |name: &str, value: String, expected: &str| {
            Err(OptimizerError::InvalidSetting { name: name.into(), value, expected: expected.into() })
        };
        match self.cost {
            FidelityCost::Proportional { fixed } if !(fixed >= 0.0 && fixed.is_finite()) => {
                return invalid("fixed", fixed.to_string(), "a finite share from 0");
            }
            FidelityCost::Measured if self.continues => {
                return invalid(
                    "continues",
                    "true".into(),
                    "false with measured costs, which are of whole evaluations",
                );
            }
            _ => {}
        }
        if self.anchors < 2 {
            return invalid("anchors", self.anchors.to_string(), "at least 2 anchors");
        }
        self.state().validate()
    }

    /// Settings of the surrogate state.
    #[must_use]
    pub fn state(&self) -> StateSettings {
        let cost = match self.cost {
            FidelityCost::Measured => CostAwareness::PerUnit { exponent: 1.0 },
            FidelityCost::Proportional { .. } => CostAwareness::Ignore,
        };
        StateSettings {
            initial: self.initial.clone(),
            budget: self.budget.into(),
            maximizer: self.maximizer.clone(),
            losses: self.losses,
            failures: self.failures,
            ties: TiePolicy::Ignore,
            pending: self.pending,
            ignores_running: false,
            cost,
        }
    }
}

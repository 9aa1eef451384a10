//! Settings of Bayesian optimisation with several objectives.

use thrifty_study::OptimizerError;

use thrifty_model_based::{
    CostAwareness, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy, Repeats,
    StateSettings, TiePolicy,
};

/// Acquisition rule for several objectives.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiObjectiveRule {
    /// [`ExpectedHypervolume`](Self::ExpectedHypervolume) for up to four objectives,
    /// [`Chebyshev`](Self::Chebyshev) with ρ = 0.05 above, where boxes are many. Source: Ax switches there as well.
    #[default]
    Automatic,
    /// The logarithm of the expected hypervolume improvement, exact, over the front that was measured.
    ExpectedHypervolume,
    /// Noisy expected hypervolume improvement: the front is drawn from the joint posterior at the measured points, which make
    /// it, and what they say of constraints there. See [`LogNoisyExpectedHypervolume`](crate::LogNoisyExpectedHypervolume).
    /// Draws are fixed while the best point is sought. Recommends by posterior means.
    /// Source: Daulton, Balandat & Bakshy (2021); departure: the candidate in closed form.
    NoisyExpectedHypervolume {
        /// Number of draws S.
        draws: usize,
    },
    /// The log expected improvement of one weighted sum, drawn anew for each suggestion.
    ///
    /// ```text
    /// max_j w_j z_j + ρ Σ_j w_j z_j,   z_j in [0, 1] over what was measured, w uniform on the simplex
    /// ```
    ///
    /// Source: Knowles (2006), `ParEGO`, ρ = 0.05; departure: log expected improvement.
    Chebyshev {
        /// ρ, at least 0.
        augmentation: f64,
    },
}

/// Settings of [`MultiObjectiveOptimizer`](crate::MultiObjectiveOptimizer).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MultiObjectiveSettings {
    /// Initial design.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if it is known, which caps an [automatic design](InitialDesign::Automatic).
    #[serde(default)]
    pub budget: Option<usize>,
    /// Acquisition rule.
    pub rule: MultiObjectiveRule,
    /// Losses beyond which nothing counts, in the units of the objectives. Without one it is inferred when the
    /// initial design has ended, and stays.
    pub reference: Option<Vec<f64>>,
    /// Maximizer of the acquisition function.
    #[serde(rename = "maximiser", alias = "maximizer")]
    pub maximizer: Maximizer,
    /// Transform of each objective's losses before they enter the surrogates. Volumes that a rule improves are on the
    /// scale of the transform, which keeps what dominates what; volumes that are reported are not.
    pub losses: LossTransform,
    /// Policy for failed trials; a value counts for every objective. Where losses are imputed, measured constraints are as bad as the worst
    /// measured.
    pub failures: FailurePolicy,
    /// Weight of costs in the choice of a point.
    #[serde(default, skip_serializing_if = "CostAwareness::is_ignored")]
    pub cost: CostAwareness,
    /// Treatment of a space in which every configuration was evaluated. Without it configurations are repeated under the rule for noise, and if
    /// a measurement came with a variance of its noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

impl Default for MultiObjectiveSettings {
    /// Losses as they are, unlike with one objective: a volume is a matter of scale, and that of drawn-in losses is another.
    fn default() -> Self {
        Self {
            initial: InitialDesign::default(),
            budget: None,
            rule: MultiObjectiveRule::default(),
            reference: None,
            maximizer: Maximizer::default(),
            losses: LossTransform::None,
            failures: FailurePolicy::default(),
            cost: CostAwareness::Ignore,
            repeats: None,
        }
    }
}

impl MultiObjectiveSettings {
    /// Settings of the surrogates and of the choice.
    pub(crate) fn state(&self) -> StateSettings {
        StateSettings {
            initial: self.initial.clone(),
            budget: self.budget.into(),
            maximizer: self.maximizer.clone(),
            losses: self.losses,
            failures: self.failures,
            ties: TiePolicy::Ignore,
            pending: PendingPolicy::default(),
            ignores_running: false,
            cost: self.cost,
        }
    }

    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        let invalid = |name: &str, value: String, expected: &str| {
            Err(OptimizerError::InvalidSetting { name: name.into(), value, expected: expected.into() })
        };
        self.state().validate()?;
        if let Some(reference) = &self.reference
            && (reference.is_empty() || reference.iter().any(|r| !r.is_finite()))
        {
            return invalid("reference", format!("{reference:?}"), "finite numbers, one an objective");
        }
        match self.rule {
            MultiObjectiveRule::NoisyExpectedHypervolume { draws: 0 } => {
                invalid("draws", "0".into(), "at least 1 draw")
            }
            MultiObjectiveRule::Chebyshev { augmentation }
                if !(augmentation >= 0.0 && augmentation.is_finite()) =>
            {
                invalid("augmentation", augmentation.to_string(), "a finite number from 0")
            }
            _ => Ok(()),
        }
    }
}

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
    /// [`ExpectedHypervolume`](Self::ExpectedHypervolume) for up to four objectives, [`Chebyshev`](Self::Chebyshev) with ρ = 0.05 for more,
    /// where there are too many boxes. Source: Ax switches there as well.
    #[default]
    Automatic,
    /// Logarithm of the exact expected hypervolume improvement over the measured front.
    ExpectedHypervolume,
    /// Noisy expected hypervolume improvement. The front is drawn from the joint posterior at the measured points, and so is the
    /// feasibility of these points. See [`LogNoisyExpectedHypervolume`](crate::LogNoisyExpectedHypervolume). Draws are fixed during the
    /// search. Recommends by posterior means.
    /// Source: Daulton, Balandat & Bakshy (2021); departure: the candidate in closed form.
    NoisyExpectedHypervolume {
        /// Number of draws S.
        draws: usize,
    },
    /// Log expected improvement of one weighted sum, with random weights per suggestion.
    ///
    /// ```text
    /// max_j w_j z_j + ρ Σ_j w_j z_j,   z_j in [0, 1] over what was measured, w uniform on the simplex
    /// ```
    ///
    /// `z_j` is loss j scaled by the measured range, and `w_j` its weight. Source: Knowles (2006), `ParEGO`, ρ = 0.05; departure: log expected
    /// improvement.
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
    /// Number of trials that the study is planned for, if known. It caps an [automatic design](InitialDesign::Automatic).
    #[serde(default)]
    pub budget: Option<usize>,
    /// Acquisition rule.
    pub rule: MultiObjectiveRule,
    /// Reference point in the units of the objectives: worse losses do not count. Without one it is inferred after the initial design, and
    /// then kept.
    pub reference: Option<Vec<f64>>,
    /// Maximizer of the acquisition function.
    #[serde(rename = "maximiser", alias = "maximizer")]
    pub maximizer: Maximizer,
    /// Transform of each objective's losses before they enter the surrogates. The transform keeps dominance. Acquisition rules use volumes
    /// on the transformed scale; reported volumes are on the original scale.
    pub losses: LossTransform,
    /// Policy for failed trials; a value applies to every objective. Where losses are imputed, constraints get the worst measured value.
    pub failures: FailurePolicy,
    /// Weight of costs in the choice of a point.
    #[serde(default, skip_serializing_if = "CostAwareness::is_ignored")]
    pub cost: CostAwareness,
    /// Treatment of a space in which every configuration was evaluated. By default, configurations are repeated under the rule for noise,
    /// and if a measurement reported a noise variance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

impl Default for MultiObjectiveSettings {
    /// Losses without a transform, unlike for one objective: volumes depend on the scale, and a transform would change it.
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

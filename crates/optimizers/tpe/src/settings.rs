//! Settings of the tree-structured Parzen estimator.

use crate::{Bandwidth, CategoricalKernel, Floor, GridEnds, Kernels, Split, TpeError, Truncation, Weights};

/// Blocks of parameters that are estimated together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Joint {
    /// Nothing: each parameter by itself, and the best candidate of each by itself. Source: Hyperopt.
    Independent,
    /// The parameters without conditions together, all others by themselves. Source: Optuna.
    Unconditional,
    /// Parameters with the same conditions together. Source: Optuna, `group`.
    Grouped,
    /// All parameters: a kernel has the prior where its trial lacks a parameter, so that branches are compared by all
    /// that is set on them.
    #[default]
    Tree,
}

/// Choice of parameters that decide whether others are active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Branching {
    /// Like all others: from the candidate with the largest ratio. The best of many candidates is nearly always on the
    /// branch that leads, and a branch that had bad luck is never seen again. Source: Hyperopt, Optuna.
    ByRatio,
    /// Drawn from the good density, for all candidates together: branches are tried as often as they are good.
    #[default]
    Drawn,
}

/// Among which trials those with a parameter active are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitScope {
    /// All trials: on a branch that falls behind none is good, and its parameters are searched at random.
    /// Source: Hyperopt, Optuna.
    AllTrials,
    /// Those on which the parameter is active: a branch is searched by what is good on it.
    #[default]
    OwnTrials,
}

/// The trials before there is an estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Startup {
    /// Number of draws from the prior.
    Random(usize),
    /// Number of points of a scrambled Sobol sequence, spread according to the prior.
    Sobol(usize),
}

impl Startup {
    /// Number of trials.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Random(count) | Self::Sobol(count) => count,
        }
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Trials that count towards [`Startup`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartupCount {
    /// Trials that were measured or pruned: a failed or running one has no loss for the estimator, so that another takes
    /// its place. Known trials and queued ones count as soon as they have a finite loss. Source: Optuna, which counts
    /// `COMPLETE` and `PRUNED`.
    #[default]
    Finished,
    /// All trials asked, running and failed ones as well. Source: Hyperopt, which counts its documents.
    Asked,
}

/// Treatment of running trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingPolicy {
    /// Bad trials, added after the split: the number of good trials is computed without them. Source: Optuna 5.
    #[default]
    AsBad,
    /// Trials with an infinite loss, which the split counts. Source: Hyperopt.
    AsInfinite,
    /// Trials with the best loss so far.
    LiarBest,
    /// Trials with the mean loss so far.
    LiarMean,
    /// Trials with the worst loss so far.
    LiarWorst,
    /// Nothing.
    Ignore,
}

/// Treatment of failed trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// Trials with an infinite loss.
    #[default]
    AsInfinite,
    /// Nothing. Source: Optuna.
    Ignore,
}

/// Treatment of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintPolicy {
    /// Feasible trials rank before all others, which rank by their violation. Source: Optuna.
    #[default]
    FeasibleFirst,
    /// Each constraint has its own pair of densities, and the ratios are multiplied.
    ///
    /// ```text
    /// Π_j 1 / (γ_j + (1 - γ_j) g_j(x) / l_j(x))
    /// ```
    /// Source: Watanabe & Hutter (2023), c-TPE.
    Product,
}

/// Treatment of the costs of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CostPolicy {
    /// Nothing.
    #[default]
    Ignore,
    /// Expected improvement per unit of expected cost, raised to an exponent. Every measurement has a positive cost, whose logarithm is
    /// learnt by kernel regression.
    ///
    /// ```text
    /// ln EI(x) - η ln c(x),   EI(x) ∝ 1 / (γ + (1 - γ) g(x) / l(x))
    /// ```
    /// Source: Snoek et al. (2012), section 3.2, on the expected improvement of Bergstra et al. (2011).
    PerUnit {
        /// η: 1 counts the cost fully, 0 not at all.
        exponent: f64,
    },
}

impl CostPolicy {
    /// True where costs do not count.
    #[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
    fn is_ignored(&self) -> bool {
        *self == Self::Ignore
    }
}

/// Treatment of repeated configurations, as far as no active parameter of them is continuous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// Another is suggested, and the search stops when there is none.
    #[default]
    Never,
    /// Another is suggested while there is one.
    OnceExhausted,
    /// It is suggested again: for noisy evaluations. Source: Hyperopt, Optuna.
    Allowed,
}

/// All rules of a tree-structured Parzen estimator; presets are functions of this type.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TpeSettings {
    /// Before there is an estimator.
    pub startup: Startup,
    /// Trials that count towards the start.
    #[serde(default)]
    pub startup_count: StartupCount,
    /// Number of good trials.
    pub split: Split,
    /// Weights of the trials of a side.
    pub weights: Weights,
    /// Kernels of numbers and choices.
    pub kernels: Kernels,
    /// Ends of grids.
    pub grid_ends: GridEnds,
    /// Blocks of parameters that are estimated together.
    pub joint: Joint,
    /// Parameters that decide on others.
    pub branching: Branching,
    /// Trials of conditional parameters.
    pub scope: SplitScope,
    /// Draws from the good density, of which the best by the ratio of densities is suggested.
    pub candidates: usize,
    /// Running trials.
    pub pending: PendingPolicy,
    /// Failed trials.
    pub failures: FailurePolicy,
    /// Constraints.
    pub constraints: ConstraintPolicy,
    /// Repetitions of configurations without a continuous parameter.
    pub repeats: Repeats,
    /// Costs of evaluations.
    #[serde(skip_serializing_if = "CostPolicy::is_ignored")]
    pub cost: CostPolicy,
}

impl TpeSettings {
    /// True if every setting makes sense.
    ///
    /// # Errors
    /// [`TpeError::InvalidSetting`] names the first that does not.
    pub fn validate(&self) -> Result<(), TpeError> {
        self.split.validate()?;
        let Kernels { bandwidth: Bandwidth { floor, .. }, prior_weight, .. } = self.kernels;
        floor.validate()?;
        if !(prior_weight > 0.0 && prior_weight.is_finite()) {
            let expected = "a positive number";
            return Err(TpeError::InvalidSetting { name: "prior weight", value: prior_weight, expected });
        }
        if let CostPolicy::PerUnit { exponent } = self.cost
            && !(exponent >= 0.0 && exponent.is_finite())
        {
            let expected = "a finite number from 0";
            return Err(TpeError::InvalidSetting { name: "cost exponent", value: exponent, expected });
        }
        if self.candidates == 0 {
            return Err(TpeError::InvalidSetting { name: "candidates", value: 0.0, expected: "at least 1" });
        }
        Ok(())
    }
}

impl Default for TpeSettings {
    fn default() -> Self {
        Self::recommended()
    }
}

impl Default for Kernels {
    fn default() -> Self {
        TpeSettings::recommended().kernels
    }
}

impl Default for Bandwidth {
    fn default() -> Self {
        Kernels::default().bandwidth
    }
}

impl Default for Floor {
    fn default() -> Self {
        Bandwidth::default().floor
    }
}

pub(crate) fn kernels(
    bandwidth: Bandwidth,
    truncation: Truncation,
    categorical: CategoricalKernel,
) -> Kernels {
    Kernels { bandwidth, truncation, categorical, prior_weight: 1.0 }
}

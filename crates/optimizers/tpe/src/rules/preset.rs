//! Presets: rules of other libraries, and the recommended ones.

use crate::settings::kernels;
use crate::{
    Bandwidth, BandwidthRule, Branching, CategoricalKernel, ConstraintPolicy, CostPolicy, FailurePolicy,
    Floor, GridEnds, Joint, PendingPolicy, Repeats, Split, SplitScope, Startup, StartupCount, TpeSettings,
    Truncation, Weights,
};

const OBSERVATIONS_ALONE: BandwidthRule = BandwidthRule::Neighbors { prior: false, bounds: false };

impl TpeSettings {
    /// The default, each part chosen by `run tpe/ablation`.
    #[must_use]
    pub fn recommended() -> Self {
        let mut settings = Self {
            startup: Startup::Sobol(10),
            weights: Weights::ExpectedImprovement,
            joint: Joint::Tree,
            branching: Branching::Drawn,
            repeats: Repeats::Never,
            failures: FailurePolicy::AsInfinite,
            ..Self::optuna5()
        };
        settings.kernels.bandwidth.floor = Floor { factor: 0.03, exponent: 1.5, steps: 0.5 };
        settings
    }

    /// Hyperopt 0.3.0, rule for rule: checked against its numbers.
    ///
    /// Its start counts every trial asked: running and failed ones are documents with an infinite loss there.
    ///
    /// What it does and we do not: values off the ends of a grid, and dropping trials with a NaN loss, which are
    /// failures here.
    #[must_use]
    pub fn hyperopt() -> Self {
        let rule = BandwidthRule::Neighbors { prior: true, bounds: false };
        Self {
            startup: Startup::Random(20),
            startup_count: StartupCount::Asked,
            split: Split::SquareRoot { gamma: 0.25, cap: 25 },
            weights: Weights::LinearForgetting,
            kernels: kernels(
                Bandwidth { rule, floor: Floor::MAGIC_CLIP },
                Truncation::Mixture,
                CategoricalKernel::Counts,
            ),
            grid_ends: GridEnds::Cut,
            joint: Joint::Independent,
            branching: Branching::ByRatio,
            scope: SplitScope::AllTrials,
            candidates: 24,
            pending: PendingPolicy::AsInfinite,
            failures: FailurePolicy::AsInfinite,
            constraints: ConstraintPolicy::FeasibleFirst,
            repeats: Repeats::Allowed,
            cost: CostPolicy::Ignore,
        }
    }

    /// Optuna 5.0.0 with its defaults for one objective: checked against its numbers.
    ///
    /// Its start counts complete and pruned trials, neither failed nor running ones.
    #[must_use]
    pub fn optuna5() -> Self {
        Self {
            startup: Startup::Random(10),
            startup_count: StartupCount::Finished,
            split: Split::Linear { gamma: 0.1, cap: 25 },
            weights: Weights::LinearForgetting,
            kernels: kernels(
                Bandwidth { rule: OBSERVATIONS_ALONE, floor: Floor::MAGIC_CLIP },
                Truncation::Component,
                CategoricalKernel::Smoothed,
            ),
            grid_ends: GridEnds::Whole,
            joint: Joint::Unconditional,
            branching: Branching::ByRatio,
            scope: SplitScope::AllTrials,
            candidates: 24,
            pending: PendingPolicy::AsBad,
            failures: FailurePolicy::Ignore,
            constraints: ConstraintPolicy::FeasibleFirst,
            repeats: Repeats::Allowed,
            cost: CostPolicy::Ignore,
        }
    }

    /// Optuna 4 with its defaults, built from its description and not checked against it: parameters one by one, the
    /// prior's mean a neighbour, running trials unseen.
    #[must_use]
    pub fn optuna4() -> Self {
        let mut settings =
            Self { joint: Joint::Independent, pending: PendingPolicy::Ignore, ..Self::optuna5() };
        settings.kernels.bandwidth.rule = BandwidthRule::Neighbors { prior: true, bounds: false };
        settings
    }

    /// The recommendation of Watanabe (2023), built from its description and not checked against it.
    #[must_use]
    pub fn watanabe2023() -> Self {
        let rule = BandwidthRule::Neighbors { prior: true, bounds: true };
        let mut settings = Self {
            split: Split::Linear { gamma: 0.15, cap: 25 },
            weights: Weights::ExpectedImprovement,
            ..Self::optuna5()
        };
        settings.kernels.bandwidth = Bandwidth { rule, floor: Floor::WATANABE };
        settings
    }

    /// The estimator as `nnpdfscan` describes it, which is not what Hyperopt does. What it does not say is as in
    /// [`hyperopt`](Self::hyperopt).
    ///
    /// | setting | value | section "Tree-structured Parzen Estimator" |
    /// |---|---|---|
    /// | `startup` | 20 random draws | notes, third item |
    /// | `split` | a quarter, without a cap | definition of y*, and notes, first item: γ = 0.25 |
    /// | `candidates` | 24 | notes, second item |
    /// | `weights`, `prior_weight` | all the same | "Uniform prior", "Log-uniform prior": equal weight |
    /// | `bandwidth.rule` | the farther neighbor, bounds included, the prior not | notes, fourth item |
    /// | `bandwidth.floor` | none | no least width is mentioned |
    /// | `categorical` | proportional to `N p_i + c_i` | "Discrete uniform" |
    /// | `joint`, `branching` | each parameter by itself | as in Hyperopt; a reading, because the text speaks of "the set of parameters" |
    ///
    /// The other reading of the last row is `joint: Joint::Unconditional` or [`Joint::Grouped`], whose kernels are
    /// products over parameters.
    #[must_use]
    pub fn nnpdf() -> Self {
        let rule = BandwidthRule::Neighbors { prior: false, bounds: true };
        let mut settings = Self {
            split: Split::Linear { gamma: 0.25, cap: usize::MAX },
            weights: Weights::Uniform,
            ..Self::hyperopt()
        };
        settings.kernels.bandwidth = Bandwidth { rule, floor: Floor::NONE };
        settings
    }
}

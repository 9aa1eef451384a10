//! Settings of fractional cross-validation.

use thrifty_acquisition::{AcquisitionKind, Schedule};
use thrifty_censored::Limits;
use thrifty_check::{InputError, number};
use thrifty_gp::Refit;
use thrifty_model_based::{InitialDesign, Maximizer};

use crate::verification::VerificationPlan;

/// Folds of the initial design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialFolds {
    /// All folds in turn, in random order; each is used equally often.
    #[default]
    Balanced,
    /// A random fold each time.
    Random,
    /// Two folds in turn, so that configurations can be compared on the same fold.
    Two,
}

/// Loss that is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossTarget {
    /// The mean over all existing folds. It is known at a configuration where all folds were measured, so no acquisition returns there.
    #[default]
    MeanOfFolds,
    /// The true loss; the folds are a sample of it. Its uncertainty never vanishes, so a confidence bound may return again and again to
    /// configurations whose folds are all known. Source: `FCVOpt`.
    TrueLoss,
}

/// Acquisition function for the next configuration.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldAcquisition {
    /// An acquisition function on the posterior of the target, then the fold by [`FoldRule`]. The improvement target is computed from
    /// posterior means at evaluated configurations: both the best observed value and the best mean are the smallest of these means.
    OfLoss(AcquisitionKind),
    /// The knowledge gradient of a noisy observation of the true loss itself, as in the authors' package; then the fold by [`FoldRule`].
    KnowledgeGradient,
    /// The knowledge gradient for configuration and fold together: the expected decrease of the best posterior mean after this fold is
    /// observed there. It is exact.
    JointKnowledgeGradient,
}

/// Rule for the fold of a chosen configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldRule {
    /// The fold that leaves the smallest variance of the true loss at the configuration; exact. Source: `FCVOpt`.
    #[default]
    LeastVariance,
    /// A random fold.
    Random,
    /// The folds in turn.
    RoundRobin,
    /// The fold with the smallest `t (t - σ_f²)`, where t is the known part of the covariance of fold and loss. The authors' package 0.5.2
    /// computes this in place of the variance. For comparisons.
    Package,
}

/// Incumbent rule: which evaluated configuration is the best.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Incumbent {
    /// The one with the smallest posterior mean of the true loss. Source: `FCVOpt`.
    #[default]
    BestMean,
    /// The smallest mean plus `kappa` posterior standard deviations: prefers reliably good configurations to uncertain ones.
    RiskAdjusted {
        /// Number of standard deviations, at least 0.
        kappa: f64,
    },
}

/// Weight of costs in the choice of configuration and fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldCosts {
    /// All fits cost the same.
    #[default]
    Ignored,
    /// Utility per unit of expected cost. A second hierarchical process models the logarithm of the reported costs. It counts in the choice
    /// of the configuration, and in the choice of the fold by [`FoldRule::LeastVariance`] and the joint knowledge gradient.
    Measured,
}

/// Policy for failed folds. The process of the losses is fitted without them in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldFailures {
    /// A broken constraint. [Classification](thrifty_censored::GpClassifier) of failed and measured folds gives the probability P of not
    /// failing at a configuration, and the utility is multiplied by min(1, 2P).
    /// Source: `run fcvopt/failures`.
    #[default]
    AsConstraint,
    /// Left out. Nearby configurations may still be suggested, but a failed fold of a configuration is not suggested again.
    Ignore,
}

impl FoldFailures {
    /// True for the default, which is not written, so that fingerprints of older journals do not change.
    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Settings of fractional cross-validation.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FractionalSettings {
    /// Folds of a repeat, at least 2.
    pub folds: usize,
    /// Repeats of the cross-validation.
    pub repeats: usize,
    /// True if folds of one repeat are more similar than folds of different repeats; otherwise all folds are treated as equally similar.
    pub repeats_differ: bool,
    /// Initial design, one fold per configuration.
    pub initial: InitialDesign,
    /// Folds of the initial design.
    pub initial_folds: InitialFolds,
    /// Loss used by the acquisition function, the choice of the fold and the recommendation.
    pub target: LossTarget,
    /// Acquisition function.
    pub acquisition: FoldAcquisition,
    /// Rule for the fold of the chosen configuration.
    pub fold: FoldRule,
    /// Weight of costs.
    pub costs: FoldCosts,
    /// Smallest expected decrease of the best mean that is worth a fit, as a share of the range of the means so far. Candidates below it
    /// are skipped, and the study stops if no fold reaches it. With 0 every fold is worth a fit.
    ///
    /// With constraints, only means of probably feasible configurations count. While there is none, every fit is worth it.
    pub worth: f64,
    /// Rule for the recommendation.
    pub incumbent: Incumbent,
    /// Maximizer of the acquisition function.
    #[serde(rename = "maximiser", alias = "maximizer")]
    pub maximizer: Maximizer,
    /// Number of observations up to which every learning fit uses all starts. Beyond it, nine fits of ten only continue from the last
    /// hyperparameters.
    pub thorough: usize,
    /// Schedule for learning the hyperparameters of the loss, the constraints and the costs again. In between, the processes are
    /// conditioned with the current ones. With `limits`, only growth causes a new fit of the loss.
    #[serde(default = "default_refit", skip_serializing_if = "is_default_refit")]
    pub refit: Refit,
    /// Total number of model fits, if known. The last of them verify: they complete every fold and repeat of the best configurations. The
    /// best measured mean is then recommended, and the study stops.
    ///
    /// Without a budget nothing is capped. [`finish_verification`](crate::FractionalCv::finish_verification) then starts verification on demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// Number of configurations to verify; 0 for none. By default at most 3, such that verification takes at most a third of the budget; at
    /// least 1 if that takes no more than half of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalists: Option<usize>,
    /// Censoring limits of the losses: a loss at or beyond a limit is a bound on the loss of its fold, not a value.
    #[serde(default, skip_serializing_if = "Limits::is_none")]
    pub limits: Limits,
    /// Policy for failed folds.
    #[serde(default, skip_serializing_if = "FoldFailures::is_default")]
    pub failures: FoldFailures,
}

/// Invalid setting of fractional cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FractionalSettingsError {
    /// A number out of its range.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A budget that the verification alone would use up.
    #[error("budget is {budget}, expected more than the {fits} folds of all to verify")]
    Budget {
        /// Total number of model fits.
        budget: usize,
        /// Number of folds of all finalists.
        fits: usize,
    },
}

/// Largest default number of finalists. More would cost fits that the search could use.
const MOST_FINALISTS: usize = 3;

/// Learns in every fit up to 300 observations, the largest number in the comparisons that chose the other defaults. Then after growth by a
/// fiftieth, only from the last hyperparameters.
pub(crate) const fn default_refit() -> Refit {
    Refit::WhenNeeded { from: 300, growth: 1.02, restarts_until: 300 }
}

/// True for the default, which is not written, so that fingerprints of older journals do not change.
pub(crate) fn is_default_refit(refit: &Refit) -> bool {
    *refit == default_refit()
}

impl FractionalSettings {
    /// Lower confidence bound of width √(2 ln (t + 1)) on the mean of the folds, after t fits. The fold has the smallest remaining
    /// variance. The initial design is a Sobol design with balanced folds.
    ///
    /// The bound of `yerramilli2025` has the constant width 2 ([`FractionalSettings::paper`]). The width here is 2.5 after 20 fits and 3.3
    /// after 200.
    #[must_use]
    pub fn new(folds: usize) -> Self {
        Self {
            folds,
            repeats: 1,
            repeats_differ: false,
            initial: InitialDesign::Automatic,
            initial_folds: InitialFolds::default(),
            target: LossTarget::default(),
            acquisition: FoldAcquisition::OfLoss(AcquisitionKind::ConfidenceBound(Schedule::Logarithmic {
                scale: 2.0,
            })),
            fold: FoldRule::default(),
            costs: FoldCosts::default(),
            worth: 0.0,
            incumbent: Incumbent::default(),
            maximizer: Maximizer::default(),
            thorough: 100,
            refit: default_refit(),
            budget: None,
            finalists: None,
            limits: Limits::default(),
            failures: FoldFailures::default(),
        }
    }

    /// The method of `yerramilli2025`.
    ///
    /// | setting | value | source |
    /// |---|---|---|
    /// | `acquisition` | lower confidence bound `μ - 2 σ` | κ = 2 |
    /// | `target` | the true loss f | not the mean of the folds that there are |
    /// | `fold` | least posterior variance of f at the configuration | choice of the fold |
    /// | `incumbent` | least posterior mean of f | recommendation |
    ///
    /// All other settings are as in [`new`](Self::new): the source leaves them open, or agrees. Nothing is verified without a `budget`.
    #[must_use]
    pub fn paper(folds: usize) -> Self {
        let bound = AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 });
        Self { acquisition: FoldAcquisition::OfLoss(bound), target: LossTarget::TrueLoss, ..Self::new(folds) }
    }

    /// Sets the censoring limits of the losses.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the total number of model fits; the last of them verify.
    #[must_use]
    pub fn with_budget(mut self, budget: usize) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// [`FractionalSettingsError`] names the first that is out of its range.
    pub fn validate(&self) -> Result<(), FractionalSettingsError> {
        number("folds", self.folds as f64, self.folds >= 2, "at least 2")?;
        number("repeats", self.repeats as f64, self.repeats >= 1, "at least 1")?;
        number("worth", self.worth, (0.0..1.0).contains(&self.worth), "from 0 to below 1")?;
        self.limits.validate()?;
        if let Refit::WhenNeeded { growth, .. } = self.refit {
            number("growth between fits", growth, self.refit.validate().is_ok(), "a finite number above 1")?;
        }
        if let FoldAcquisition::OfLoss(kind) = self.acquisition {
            kind.validate()?;
        }
        match self.incumbent {
            Incumbent::BestMean => {}
            Incumbent::RiskAdjusted { kappa } => {
                number("kappa", kappa, kappa >= 0.0, "a finite number from 0")?;
            }
        }
        if let Some(budget) = self.budget {
            number("budget", budget as f64, budget >= 1, "at least 1")?;
        }
        if let Some(VerificationPlan { finalists, end }) = self.verification() {
            let fits = finalists.saturating_mul(self.all_folds());
            if end <= fits {
                return Err(FractionalSettingsError::Budget { budget: end, fits });
            }
        }
        Ok(())
    }

    /// Plan of the verification at the end of the budget; `None` without one.
    pub(crate) fn verification(&self) -> Option<VerificationPlan> {
        let end = self.budget?;
        let finalists = match self.finalists {
            Some(finalists) => finalists,
            None if end < self.all_folds().saturating_mul(2) => 0,
            None => (end / self.all_folds().saturating_mul(3)).clamp(1, MOST_FINALISTS),
        };
        (finalists > 0).then_some(VerificationPlan { finalists, end })
    }

    /// Number of configurations that a verification completes, also on demand.
    pub(crate) fn finalists_or_default(&self) -> usize {
        let on_demand = || self.finalists.unwrap_or(MOST_FINALISTS).max(1);
        self.verification().map_or_else(on_demand, |plan| plan.finalists)
    }

    /// Number of folds over all repeats.
    pub(crate) fn all_folds(&self) -> usize {
        self.folds.saturating_mul(self.repeats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yerramilli & Apley (2025): the lower confidence bound of two standard deviations, so that β = κ² = 4; the fold of least variance.
    #[test]
    fn the_default_is_the_bound_of_the_paper_on_balanced_folds() {
        let expected = FractionalSettings {
            folds: 7,
            repeats: 1,
            repeats_differ: false,
            initial: InitialDesign::Automatic,
            initial_folds: InitialFolds::Balanced,
            target: LossTarget::MeanOfFolds,
            acquisition: FoldAcquisition::OfLoss(AcquisitionKind::ConfidenceBound(Schedule::Logarithmic {
                scale: 2.0,
            })),
            fold: FoldRule::LeastVariance,
            costs: FoldCosts::Ignored,
            worth: 0.0,
            incumbent: Incumbent::BestMean,
            maximizer: Maximizer { raw: 512, around_best: 20, climbs: 6 },
            thorough: 100,
            refit: Refit::WhenNeeded { from: 300, growth: 1.02, restarts_until: 300 },
            budget: None,
            finalists: None,
            limits: Limits::default(),
            failures: FoldFailures::AsConstraint,
        };
        assert_eq!(FractionalSettings::new(7), expected);
        let paper = FractionalSettings::paper(7);
        let bound = AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 });
        assert_eq!((paper.target, paper.acquisition), (LossTarget::TrueLoss, FoldAcquisition::OfLoss(bound)));
        assert_eq!(FractionalSettings::new(7).with_budget(90).budget, Some(90));
        assert_eq!(FractionalSettings { repeats: 3, ..expected }.all_folds(), 21);
    }

    fn named(change: &dyn Fn(&mut FractionalSettings)) -> Option<&'static str> {
        let mut settings = FractionalSettings::new(5);
        change(&mut settings);
        match settings.validate() {
            Err(FractionalSettingsError::Input(InputError::Number { name, .. })) => Some(name),
            Err(FractionalSettingsError::Budget { .. }) => Some("budget"),
            _ => None,
        }
    }

    #[test]
    fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
        assert_eq!(named(&|s| s.folds = 1), Some("folds"));
        assert_eq!(named(&|s| s.repeats = 0), Some("repeats"));
        for worth in [-1e-9, 1.0, f64::NAN] {
            assert_eq!(named(&|s| s.worth = worth), Some("worth"));
        }
        assert_eq!(named(&|s| (s.folds, s.repeats, s.worth) = (2, 1, 0.999)), None);
        assert_eq!(named(&|s| s.limits = Limits::above(f64::NAN)), Some("floor"));
        assert_eq!(named(&|s| s.limits = Limits { floor: Some(2.0), ceiling: Some(1.0) }), Some("ceiling"));
        for kappa in [-1e-9, f64::INFINITY, f64::NAN] {
            assert_eq!(named(&|s| s.incumbent = Incumbent::RiskAdjusted { kappa }), Some("kappa"));
        }
        assert_eq!(named(&|s| s.incumbent = Incumbent::RiskAdjusted { kappa: 0.0 }), None);
        for growth in [1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(named(&|s| s.refit = Refit::by_growth(growth)), Some("growth between fits"));
        }
        assert_eq!(named(&|s| s.refit = Refit::by_growth(1.01)), None);
        assert_eq!(named(&|s| s.refit = Refit::Always), None);
        assert_eq!(named(&|s| s.budget = Some(0)), Some("budget"));
        assert_eq!(named(&|s| s.budget = Some(1)), None);
        // Finalists of five folds each need more than their folds.
        assert_eq!(named(&|s| (s.budget, s.finalists) = (Some(10), Some(2))), Some("budget"));
        assert_eq!(named(&|s| (s.budget, s.finalists) = (Some(11), Some(2))), None);
        assert_eq!(named(&|s| (s.budget, s.finalists) = (Some(3), Some(0))), None);
    }

    /// Finalists: as many of three that they cost a third of the budget, one where that is no more than half of it, else none.
    #[test]
    fn a_third_of_the_budget_verifies() {
        let finalists = |budget: usize| {
            let plan = FractionalSettings::new(5).with_budget(budget).verification();
            assert!(plan.is_none_or(|plan| plan.end == budget));
            plan.map_or(0, |plan| plan.finalists)
        };
        assert_eq!([1, 9, 10, 15, 29, 30, 44, 45, 60, 600].map(finalists), [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]);
        let mut settings = FractionalSettings::new(5);
        assert_eq!((settings.verification(), settings.finalists_or_default()), (None, 3));
        settings.finalists = Some(0);
        assert_eq!(settings.finalists_or_default(), 1);
        settings.finalists = Some(7);
        assert_eq!(settings.finalists_or_default(), 7);
        settings.budget = Some(40);
        assert_eq!(settings.verification(), Some(VerificationPlan { finalists: 7, end: 40 }));
    }

    /// A budget below two cross-validations, and no finalists, mean no verification; else a third of the budget, up to the most.
    #[test]
    fn verification_is_planned_from_the_budget() {
        let planned = |change: &dyn Fn(&mut FractionalSettings)| {
            let mut settings = FractionalSettings::new(5);
            change(&mut settings);
            (settings.verification().map(|plan| (plan.finalists, plan.end)), settings.finalists_or_default())
        };
        assert_eq!(planned(&|_| ()), (None, MOST_FINALISTS));
        assert_eq!(planned(&|s| s.finalists = Some(2)), (None, 2));
        assert_eq!(planned(&|s| s.finalists = Some(0)), (None, 1));
        for (budget, finalists) in [
            (10, 1),
            (14, 1),
            (15, 1),
            (29, 1),
            (30, 2),
            (15 * MOST_FINALISTS + 14, MOST_FINALISTS),
            (9000, MOST_FINALISTS),
        ] {
            assert_eq!(
                planned(&|s| s.budget = Some(budget)),
                (Some((finalists, budget)), finalists),
                "{budget}"
            );
        }
        assert_eq!(planned(&|s| s.budget = Some(9)), (None, MOST_FINALISTS));
        assert_eq!(planned(&|s| (s.budget, s.finalists) = (Some(9), Some(1))).0, Some((1, 9)));
        assert_eq!(planned(&|s| (s.budget, s.finalists) = (Some(40), Some(0))), (None, 1));
        assert_eq!(planned(&|s| (s.budget, s.finalists) = (Some(34), Some(2))), (Some((2, 34)), 2));
    }
}

//! Ways to spend model fits.

use std::path::PathBuf;

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, Schedule};
use thrifty_bo::BayesianOptimizer;
use thrifty_cv::{AllFolds, FoldChoice, OneFold};
use thrifty_fcvopt::{
    FoldAcquisition, FoldRule, FractionalCv, FractionalSettings, LossTarget, MultiTaskCv, MultiTaskSettings,
    TaskCovariance,
};
use thrifty_hgp::Hgp;
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::Space;
use thrifty_study::OptimizerError;
use thrifty_tpe::TpeOptimizer;

use super::any::Any;

/// A way to spend model fits.
#[derive(Clone, Copy)]
pub struct Method {
    pub name: &'static str,
    pub make: fn(Setup<'_>) -> Result<Any, OptimizerError>,
    /// Model fits beyond which it is not run: its own work would take longer than the rest of the study.
    pub cap: usize,
    /// Model fits that are asked before the first of them is told.
    pub batch: usize,
}

/// Beginning of a run.
pub struct Setup<'a> {
    pub space: Space,
    pub folds: usize,
    /// Model fits of the whole run.
    pub fits: usize,
    pub seed: Seed,
    /// Interpreters that may have other libraries.
    pub python: &'a [PathBuf],
}

fn fractional(
    space: Space,
    folds: usize,
    change: impl Fn(&mut FractionalSettings),
) -> Result<Any, OptimizerError> {
    let mut settings = FractionalSettings::new(folds);
    change(&mut settings);
    FractionalCv::new(space, settings.folds)?.with_settings(settings).map(Any::fractional)
}

const NO_CAP: usize = usize::MAX;
/// Cap of methods whose own work is slow.
pub const SLOW: usize = 100;

/// Four workers that wait for each other.
const FOURS: Method = Method { name: "fractional, batches of 4", batch: 4, ..BOUND };

/// The same with configurations and folds at random: made worse on purpose.
const RANDOM_FOURS: Method = Method { name: "random, batches of 4", batch: 4, ..FOLD_RANDOM };

/// Batches against one fit at a time.
pub const BATCHES: [Method; 3] = [FOURS, BOUND, RANDOM_FOURS];

/// The method under test.
pub const BOUND: Method = Method {
    name: "fractional",
    make: |Setup { space, folds, .. }| fractional(space, folds, |_| ()),
    cap: NO_CAP,
    batch: 1,
};

/// Fractional cross-validation with its fits known: the last of them complete the folds of the best configurations.
pub const VERIFIED: Method = Method {
    name: "fractional, verified",
    make: |Setup { space, folds, fits, .. }| fractional(space, folds, |s| s.budget = Some(fits)),
    cap: NO_CAP,
    batch: 1,
};

const LOG_EI: Method = Method {
    name: "fractional, LogEI",
    make: |Setup { space, folds, .. }| {
        fractional(space, folds, |s| {
            s.acquisition =
                FoldAcquisition::OfLoss(AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean));
        })
    },
    cap: NO_CAP,
    batch: 1,
};

const KNOWLEDGE: Method = Method {
    name: "fractional, KG",
    make: |Setup { space, folds, .. }| {
        fractional(space, folds, |s| s.acquisition = FoldAcquisition::KnowledgeGradient)
    },
    cap: SLOW,
    batch: 1,
};

const JOINT: Method = Method {
    name: "fractional, joint KG",
    make: |Setup { space, folds, .. }| {
        fractional(space, folds, |s| s.acquisition = FoldAcquisition::JointKnowledgeGradient)
    },
    cap: SLOW,
    batch: 1,
};

const RANDOM_FOLD: Method = Method {
    name: "same model, random fold",
    make: |Setup { space, folds, .. }| fractional(space, folds, |s| s.fold = FoldRule::Random),
    cap: NO_CAP,
    batch: 1,
};

/// On a list, the fold before the configuration: to show what that does to the rule.
const FOLD_FIRST: Method = Method {
    name: "fractional, fold first",
    make: |Setup { space, folds, .. }| fractional(space, folds, |_| ()).map(Any::with_fold_first),
    cap: NO_CAP,
    batch: 1,
};

const IN_TURN: Method = Method {
    name: "same model, folds in turn",
    make: |Setup { space, folds, .. }| fractional(space, folds, |s| s.fold = FoldRule::RoundRobin),
    cap: NO_CAP,
    batch: 1,
};

const PACKAGE: Method = Method {
    name: "fold by t (t - σ²)",
    make: |Setup { space, folds, .. }| fractional(space, folds, |s| s.fold = FoldRule::Package),
    cap: NO_CAP,
    batch: 1,
};

const TRUE_LOSS: Method = Method {
    name: "fractional, true loss",
    make: |Setup { space, folds, .. }| fractional(space, folds, |s| s.target = LossTarget::TrueLoss),
    cap: NO_CAP,
    batch: 1,
};

const UNCORRELATED: Method = Method {
    name: "β = 0",
    make: |Setup { space, folds, .. }| {
        let model = Hgp::on_domain(space.domain())
            .without_correlation()
            .map_err(|error| OptimizerError::failed("setting up the model", error))?;
        Ok(Any::fractional(FractionalCv::new(space, folds)?.with_model(model)))
    },
    cap: NO_CAP,
    batch: 1,
};

pub const FULL_BO: Method = Method {
    name: "full CV, BO",
    make: |Setup { space, folds, .. }| AllFolds::new(BayesianOptimizer::new(space), folds).map(Any::new),
    cap: NO_CAP,
    batch: 1,
};

pub const FULL_TPE: Method = Method {
    name: "full CV, TPE",
    make: |Setup { space, folds, .. }| AllFolds::new(TpeOptimizer::new(space)?, folds).map(Any::new),
    cap: NO_CAP,
    batch: 1,
};

const FULL_RANDOM: Method = Method {
    name: "full CV, random",
    make: |Setup { space, folds, .. }| AllFolds::new(RandomSearch::new(space), folds).map(Any::new),
    cap: NO_CAP,
    batch: 1,
};

const HOLDOUT: Method = Method {
    name: "one holdout, BO",
    make: |Setup { space, folds, .. }| {
        OneFold::new(BayesianOptimizer::new(space), folds, FoldChoice::Fixed(0)).map(Any::new)
    },
    cap: NO_CAP,
    batch: 1,
};

pub const FOLD_TPE: Method = Method {
    name: "random fold, TPE",
    make: |Setup { space, folds, .. }| {
        OneFold::new(TpeOptimizer::new(space)?, folds, FoldChoice::Random).map(Any::new)
    },
    cap: NO_CAP,
    batch: 1,
};

pub const FOLD_RANDOM: Method = Method {
    name: "random fold, random",
    make: |Setup { space, folds, .. }| {
        OneFold::new(RandomSearch::new(space), folds, FoldChoice::Random).map(Any::new)
    },
    cap: NO_CAP,
    batch: 1,
};

fn multi_task(space: Space, folds: usize, tasks: TaskCovariance) -> Result<Any, OptimizerError> {
    let settings = MultiTaskSettings { folds, tasks, ..MultiTaskSettings::default() };
    MultiTaskCv::new(space, folds)?.with_settings(settings).map(Any::new)
}

pub const MULTI_TASK: Method = Method {
    name: "multi-task BO",
    make: |Setup { space, folds, .. }| multi_task(space, folds, TaskCovariance::Exchangeable),
    cap: SLOW,
    batch: 1,
};

const MULTI_TASK_FREE: Method = Method {
    name: "multi-task BO, free covariance",
    make: |Setup { space, folds, .. }| multi_task(space, folds, TaskCovariance::Free),
    cap: SLOW,
    batch: 1,
};

/// The method under test and everything it is compared with; figures have colours for the first twelve.
pub const ALL: [Method; 14] = [
    BOUND,
    TRUE_LOSS,
    LOG_EI,
    KNOWLEDGE,
    JOINT,
    RANDOM_FOLD,
    FULL_BO,
    FULL_TPE,
    FULL_RANDOM,
    HOLDOUT,
    FOLD_TPE,
    MULTI_TASK,
    MULTI_TASK_FREE,
    FOLD_RANDOM,
];

/// Methods where every fit is a model trained; the first three are enough to see that it works.
pub const LIVE: [Method; 6] = [BOUND, FULL_BO, FOLD_TPE, LOG_EI, FULL_TPE, HOLDOUT];

/// Methods of the paper's figures, where the first is its own, the last random search.
pub const LANDSCAPES: [Method; 8] =
    [BOUND, KNOWLEDGE, RANDOM_FOLD, FULL_BO, HOLDOUT, FOLD_TPE, MULTI_TASK, FOLD_RANDOM];

/// On the learners of the paper; the last is there to be found worse.
pub const LEARNERS: [Method; 9] =
    [BOUND, RANDOM_FOLD, FOLD_FIRST, FULL_BO, FULL_TPE, FULL_RANDOM, HOLDOUT, FOLD_TPE, FOLD_RANDOM];

/// True for the method under test with another target or acquisition.
pub fn is_variant(method: &str) -> bool {
    [TRUE_LOSS, LOG_EI, KNOWLEDGE, JOINT].iter().any(|variant| variant.name == method)
}

/// The name of whole cross-validations by Bayesian optimisation: the yardstick.
pub const YARDSTICK: &str = "full CV, BO";

/// An ablation that nobody published: every part of the method against what might stand in its place.
pub const ABLATION: [Method; 8] =
    [BOUND, TRUE_LOSS, PACKAGE, RANDOM_FOLD, IN_TURN, KNOWLEDGE, JOINT, UNCORRELATED];

/// Fractional cross-validation by a bound of this width.
fn bound(space: Space, folds: usize, width: Schedule) -> Result<Any, OptimizerError> {
    let rule = AcquisitionKind::ConfidenceBound(width);
    fractional(space, folds, |s| s.acquisition = FoldAcquisition::OfLoss(rule))
}

/// There to be found worse.
pub const NARROW: Method = Method {
    name: "bound of width 1",
    make: |Setup { space, folds, .. }| bound(space, folds, Schedule::Constant { beta: 1.0 }),
    cap: NO_CAP,
    batch: 1,
};

const WIDE: Method = Method {
    name: "bound of width 3",
    make: |Setup { space, folds, .. }| bound(space, folds, Schedule::Constant { beta: 9.0 }),
    cap: NO_CAP,
    batch: 1,
};

const TWO: Method = Method {
    name: "bound of width 2",
    make: |Setup { space, folds, .. }| bound(space, folds, Schedule::Constant { beta: 4.0 }),
    cap: NO_CAP,
    batch: 1,
};

/// Beside whole cross-validations as fits go on; the bound of width 1 is there to be found worse.
pub const LATE: [Method; 6] = [BOUND, FULL_BO, NARROW, FULL_TPE, TWO, WIDE];

/// The method with its winner verified, beside whole cross-validations; random configurations on random folds are there to be found worse.
pub const VERIFICATION: [Method; 5] = [VERIFIED, FULL_BO, FOLD_RANDOM, FULL_TPE, BOUND];

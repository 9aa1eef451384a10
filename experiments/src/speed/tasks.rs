//! Operations and sizes to be timed.

use std::fmt;

use crate::harness::Effort;

/// An operation at a size.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Task {
    #[serde(rename = "task")]
    pub operation: Operation,
    /// Observations; evaluations of a whole run.
    pub n: usize,
    /// Test points, or objectives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub m: Option<usize>,
    /// Evaluations of a whole run before there is a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<usize>,
    /// Seed of a whole run, or of a maximizer's start; what is random is repeated under several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Task {
    pub fn new(operation: Operation, n: usize) -> Self {
        Self { operation, n, m: None, initial: None, seed: None }
    }

    pub fn predict(n: usize, m: usize) -> Self {
        Self { m: Some(m), ..Self::new(Operation::Predict, n) }
    }

    /// Work on a front of n points and m objectives.
    pub fn front(operation: Operation, n: usize, m: usize) -> Self {
        Self { m: Some(m), ..Self::new(operation, n) }
    }

    /// A maximisation from one random start.
    pub fn maximize(n: usize, seed: u64) -> Self {
        Self { seed: Some(seed), ..Self::new(Operation::Acquisition, n) }
    }

    /// A whole run.
    pub fn run(seed: u64) -> Self {
        Self { initial: Some(10), seed: Some(seed), ..Self::new(Operation::Bo, 60) }
    }

    /// Tasks of a study.
    pub fn all(effort: Effort, runs: usize) -> Vec<Self> {
        type Sizes = &'static [usize];
        let (likelihoods, fits, predictions, test, acquisitions, trials): (
            Sizes,
            Sizes,
            Sizes,
            Sizes,
            Sizes,
            Sizes,
        ) = match effort {
            Effort::Quick => (&[25, 100, 500], &[25, 100], &[25, 200], &[1000], &[25, 100], &[100, 1000]),
            Effort::Full => (
                &[25, 50, 100, 200, 500, 1000],
                &[25, 50, 100, 200, 500],
                &[25, 200, 1000],
                &[1000, 10_000],
                &[25, 50, 100, 200],
                &[100, 1000, 10_000],
            ),
        };
        let of = |operation| move |n: &usize| Self::new(operation, *n);
        let mut tasks: Vec<Self> = likelihoods.iter().map(of(Operation::Likelihood)).collect();
        tasks.extend(fits.iter().map(of(Operation::Fit)));
        tasks.extend(test.iter().flat_map(|m| predictions.iter().map(|n| Self::predict(*n, *m))));
        tasks.extend(acquisitions.iter().flat_map(|n| (0..STARTS).map(|seed| Self::maximize(*n, seed))));
        tasks.extend(trials.iter().map(of(Operation::TpeSingle)));
        tasks.extend(trials.iter().map(of(Operation::TpeJoint)));
        let fits: Sizes = match effort {
            Effort::Quick => &[25],
            Effort::Full => &[25, 50, 100],
        };
        tasks.extend(fits.iter().map(of(Operation::FcvBound)));
        tasks.extend(fits.iter().take(2).map(of(Operation::FcvKnowledge)));
        let asks: Sizes = match effort {
            Effort::Quick => &[25, 100],
            Effort::Full => &[100, 500],
        };
        tasks.extend(asks.iter().map(of(Operation::Ask)));
        tasks.extend((0..runs as u64).map(Self::run));
        tasks.extend(Self::on_fronts(effort));
        tasks
    }

    fn on_fronts(effort: Effort) -> Vec<Self> {
        let mut tasks = Vec::new();
        let sizes: &[usize] = match effort {
            Effort::Quick => &[100, 1000],
            Effort::Full => &[100, 1000, 10_000],
        };
        for m in [2, 3, 4] {
            tasks.extend(sizes.iter().map(|n| Self::front(Operation::Hypervolume, *n, m)));
        }
        tasks.extend([100, 300].map(|n| Self::front(Operation::Hypervolume, n, 6)));
        for m in [2, 3, 4, 6] {
            tasks.extend(sizes[1..].iter().map(|n| Self::front(Operation::Ranks, *n, m)));
        }
        for (n, m) in [(20, 2), (100, 2), (20, 3), (100, 3), (20, 4)] {
            let operations = [Operation::Boxes, Operation::Ehvi, Operation::LogEhvi, Operation::EhviGradient];
            tasks.extend(operations.map(|operation| Self::front(operation, n, m)));
        }
        tasks
    }
}

/// Operation that is timed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Operation {
    /// Log marginal likelihood with its gradient at given hyperparameters.
    Likelihood,
    /// Maximum likelihood from a given start.
    Fit,
    /// Mean and variance at m points of a conditioned process.
    Predict,
    /// The maximum of log expected improvement on a given posterior.
    Acquisition,
    /// A suggestion of Bayesian optimisation after n random trials, and telling its loss: the mean of five in a row, with all that
    /// is learnt on the way.
    Ask,
    /// Ten points of a design and fifty more by Bayesian optimisation.
    Bo,
    /// A suggestion of the Parzen estimator after n trials, parameters one by one, and telling its loss.
    TpeSingle,
    /// Parzen estimators, parameters together.
    TpeJoint,
    /// A suggestion of fractional cross-validation after n model fits, by confidence bound.
    FcvBound,
    /// Fractional cross-validation by knowledge gradient.
    FcvKnowledge,
    /// The exact hypervolume of n points, m objectives, none dominated.
    Hypervolume,
    /// Non-dominated ranks of n uniform points.
    Ranks,
    /// The region that n points do not dominate, cut into boxes.
    Boxes,
    /// Expected hypervolume improvement of 1,000 predictive distributions over n points.
    Ehvi,
    /// Its logarithm.
    LogEhvi,
    /// Its gradient.
    EhviGradient,
}

impl Operation {
    /// True if it starts from points and targets.
    pub fn has_data(self) -> bool {
        matches!(self, Self::Likelihood | Self::Fit | Self::Predict | Self::Acquisition | Self::Ask)
    }

    /// True if it starts from a front, and m counts objectives.
    pub fn has_front(self) -> bool {
        matches!(
            self,
            Self::Hypervolume | Self::Ranks | Self::Boxes | Self::Ehvi | Self::LogEhvi | Self::EhviGradient
        )
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Likelihood => "likelihood and gradient",
            Self::Fit => "fit",
            Self::Predict => "predict",
            Self::Acquisition => "maximise LogEI",
            Self::Ask => "suggestion by a process",
            Self::Bo => "60 evaluations of Hartmann-6",
            Self::TpeSingle => "TPE, one by one",
            Self::TpeJoint => "TPE, together",
            Self::FcvBound => "fractional CV, bound",
            Self::FcvKnowledge => "fractional CV, KG",
            Self::Hypervolume => "hypervolume",
            Self::Ranks => "non-dominated ranks",
            Self::Boxes => "boxes",
            Self::Ehvi => "1,000 EHVI",
            Self::LogEhvi => "1,000 LogEHVI",
            Self::EhviGradient => "1,000 EHVI with gradient",
        })
    }
}

/// Random starts of a maximiser.
const STARTS: u64 = 5;

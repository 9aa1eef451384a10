//! Any way to spend model fits behind one type.

use std::sync::Arc;

use thrifty_cv::FoldQuery;
use thrifty_fcvopt::FractionalCv;
use thrifty_space::Config;
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, TrialId};

use super::learners::fold_last::FoldLast;
use super::learners::listed::{Listed, OnList};

type Folds = dyn Optimizer<Query = FoldQuery, Recommendation = Best<Config>>;

/// Any method behind one type.
pub enum Any {
    /// Chooses a configuration, and then the fold there.
    Fractional(Box<FractionalCv>),
    /// Configuration and fold come together.
    Other(Box<Folds>),
}

impl Any {
    pub fn new(
        optimizer: impl Optimizer<Query = FoldQuery, Recommendation = Best<Config>> + 'static,
    ) -> Self {
        Self::Other(Box::new(optimizer))
    }

    pub fn fractional(optimizer: FractionalCv) -> Self {
        Self::Fractional(Box::new(optimizer))
    }

    /// The same method, which on a list keeps the fold of what it suggests.
    pub fn with_fold_first(self) -> Self {
        Self::new(self)
    }

    /// The same method on a list of configurations.
    pub fn on_list(self, list: Arc<Listed>) -> Self {
        match self {
            Self::Fractional(optimizer) => Self::new(FoldLast { optimizer: *optimizer, list }),
            Self::Other(_) => Self::new(OnList { optimizer: self, list }),
        }
    }

    fn inner(&self) -> &Folds {
        match self {
            Self::Fractional(optimizer) => &**optimizer,
            Self::Other(optimizer) => &**optimizer,
        }
    }

    fn inner_mut(&mut self) -> &mut Folds {
        match self {
            Self::Fractional(optimizer) => &mut **optimizer,
            Self::Other(optimizer) => &mut **optimizer,
        }
    }
}

impl Optimizer for Any {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        self.inner_mut().ask(history, id)
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.inner_mut().recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        self.inner().fingerprint()
    }
}

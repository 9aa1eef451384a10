use thrifty_cv::FoldQuery;
use thrifty_study::History;

use crate::{FoldBelief, FractionalSettings, Incumbent};

/// What is left to do so that the best are known by whole cross-validations.
pub(crate) enum Verification {
    /// Not yet, or not at all.
    NotNow,
    /// This fold of this trial's configuration is missing.
    Missing { trial: usize, fold: usize },
    /// All of the budget is spent.
    Spent { budget: usize },
}

impl Verification {
    pub(crate) fn next(
        settings: &FractionalSettings,
        belief: &FoldBelief,
        history: &History<FoldQuery>,
    ) -> Self {
        let Incumbent::Verified { top, budget } = settings.incumbent else { return Self::NotNow };
        if history.len() >= budget {
            return Self::Spent { budget };
        }
        let mut missing = Vec::new();
        for best in belief.ranked(settings.incumbent).iter().take(top) {
            let new = belief.new_folds(best.x, settings.folds);
            missing.extend(new.into_iter().map(|fold| (best.trial, fold)));
        }
        match missing.first() {
            Some(&(trial, fold)) if history.len() + missing.len() >= budget => Self::Missing { trial, fold },
            _ => Self::NotNow,
        }
    }
}

/// The trial whose configuration is the best: verified ones by their measured means if the rule asks for that.
pub(crate) fn recommended(settings: &FractionalSettings, belief: &FoldBelief) -> Option<usize> {
    let ranked = belief.ranked(settings.incumbent);
    if let Incumbent::Verified { .. } = settings.incumbent {
        let evidence = belief.evidence();
        let whole = |i: usize| Some((evidence.whole_mean(i, settings.folds)?, evidence.first[i]));
        let best = (0..evidence.evaluated.len()).filter_map(whole).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, trial)) = best {
            return Some(trial);
        }
    }
    ranked.first().map(|best| best.trial)
}

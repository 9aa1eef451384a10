use thrifty_cv::FoldQuery;
use thrifty_space::Space;
use thrifty_study::{History, Memo, MemoKey, OptimizerError};

use crate::evidence::Evidence;
use crate::{Evaluated, FractionalSettings};

/// Name in the memo of the first trials of the finalists, best first.
static FINALISTS: MemoKey<Vec<f64>> = MemoKey::new("finalists");
/// Name in the memo of the number of trials at which verification ends.
static END: MemoKey<u64> = MemoKey::new("verification_end");

/// Number of configurations to verify, and the number of trials at which the study ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VerificationPlan {
    pub(crate) finalists: usize,
    pub(crate) end: usize,
}

/// Verification under way: the finalists, fixed when it began, by the first trial of each.
///
/// Every trial of the verification carries them in its memo, so that a resumed study goes on with the same ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verification {
    pub(crate) finalists: Vec<usize>,
    pub(crate) end: usize,
}

/// A fold to be evaluated: of the configuration of this trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissingFold {
    pub(crate) trial: usize,
    pub(crate) fold: usize,
}

impl Verification {
    /// The verification that the last of its trials from number `from` on recorded.
    pub(crate) fn recorded(history: &History<FoldQuery>, from: usize) -> Option<Self> {
        let later = history.trials().get(from..).unwrap_or_default();
        later.iter().rev().find_map(|trial| {
            let finalists = trial.memo.get(&FINALISTS)?;
            let end = trial.memo.get(&END)?;
            Some(Self { finalists: finalists.iter().map(|at| *at as usize).collect(), end: end as usize })
        })
    }

    /// Memo of every trial of the verification.
    pub(crate) fn memo(&self) -> Memo {
        let mut memo = Memo::default();
        memo.set(&FINALISTS, &self.finalists.iter().map(|at| *at as f64).collect());
        memo.set(&END, &(self.end as u64));
        memo
    }

    /// The state of each finalist: its missing folds, or nothing when one of its folds failed.
    pub(crate) fn missing(
        &self,
        space: &Space,
        folds: usize,
        evidence: &Evidence,
        history: &History<FoldQuery>,
    ) -> Result<Vec<Option<Vec<MissingFold>>>, OptimizerError> {
        let of_one = |&trial: &usize| {
            let known = history.trials().get(trial);
            let point = known.map(|known| space.encode(&known.query.config)).transpose();
            let point =
                point.map_err(|error| OptimizerError::failed(format!("encoding trial {trial}"), error))?;
            let missing = point.and_then(|point| evidence.missing_folds(&point, folds));
            Ok(missing.map(|all| all.into_iter().map(|fold| MissingFold { trial, fold }).collect()))
        };
        self.finalists.iter().map(of_one).collect()
    }

    /// Adds configurations in the order of their rank, each if its missing folds fit into what is left of `fits`, until
    /// `count` were added. A configuration with a failed fold cannot be completed and is passed over.
    pub(crate) fn recruit(
        &mut self,
        ranked: &[Evaluated<'_>],
        evidence: &Evidence,
        folds: usize,
        count: usize,
        fits: usize,
    ) {
        let (mut added, mut left) = (0, fits);
        for candidate in ranked {
            if added == count {
                return;
            }
            let Some(missing) = evidence.missing_folds(candidate.x, folds) else { continue };
            if missing.len() <= left && !self.finalists.contains(&candidate.trial) {
                self.finalists.push(candidate.trial);
                added += 1;
                left -= missing.len();
            }
        }
    }
}

/// True if the fits that are left are just enough to complete the best configurations.
pub(crate) fn is_due(
    settings: &FractionalSettings,
    plan: VerificationPlan,
    ranked: &[Evaluated<'_>],
    evidence: &Evidence,
    asked: usize,
) -> bool {
    let missing = ranked.iter().filter_map(|one| evidence.missing_folds(one.x, settings.folds));
    let needed: usize = missing.take(plan.finalists).map(|folds| folds.len()).sum();
    needed > 0 && asked + needed >= plan.end
}

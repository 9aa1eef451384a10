//! Finalists of a verification and their missing folds, kept in memos.

use thrifty_cv::FoldQuery;
use thrifty_space::Space;
use thrifty_study::{History, Memo, MemoKey, OptimizerError};

use crate::evidence::Evidence;
use crate::{Evaluated, FractionalSettings};

/// Memo key of the first trials of the finalists, best first.
static FINALISTS: MemoKey<Vec<f64>> = MemoKey::new("finalists");
/// Memo key of the number of trials at which verification ends.
static END: MemoKey<u64> = MemoKey::new("verification_end");
/// Memo key that marks a verification on demand.
static REQUESTED: MemoKey<u64> = MemoKey::new("verification_requested");

/// Number of configurations to verify, and the number of trials at which the study ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VerificationPlan {
    pub(crate) finalists: usize,
    pub(crate) end: usize,
}

/// A verification in progress, with its fixed finalists. Each finalist is given by its first trial.
///
/// Every trial of the verification has the finalists in its memo, so a resumed study keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verification {
    pub(crate) finalists: Vec<usize>,
    pub(crate) end: usize,
    /// True for a verification on demand: it ends the study independently of the budget.
    pub(crate) requested: bool,
}

/// A missing fold of the configuration of this trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissingFold {
    pub(crate) trial: usize,
    pub(crate) fold: usize,
}

impl Verification {
    /// The verification recorded by the last of its trials from number `from` on.
    pub(crate) fn recorded(history: &History<FoldQuery>, from: usize) -> Option<Self> {
        let later = history.trials().get(from..).unwrap_or_default();
        later.iter().rev().find_map(|trial| {
            let finalists = trial.memo.get(&FINALISTS)?;
            let end = trial.memo.get(&END)?;
            let finalists = finalists.iter().map(|at| *at as usize).collect();
            Some(Self { finalists, end: end as usize, requested: trial.memo.contains(&REQUESTED) })
        })
    }

    /// True if a trial belongs to a verification on demand.
    pub(crate) fn was_requested(history: &History<FoldQuery>) -> bool {
        history.trials().iter().any(|trial| trial.memo.contains(&REQUESTED))
    }

    /// Memo of every trial of the verification.
    pub(crate) fn memo(&self) -> Memo {
        let mut memo = Memo::default();
        memo.set(&FINALISTS, &self.finalists.iter().map(|at| *at as f64).collect());
        memo.set(&END, &(self.end as u64));
        if self.requested {
            memo.set(&REQUESTED, &1);
        }
        memo
    }

    /// The missing folds of each finalist; `None` if one of its folds failed.
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

    /// Adds candidates in the order of their rank until there are `count`. Each is added if its missing folds fit into the rest of
    /// `fits`. A configuration with a failed fold cannot be completed and is skipped.
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

/// True if the remaining fits just suffice to complete the best configurations.
pub(crate) fn is_due(
    settings: &FractionalSettings,
    plan: VerificationPlan,
    ranked: &[Evaluated<'_>],
    evidence: &Evidence,
    asked: usize,
) -> bool {
    let missing = ranked.iter().filter_map(|one| evidence.missing_folds(one.x, settings.all_folds()));
    let needed: usize = missing.take(plan.finalists).map(|folds| folds.len()).sum();
    needed > 0 && asked + needed >= plan.end
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_space::Config;
    use thrifty_study::{Trial, TrialId};

    use super::*;

    /// Three configurations: 0.1 has all folds but two, 0.5 all but one, at 0.9 one failed. First trials 4, 7 and 9.
    fn evidence() -> Evidence {
        Evidence {
            x: Points::from_flat(vec![0.1, 0.5, 0.5, 0.9], 1),
            folds: vec![0, 0, 1, 0],
            y: vec![1.0; 4],
            noise_variances: vec![0.0; 4],
            costs: vec![None; 4],
            constraints: Vec::new(),
            of: vec![0, 1, 1, 2],
            pending: Points::new(1),
            pending_folds: vec![],
            evaluated: Points::from_flat(vec![0.1, 0.5, 0.9], 1),
            first: vec![4, 7, 9],
            asked: Vec::new(),
            failed: vec![(vec![0.9], 2)],
            ended: Points::new(1),
            classes: Vec::new(),
        }
    }

    const POINTS: [[f64; 1]; 3] = [[0.1], [0.9], [0.5]];

    /// Best first: 0.1, then 0.9, then 0.5.
    fn ranked() -> Vec<Evaluated<'static>> {
        let trials = [4, 9, 7];
        let one = |(x, trial): (&'static [f64; 1], usize)| Evaluated { x, mean: 0.0, std_dev: 0.0, trial };
        POINTS.iter().zip(trials).map(one).collect()
    }

    #[test]
    fn finalists_are_the_best_that_the_fits_can_complete() {
        let evidence = evidence();
        let recruited = |from: &[usize], count: usize, fits: usize| {
            let mut verification = Verification { finalists: from.to_vec(), end: 30, requested: false };
            verification.recruit(&ranked(), &evidence, 3, count, fits);
            verification.finalists
        };
        // The first needs two fits, the last one; the one between has a fold that failed.
        assert!(recruited(&[], 0, 9).is_empty());
        assert_eq!(recruited(&[], 1, 9), [4]);
        assert_eq!(recruited(&[], 2, 3), [4, 7]);
        assert_eq!(recruited(&[], 3, 9), [4, 7]);
        assert_eq!(recruited(&[], 2, 2), [4], "no fit is left for the second");
        assert_eq!(recruited(&[], 2, 1), [7], "one fit is not enough for the first");
        assert!(recruited(&[], 2, 0).is_empty());
        assert_eq!(recruited(&[4], 1, 1), [4, 7], "none is added twice");
        assert_eq!(recruited(&[4], 1, 2), [4, 7]);
    }

    #[test]
    fn verification_is_due_when_the_fits_left_are_just_enough() {
        let (evidence, settings) = (evidence(), FractionalSettings::new(3));
        let due = |finalists, end, asked| {
            is_due(&settings, VerificationPlan { finalists, end }, &ranked(), &evidence, asked)
        };
        // One finalist needs two fits, two of them three.
        assert_eq!([due(1, 10, 7), due(1, 10, 8), due(1, 10, 9)], [false, true, true]);
        assert_eq!([due(2, 10, 6), due(2, 10, 7), due(5, 10, 7)], [false, true, true]);
        assert!(!due(0, 10, 10), "nothing is missing");
    }

    fn trial(x: f64, memo: Memo) -> Trial<FoldQuery> {
        let mut config = Config::new();
        config.insert("x", x);
        Trial { memo, ..Trial::new(TrialId(0), FoldQuery { config, repeat: 0, fold: 0 }, None) }
    }

    /// The last that was recorded counts, and nothing before the first trial asked for.
    #[test]
    fn a_verification_is_found_in_the_memos() {
        let early = Verification { finalists: vec![2, 0], end: 20, requested: false };
        let late = Verification { finalists: vec![2, 0, 5], end: 25, requested: true };
        let history = History::from_trials(
            vec![
                trial(0.1, Memo::default()),
                trial(0.2, early.memo()),
                trial(0.3, late.memo()),
                trial(0.4, Memo::default()),
            ],
            thrifty_sampling::Seed(0),
        );
        for (from, expected) in [(0, Some(&late)), (2, Some(&late)), (3, None), (4, None), (9, None)] {
            assert_eq!(Verification::recorded(&history, from).as_ref(), expected, "{from}");
        }
        let first = History::from_trials(history.trials()[..2].to_vec(), thrifty_sampling::Seed(0));
        assert_eq!(Verification::recorded(&first, 0), Some(early));
        let mut half = Memo::default();
        half.set(&FINALISTS, &vec![1.0]);
        assert_eq!(
            Verification::recorded(
                &History::from_trials(vec![trial(0.1, half)], thrifty_sampling::Seed(0)),
                0
            ),
            None
        );
    }

    #[test]
    fn missing_folds_are_those_of_the_configurations_of_the_finalists() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let history = History::from_trials(
            [0.5, 0.9, 0.1, 0.7].map(|x| trial(x, Memo::default())).to_vec(),
            thrifty_sampling::Seed(0),
        );
        let verification = Verification { finalists: vec![2, 0, 1, 3, 8], end: 20, requested: false };
        let found = verification.missing(&space, 3, &evidence(), &history).unwrap();
        let of = |trial: usize, folds: &[usize]| {
            Some(folds.iter().map(|&fold| MissingFold { trial, fold }).collect::<Vec<_>>())
        };
        assert_eq!(found, [of(2, &[1, 2]), of(0, &[2]), None, of(3, &[0, 1, 2]), None]);
    }
}

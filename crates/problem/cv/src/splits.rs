//! Splits of rows into folds.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use thrifty_sampling::{Seed, Stream};

use crate::SplitError;

/// One fold: rows to train on and rows to test on; ascending, unless given otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Rows to train on: every row that is not tested, unless given otherwise.
    pub train: Vec<usize>,
    /// Rows held out.
    pub test: Vec<usize>,
}

/// Split of data into folds, once or repeated: in every repeat each row is tested exactly once, unless the folds are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splits {
    /// Repeat by repeat, all with the same number of folds.
    repeats: Vec<Vec<Fold>>,
}

impl Splits {
    /// Given folds, repeat by repeat: windows of a time series, a predefined split, random holdouts.
    ///
    /// Rows may be tested more than once or never, and need not be trained on.
    ///
    /// ```
    /// use thrifty_cv::{Fold, Splits};
    /// // Each window tests the ten rows after those that it trains on.
    /// let windows = (1..4).map(|i| Fold { train: (0..10 * i).collect(), test: (10 * i..10 * (i + 1)).collect() });
    /// let splits = Splits::new(vec![windows.collect()])?;
    /// assert_eq!((splits.repeats(), splits.folds()), (1, 3));
    /// # Ok::<(), thrifty_cv::SplitError>(())
    /// ```
    ///
    /// # Errors
    /// [`SplitError`]: no repeats, fewer than two folds, another number of folds than in the first repeat, or a fold without rows to
    /// train or test on, or with a row on both sides.
    pub fn new(repeats: Vec<Vec<Fold>>) -> Result<Self, SplitError> {
        let expected = repeats.first().ok_or(SplitError::NoRepeats)?.len();
        for (repeat, folds) in repeats.iter().enumerate() {
            if folds.len() < 2 {
                return Err(SplitError::TooFewFolds { repeat, folds: folds.len() });
            }
            if folds.len() != expected {
                return Err(SplitError::UnequalFolds { repeat, folds: folds.len(), expected });
            }
            for (fold, Fold { train, test }) in folds.iter().enumerate() {
                for (part, rows) in [("train", train), ("test", test)] {
                    if rows.is_empty() {
                        return Err(SplitError::EmptyPart { repeat, fold, part });
                    }
                }
                let trained: HashSet<usize> = train.iter().copied().collect();
                if let Some(&row) = test.iter().find(|row| trained.contains(*row)) {
                    return Err(SplitError::Overlap { repeat, fold, row });
                }
            }
        }
        Ok(Self { repeats })
    }

    /// Rows dealt at random; sizes of folds differ by at most one.
    ///
    /// # Errors
    /// [`SplitError::FoldCount`].
    pub fn k_fold(rows: usize, folds: usize, seed: Seed) -> Result<Self, SplitError> {
        Self::repeated_k_fold(rows, folds, 1, seed)
    }

    /// [`Splits::k_fold`] several times over, each time with other folds.
    ///
    /// # Errors
    /// [`SplitError`].
    pub fn repeated_k_fold(
        rows: usize,
        folds: usize,
        repeats: usize,
        seed: Seed,
    ) -> Result<Self, SplitError> {
        check(rows, folds, repeats)?;
        let one = |rng: &mut Stream| {
            let mut order: Vec<usize> = (0..rows).collect();
            rng.shuffle(&mut order);
            deal(&order, folds)
        };
        Ok(Self::repeat(rows, folds, repeats, seed, one))
    }

    /// Repeated stratified folds: counts of a class differ by at most one between the folds of a repeat.
    ///
    /// See also [`Splits::repeated_k_fold`].
    ///
    /// # Errors
    /// [`SplitError`].
    pub fn stratified(
        classes: &[usize],
        folds: usize,
        repeats: usize,
        seed: Seed,
    ) -> Result<Self, SplitError> {
        check(classes.len(), folds, repeats)?;
        let one = |rng: &mut Stream| {
            let mut order: Vec<usize> = (0..classes.len()).collect();
            rng.shuffle(&mut order);
            // Class after class, dealt on where the last one ended: folds stay of one size as well.
            order.sort_by_key(|row| classes[*row]);
            deal(&order, folds)
        };
        Ok(Self::repeat(classes.len(), folds, repeats, seed, one))
    }

    /// Repeated folds that keep the rows of a group together.
    ///
    /// Large groups are placed first, each in the fold that is smallest so far. See also [`Splits::repeated_k_fold`].
    ///
    /// # Errors
    /// [`SplitError`], also for fewer groups than folds.
    pub fn grouped(groups: &[usize], folds: usize, repeats: usize, seed: Seed) -> Result<Self, SplitError> {
        check(groups.len(), folds, repeats)?;
        let mut sizes_of = BTreeMap::<usize, usize>::new();
        groups.iter().for_each(|group| *sizes_of.entry(*group).or_insert(0) += 1);
        let names: Vec<usize> = sizes_of.keys().copied().collect();
        if names.len() < folds {
            return Err(SplitError::TooFewGroups { groups: names.len(), folds });
        }
        let one = |rng: &mut Stream| {
            let mut order = names.clone();
            rng.shuffle(&mut order);
            order.sort_by_key(|name| Reverse(sizes_of[name]));
            let mut sizes = vec![0; folds];
            let mut of_group = BTreeMap::new();
            for name in order {
                let smallest = (0..folds).min_by_key(|fold| sizes[*fold]).unwrap_or(0);
                sizes[smallest] += sizes_of[&name];
                of_group.insert(name, smallest);
            }
            groups.iter().map(|group| of_group[group]).collect()
        };
        Ok(Self::repeat(groups.len(), folds, repeats, seed, one))
    }

    /// Builds all repeats; `one` returns the test fold of each row.
    fn repeat(
        rows: usize,
        folds: usize,
        repeats: usize,
        seed: Seed,
        one: impl Fn(&mut Stream) -> Vec<usize>,
    ) -> Self {
        let split = |repeat: usize| {
            let of_row = one(&mut seed.stream("splits", repeat as u64));
            let fold = |fold: usize| {
                let (test, train) = (0..rows).partition(|row| of_row[*row] == fold);
                Fold { train, test }
            };
            (0..folds).map(fold).collect()
        };
        Self { repeats: (0..repeats).map(split).collect() }
    }

    /// Number of repeats.
    #[must_use]
    pub fn repeats(&self) -> usize {
        self.repeats.len()
    }

    /// Number of folds of each repeat.
    #[must_use]
    pub fn folds(&self) -> usize {
        self.repeats.first().map_or(0, Vec::len)
    }

    /// One fold, if there is one of this number.
    #[must_use]
    pub fn get(&self, repeat: usize, fold: usize) -> Option<&Fold> {
        self.repeats.get(repeat)?.get(fold)
    }
}

fn check(rows: usize, folds: usize, repeats: usize) -> Result<(), SplitError> {
    if repeats == 0 {
        return Err(SplitError::NoRepeats);
    }
    if folds < 2 || folds > rows {
        return Err(SplitError::FoldCount { folds, rows });
    }
    Ok(())
}

/// The fold of each row when rows are dealt in turn.
fn deal(order: &[usize], folds: usize) -> Vec<usize> {
    let mut of_row = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, row)| of_row[*row] = at % folds);
    of_row
}

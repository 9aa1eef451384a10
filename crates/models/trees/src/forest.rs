//! Random forests for regression.

use thrifty_check::{all_finite, entries, length, number};
use thrifty_sampling::Seed;

use crate::groups::{GroupedRows, predict_groups};
use crate::grow::{Grower, Growth};
use crate::rows::predict;
use crate::table::Bins;
use crate::tree::Tree;
use crate::{Table, TreesError};

/// Settings of a random forest.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForestSettings {
    /// Number of trees.
    pub trees: usize,
    /// Number of features tried per split; a third of all if none is given.
    pub features: Option<usize>,
    /// Smallest number of rows of a leaf.
    pub min_leaf: usize,
    /// Fewest rows of a node that is split.
    pub min_split: usize,
    /// Least fall of the mean squared error over the rows of the tree by a split. For targets 0 and 1 that is half the fall
    /// of the Gini impurity.
    pub min_decrease: f64,
    /// Largest depth of a tree, in splits.
    pub max_depth: Option<usize>,
    /// Rows drawn per tree, with repetition, as a share of all rows.
    pub sample: f64,
}

impl Default for ForestSettings {
    /// Usual settings for regression: 100 trees, a third of the features, leaves of five rows, bootstrap samples.
    fn default() -> Self {
        Self {
            trees: 100,
            features: None,
            min_leaf: 5,
            min_split: 2,
            min_decrease: 0.0,
            max_depth: None,
            sample: 1.0,
        }
    }
}

/// A random forest for regression: the mean of trees on bootstrap samples, each split the best of some features.
/// Source: Breiman (2001).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Raw")]
pub struct Forest {
    pub(crate) bins: Bins,
    pub(crate) trees: Vec<Tree>,
    /// Taken off the targets before growing, and added to predictions.
    #[serde(skip_serializing_if = "is_zero")]
    base: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(base: &f64) -> bool {
    *base == 0.0
}

/// A forest as a file has it.
#[derive(serde::Deserialize)]
struct Raw {
    bins: Bins,
    trees: Vec<Tree>,
    #[serde(default)]
    base: f64,
}

impl TryFrom<Raw> for Forest {
    type Error = TreesError;

    fn try_from(raw: Raw) -> Result<Self, TreesError> {
        raw.bins.check()?;
        raw.trees.iter().try_for_each(|tree| tree.check(raw.bins.columns()))?;
        number("base", raw.base, raw.base.is_finite(), "a finite number")?;
        Ok(Self { bins: raw.bins, trees: raw.trees, base: raw.base })
    }
}

pub(crate) fn checked(table: &Table, targets: &[f64]) -> Result<(), TreesError> {
    length("targets", targets.len(), table.rows())?;
    all_finite("target", targets)?;
    Ok(())
}

/// Checks that leaves of single precision, which ends at 3.4e38, hold the differences of the targets from the base of a model.
pub(crate) fn fit_leaves(targets: &[f64], base: f64) -> Result<(), TreesError> {
    let expected = "a number within 1e37 of the base of the model";
    entries("target", targets, |y| (y - base).abs() <= 1e37, expected)?;
    Ok(())
}

/// Mean of targets that are much farther from 0 than from each other, else 0: leaves of single precision would not hold their differences.
fn offset(targets: &[f64]) -> f64 {
    let n = targets.len() as f64;
    let mean = targets.iter().map(|y| y / n).sum::<f64>();
    let spread = targets.iter().map(|y| ((y - mean) / mean).powi(2) / n).sum::<f64>();
    if mean.is_finite() && spread > 0.0 && spread < 1e-6 { mean } else { 0.0 }
}

impl Forest {
    /// Grown on `threads` threads; the same trees on any number of them.
    ///
    /// # Errors
    /// [`TreesError`] for targets that do not fit the rows, are not finite or too large for single precision (1e37), or a setting that makes no
    /// sense.
    pub fn fit(
        table: &Table,
        targets: &[f64],
        settings: &ForestSettings,
        seed: Seed,
        threads: usize,
    ) -> Result<Self, TreesError> {
        checked(table, targets)?;
        number("number of trees", settings.trees as f64, settings.trees > 0, "at least 1")?;
        number(
            "sample",
            settings.sample,
            settings.sample > 0.0 && settings.sample <= 1.0,
            "above 0 and up to 1",
        )?;
        number(
            "least decrease",
            settings.min_decrease,
            settings.min_decrease >= 0.0 && settings.min_decrease.is_finite(),
            "a finite number that is not negative",
        )?;
        let columns = table.columns();
        let growth = Growth {
            min_leaf: settings.min_leaf,
            min_split: settings.min_split,
            min_decrease: settings.min_decrease,
            max_depth: settings.max_depth.unwrap_or(usize::MAX),
            features: settings.features.unwrap_or(columns.div_ceil(3)).clamp(1, columns),
        };
        let base = offset(targets);
        fit_leaves(targets, base)?;
        let centred: Vec<f64> = targets.iter().map(|y| y - base).collect();
        let drawn = ((table.rows() as f64 * settings.sample).round() as usize).max(1);
        let mut trees: Vec<Option<Tree>> = vec![None; settings.trees];
        let share = settings.trees.div_ceil(threads.max(1));
        let centred = &centred[..];
        std::thread::scope(|scope| {
            for (part, slots) in trees.chunks_mut(share).enumerate() {
                scope.spawn(move || {
                    let mut grower = Grower::new(table, centred, growth);
                    for (i, slot) in slots.iter_mut().enumerate() {
                        let mut rng = seed.stream("tree", (part * share + i) as u64);
                        let mut rows: Vec<u32> = (0..drawn).map(|_| rng.index(table.rows()) as u32).collect();
                        // Neighbours in memory are asked together.
                        rows.sort_unstable();
                        *slot = Some(grower.tree(&mut rows, &mut rng).by_blocks());
                    }
                });
            }
        });
        Ok(Self { bins: table.bins().clone(), trees: trees.into_iter().flatten().collect(), base })
    }

    /// Means over the trees, for row-major features.
    ///
    /// # Errors
    /// [`TreesError`] for rows of another length.
    pub fn predict(&self, rows: &[f32]) -> Result<Vec<f64>, TreesError> {
        predict(&self.bins, &self.trees, self.base, 1.0 / self.trees.len().max(1) as f64, rows)
    }

    /// [`Forest::predict`] to the bit for rows in groups: faster where rows of a group share most features.
    ///
    /// # Errors
    /// [`TreesError`] for rows of another number of features.
    pub fn predict_groups(&self, rows: &GroupedRows) -> Result<Vec<f64>, TreesError> {
        let scale = 1.0 / self.trees.len().max(1) as f64;
        predict_groups(&self.bins, &self.trees, self.base, scale, rows)
    }

    /// Mean and variance over the predictions of the trees, for row-major features. Overwrites.
    pub(crate) fn moments_into(&self, rows: &[f32], mean: &mut [f64], variance: &mut [f64]) {
        let mut codes = Vec::with_capacity(rows.len());
        self.bins.code(rows, &mut codes);
        mean.fill(0.0);
        variance.fill(0.0);
        let mut one = vec![0.0; mean.len()];
        for (count, tree) in (1_u32..).map(f64::from).zip(&self.trees) {
            one.fill(0.0);
            tree.add(&codes, self.bins.columns(), 1.0, &mut one);
            // Source: Welford (1962).
            for ((mean, variance), value) in mean.iter_mut().zip(variance.iter_mut()).zip(&one) {
                let before = value - *mean;
                *mean += before / count;
                *variance += before * (value - *mean);
            }
        }
        mean.iter_mut().for_each(|mean| *mean += self.base);
        let trees = self.trees.len().max(1) as f64;
        variance.iter_mut().for_each(|sum| *sum /= trees);
    }
}

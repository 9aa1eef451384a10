//! Gradient-boosted regression trees.

use thrifty_check::number;
use thrifty_sampling::Seed;

use crate::forest::{checked, fit_leaves};
use crate::groups::{GroupedRows, predict_groups};
use crate::grow::{Grower, Growth};
use crate::rows::predict;
use crate::table::Bins;
use crate::tree::Tree;
use crate::{Table, TreesError};

/// Settings of gradient boosting.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BoostingSettings {
    /// Number of trees.
    pub rounds: usize,
    /// Learning rate: the share of each tree that is added.
    pub rate: f64,
    /// Largest depth of a tree, in splits.
    pub max_depth: usize,
    /// Smallest number of rows of a leaf.
    pub min_leaf: usize,
}

impl Default for BoostingSettings {
    /// 150 trees of up to 16 leaves, a tenth of each.
    fn default() -> Self {
        Self { rounds: 150, rate: 0.1, max_depth: 4, min_leaf: 20 }
    }
}

/// Gradient boosting for squared errors: every tree is grown on what those before it leave. Source: Friedman (2001).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Raw")]
pub struct Boosting {
    bins: Bins,
    base: f64,
    rate: f64,
    trees: Vec<Tree>,
}

/// Boosted trees as a file has them.
#[derive(serde::Deserialize)]
struct Raw {
    bins: Bins,
    base: f64,
    rate: f64,
    trees: Vec<Tree>,
}

impl TryFrom<Raw> for Boosting {
    type Error = TreesError;

    fn try_from(raw: Raw) -> Result<Self, TreesError> {
        let Raw { bins, base, rate, trees } = raw;
        number("base", base, base.is_finite(), "a finite number")?;
        number("rate", rate, rate.is_finite(), "a finite number")?;
        bins.check()?;
        trees.iter().try_for_each(|tree| tree.check(bins.columns()))?;
        Ok(Self { bins, base, rate, trees })
    }
}

impl Boosting {
    /// # Errors
    /// [`TreesError`] for targets that do not fit the rows, are not finite or too large for single precision (1e37), or a setting that makes no
    /// sense.
    pub fn fit(table: &Table, targets: &[f64], settings: &BoostingSettings) -> Result<Self, TreesError> {
        checked(table, targets)?;
        let BoostingSettings { rounds, rate, max_depth, min_leaf } = *settings;
        number("rate", rate, rate > 0.0 && rate <= 1.0, "above 0 and up to 1")?;
        let columns = table.columns();
        let base = targets.iter().sum::<f64>() / targets.len() as f64;
        fit_leaves(targets, base)?;
        let mut found = vec![base; targets.len()];
        let mut trees = Vec::with_capacity(rounds);
        // Every feature is tried: no random choice.
        let mut rng = Seed(0).stream("boosting", 0);
        for _ in 0..rounds {
            let left: Vec<f64> = targets.iter().zip(&found).map(|(y, f)| y - f).collect();
            let mut rows: Vec<u32> = (0..targets.len() as u32).collect();
            let growth = Growth::new(min_leaf, max_depth, columns);
            let (tree, leaves) = Grower::new(table, &left, growth).tree_with_leaves(&mut rows, &mut rng);
            for (own, from, to) in leaves {
                let step = rate * f64::from(tree.values[own]);
                rows[from..to].iter().for_each(|row| found[*row as usize] += step);
            }
            if tree.depth == 0 {
                break;
            }
            trees.push(tree);
        }
        Ok(Self { bins: table.bins().clone(), base, rate, trees })
    }

    /// For row-major features.
    ///
    /// # Errors
    /// [`TreesError`] for rows of another length.
    pub fn predict(&self, rows: &[f32]) -> Result<Vec<f64>, TreesError> {
        predict(&self.bins, &self.trees, self.base, self.rate, rows)
    }

    /// [`Boosting::predict`] to the bit for rows in groups: faster where rows of a group share most features.
    ///
    /// # Errors
    /// [`TreesError`] for rows of another number of features.
    pub fn predict_groups(&self, rows: &GroupedRows) -> Result<Vec<f64>, TreesError> {
        predict_groups(&self.bins, &self.trees, self.base, self.rate, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that JSON cannot hold, but other formats can.
    #[test]
    fn a_file_with_numbers_that_are_not_finite_is_no_model() {
        let table = Table::new((0..8_u8).map(f32::from).collect(), 1, 8).unwrap();
        let targets = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let settings = BoostingSettings { rounds: 1, min_leaf: 1, ..BoostingSettings::default() };
        let fitted = Boosting::fit(&table, &targets, &settings).unwrap();
        let read = |base: f64, rate: f64| {
            Boosting::try_from(Raw { bins: fitted.bins.clone(), base, rate, trees: fitted.trees.clone() })
        };
        assert_eq!(read(fitted.base, fitted.rate).unwrap(), fitted);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (name, found) in [("base", read(bad, 0.1)), ("rate", read(0.5, bad))] {
                let message = found.unwrap_err().to_string();
                assert!(message.contains(name) && message.contains("a finite number"), "{bad}: {message}");
            }
        }
    }
}

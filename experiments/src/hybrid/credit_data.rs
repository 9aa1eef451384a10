//! The credit approval table, or one that a library ships.

use std::path::Path;

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, BoostingSettings, Table};

use crate::data;
use crate::error::ExperimentError;

/// A table of numbers with two classes.
pub struct Credit {
    pub rows: Vec<Vec<f64>>,
    pub labels: Vec<u32>,
    /// Description of the data and of how values were handled.
    pub description: String,
}

/// Path of the credit data below the data folder.
pub const FILE: &str = "uci/crx.data";

impl Credit {
    /// The credit approval table, if the data folder has it, else a table that the forest's library ships.
    pub fn load(folder: Option<&Path>) -> Result<Self, ExperimentError> {
        match data::file(folder, FILE) {
            Some(path) => Self::crx(&path),
            None => Ok(Self::shipped()),
        }
    }

    /// 15 attributes and a class. Categories become their rank in the alphabet, as trees only need an order; a
    /// missing category is a category of its own, a missing number the median of its column.
    fn crx(path: &Path) -> Result<Self, ExperimentError> {
        const NUMERIC: [usize; 6] = [1, 2, 7, 10, 13, 14];
        let text = data::read(path)?;
        let cells: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.trim().split(',').collect())
            .collect();
        for (at, row) in cells.iter().enumerate() {
            let class = row.last().copied().unwrap_or_default();
            if row.len() != 16 || !(class == "+" || class == "-") {
                let message = format!(
                    "line {}: {} columns ending in {class:?}, expected 16 ending in + or -",
                    at + 1,
                    row.len()
                );
                return Err(ExperimentError::data(path, message));
            }
        }
        let mut rows = vec![Vec::with_capacity(15); cells.len()];
        let mut missing = 0;
        for column in 0..15 {
            let values: Vec<&str> = cells.iter().map(|row| row[column]).collect();
            missing += values.iter().filter(|v| **v == "?").count();
            let codes =
                if NUMERIC.contains(&column) { numbers(&values, path, column)? } else { categories(&values) };
            rows.iter_mut().zip(codes).for_each(|(row, code)| row.push(code));
        }
        let labels: Vec<u32> = cells.iter().map(|row| u32::from(row[15] == "+")).collect();
        let description = format!(
            "UCI Credit Approval, {} rows, 15 attributes; categories as ranks, {missing} missing values: a missing category is a \
             category of its own, a missing number the column's median; features not normalised",
            rows.len()
        );
        Ok(Self { rows, labels, description })
    }

    /// Every so-many-th row, in the order of the file: a smaller table for a look.
    pub fn every(mut self, step: usize) -> Self {
        let kept = |at: usize| at.is_multiple_of(step);
        let mut at = 0..;
        self.rows.retain(|_| at.next().is_some_and(kept));
        let mut at = 0..;
        self.labels.retain(|_| at.next().is_some_and(kept));
        if step > 1 {
            self.description.push_str(&format!("; of these rows every {step}th, so {}", self.rows.len()));
        }
        self
    }

    fn shipped() -> Self {
        let set = smartcore::dataset::breast_cancer::load_dataset();
        let rows = set
            .data
            .chunks(set.num_features)
            .map(|row| row.iter().map(|v| f64::from(*v)).collect())
            .collect();
        let description = format!(
            "breast cancer, {} rows, {} attributes, shipped with the random forest's library, in place of the credit data: \
             `data get crx` fetches those",
            set.num_samples, set.num_features
        );
        Self { rows, labels: set.target.clone(), description }
    }

    /// Cross-validated accuracy of a fresh learner of so many trees: new trees and new folds for every seed.
    pub fn accuracy(
        &self,
        learner: Learner,
        trees: u16,
        folds: usize,
        seed: Seed,
    ) -> Result<f64, ExperimentError> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        seed.stream("folds", 0).shuffle(&mut order);
        let mut right = 0;
        for fold in 0..folds {
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..order.len()).partition(|position| position % folds == fold);
            let pick = |positions: &[usize]| -> (Vec<Vec<f64>>, Vec<u32>) {
                positions.iter().map(|&p| (self.rows[order[p]].clone(), self.labels[order[p]])).unzip()
            };
            let (train, (test_x, test_y)) = (pick(&train), pick(&test));
            let predicted = match learner {
                Learner::Forest => forest(&train, &test_x, trees, seed.child("forest", fold as u64))?,
                Learner::Boosting => boosting(&train, &test_x, trees)?,
            };
            right += predicted.iter().zip(&test_y).filter(|(a, b)| a == b).count();
        }
        Ok(right as f64 / order.len() as f64)
    }
}

/// Learner whose number of trees is tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learner {
    /// smartcore's random forest with its defaults: the learner of the paper.
    Forest,
    /// Gradient boosting for squared errors of the class, 0 or 1, with its defaults; predicted is the class above one half.
    Boosting,
}

impl Learner {
    pub const ALL: [Self; 2] = [Self::Forest, Self::Boosting];

    pub fn name(self) -> &'static str {
        match self {
            Self::Forest => "random forest",
            Self::Boosting => "boosting",
        }
    }
}

fn forest(
    (x, y): &(Vec<Vec<f64>>, Vec<u32>),
    test: &Vec<Vec<f64>>,
    trees: u16,
    seed: Seed,
) -> Result<Vec<u32>, ExperimentError> {
    let gave_up = |error: smartcore::error::Failed| ExperimentError::Forest { message: error.to_string() };
    let parameters = RandomForestClassifierParameters::default().with_n_trees(trees).with_seed(seed.0);
    let matrix = |rows: &Vec<Vec<f64>>| DenseMatrix::from_2d_vec(rows).map_err(gave_up);
    let forest = RandomForestClassifier::fit(&matrix(x)?, y, parameters).map_err(gave_up)?;
    forest.predict(&matrix(test)?).map_err(gave_up)
}

/// Bins of a feature: more than the trees can use of some hundred rows.
const BINS: usize = 256;

fn boosting(
    (x, y): &(Vec<Vec<f64>>, Vec<u32>),
    test: &[Vec<f64>],
    trees: u16,
) -> Result<Vec<u32>, ExperimentError> {
    let flat = |rows: &[Vec<f64>]| -> Vec<f32> { rows.iter().flatten().map(|v| *v as f32).collect() };
    let columns = x.first().map_or(0, Vec::len);
    let table = Table::new(flat(x), columns, BINS).map_err(ExperimentError::failed)?;
    let targets: Vec<f64> = y.iter().map(|class| f64::from(*class)).collect();
    let settings = BoostingSettings { rounds: trees.into(), ..BoostingSettings::default() };
    let fitted = Boosting::fit(&table, &targets, &settings).map_err(ExperimentError::failed)?;
    let scores = fitted.predict(&flat(test)).map_err(ExperimentError::failed)?;
    Ok(scores.into_iter().map(|score| u32::from(score > 0.5)).collect())
}

fn categories(values: &[&str]) -> Vec<f64> {
    let mut known: Vec<&str> = values.to_vec();
    known.sort_unstable();
    known.dedup();
    values.iter().map(|v| known.binary_search(v).map_or(f64::NAN, |rank| rank as f64)).collect()
}

fn numbers(values: &[&str], path: &Path, column: usize) -> Result<Vec<f64>, ExperimentError> {
    let parse = |(line, v): (usize, &&str)| match *v {
        "?" => Ok(None),
        v => v.parse().map(Some).map_err(|_| {
            ExperimentError::data(
                path,
                format!("line {}, column {}: {v} is not a number", line + 1, column + 1),
            )
        }),
    };
    let parsed: Vec<Option<f64>> = values.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
    let known: Vec<f64> = parsed.iter().flatten().copied().collect();
    let median = crate::harness::stats::quantile(&known, 0.5);
    Ok(parsed.into_iter().map(|v| v.unwrap_or(median)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trees that have something to learn beat the larger class, and one tree is no better than many.
    #[test]
    fn both_learners_learn_the_shipped_set() {
        let credit = Credit::load(None).unwrap();
        let ones = credit.labels.iter().filter(|class| **class == 1).count() as f64;
        let larger = ones.max(credit.labels.len() as f64 - ones) / credit.labels.len() as f64;
        for learner in Learner::ALL {
            let accuracy = |trees| credit.accuracy(learner, trees, 3, Seed(1)).unwrap();
            let (one, many) = (accuracy(1), accuracy(40));
            assert!(many > larger + 0.2 && many > one - 0.01, "{learner:?}: {one} {many} {larger}");
            assert_eq!(accuracy(40), many);
        }
    }
}

//! Random forests on a generated set.

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;
use thrifty_learners::recipe::hastie::{COLUMNS, draw};
use thrifty_sampling::Seed;

use super::task::{Task, Trained};
use crate::error::ExperimentError;

/// A random forest on part of the rows that there are.
///
/// Ten normal numbers and whether their squares add up to more than 9.34, their median; one answer in ten is wrong.
/// Source: Hastie, Tibshirani & Friedman (2009), eq. 10.2, without the wrong answers.
pub struct Forest {
    train: Table,
    test: Table,
}

/// Rows and their classes.
type Table = (Vec<Vec<f64>>, Vec<u32>);

const WRONG: f64 = 0.1;
const TREES: u16 = 40;

/// The share of the rows. Source: Appendix D.5, where 15 is the base of the logarithm.
fn share(control: &[f64]) -> f64 {
    ((1.0 - control[0]) * 1e-5_f64.ln() / 15_f64.ln()).exp()
}

impl Forest {
    pub fn new(rows: usize, seed: Seed) -> Self {
        let rng = &mut seed.stream("rows", 0);
        Self { train: draw(rows, WRONG, rng), test: draw(4000, WRONG, rng) }
    }
}

impl Task for Forest {
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError> {
        let rng = &mut seed.stream("sample", 0);
        let mut order: Vec<usize> = (0..self.train.0.len()).collect();
        rng.shuffle(&mut order);
        order.truncate(((share(control) * order.len() as f64).round() as usize).max(2));
        let rows: Vec<Vec<f64>> = order.iter().map(|&row| self.train.0[row].clone()).collect();
        let classes: Vec<u32> = order.iter().map(|&row| self.train.1[row]).collect();
        let matrix = |rows: &Vec<Vec<f64>>| DenseMatrix::from_2d_vec(rows).map_err(ExperimentError::failed);
        let parameters = RandomForestClassifierParameters::default()
            .with_n_trees(TREES)
            .with_max_depth(12)
            .with_min_samples_leaf(3)
            .with_m(3)
            .with_seed(rng.bits());
        let model = RandomForestClassifier::fit(&matrix(&rows)?, &classes, parameters)
            .map_err(ExperimentError::failed)?;
        let predicted = model.predict(&matrix(&self.test.0)?).map_err(ExperimentError::failed)?;
        let right = predicted.iter().zip(&self.test.1).filter(|(a, b)| a == b).count();
        let n = order.len() as f64;
        // Every tree sorts every column.
        let operations = f64::from(TREES) * COLUMNS as f64 * n * n.log2().max(1.0);
        Ok(Trained { score: right as f64 / predicted.len() as f64, operations })
    }

    fn meaning(&self, control: &[f64]) -> String {
        format!("{:.1} % of rows", 100.0 * share(control))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_rows_are_far_and_a_tenth_wrong() {
        let (rows, classes) = draw(4000, WRONG, &mut Seed(0).stream("test", 0));
        let far = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>() > 9.34;
        let (mut of_class, mut wrong) = (0, 0);
        for (row, class) in rows.iter().zip(&classes) {
            of_class += class;
            wrong += u32::from(far(row) != (*class == 1));
        }
        assert!((1850..2150).contains(&of_class) && (340..460).contains(&wrong), "{of_class} {wrong}");
        assert!((share(&[0.13]) - 0.0248).abs() < 1e-4 && share(&[1.0]) == 1.0);
    }
}

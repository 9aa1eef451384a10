//! Cross-validation of smartcore models.

use smartcore::linalg::basic::arrays::Array2;
use smartcore::linalg::basic::matrix::DenseMatrix;
use thrifty_space::Config;
use thrifty_study::Outcome;

/// The closure of a [`CrossValidation`](crate::CrossValidation) over a smartcore model.
///
/// `predict` fits to the rows it trains on (matrix and targets) and predicts those of the matrix it tests on; `loss`
/// compares targets with predictions, as [`error_rate`](crate::adaptors::error_rate) does. An error of the model, or no
/// loss, is a failure of that fold.
pub fn smartcore<T: Clone, E: std::fmt::Display>(
    x: DenseMatrix<f64>,
    y: Vec<T>,
    predict: impl Fn(&Config, &DenseMatrix<f64>, &Vec<T>, &DenseMatrix<f64>) -> Result<Vec<T>, E>,
    loss: impl Fn(&[T], &[T]) -> Option<f64>,
) -> impl Fn(&Config, &[usize], &[usize]) -> Outcome {
    move |config, train, test| {
        let targets = |rows: &[usize]| -> Vec<T> { rows.iter().map(|row| y[*row].clone()).collect() };
        match predict(config, &x.take(train, 0), &targets(train), &x.take(test, 0)) {
            Ok(predicted) => loss(&targets(test), &predicted)
                .map_or_else(|| Outcome::failed("no loss for these predictions"), Outcome::from),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }
}

//! Cross-validation of linfa models.

use ::linfa::DatasetBase;
use ndarray::{Array1, Array2, Axis};
use thrifty_space::Config;
use thrifty_study::Outcome;

/// The closure of a [`CrossValidation`](crate::CrossValidation) over a linfa model.
///
/// `predict` fits to the data set it trains on and predicts the records it tests on; `loss` compares targets with
/// predictions, as [`error_rate`](crate::adaptors::error_rate) does. An error of the model, or no loss, is a failure of
/// that fold.
pub fn linfa<T: Clone, E: std::fmt::Display>(
    records: Array2<f64>,
    targets: Array1<T>,
    predict: impl Fn(&Config, &DatasetBase<Array2<f64>, Array1<T>>, &Array2<f64>) -> Result<Array1<T>, E>,
    loss: impl Fn(&[T], &[T]) -> Option<f64>,
) -> impl Fn(&Config, &[usize], &[usize]) -> Outcome {
    move |config, train, test| {
        let of = |rows: &[usize]| targets.select(Axis(0), rows);
        let set = DatasetBase::new(records.select(Axis(0), train), of(train));
        match predict(config, &set, &records.select(Axis(0), test)) {
            Ok(predicted) => loss(&of(test).to_vec(), &predicted.to_vec())
                .map_or_else(|| Outcome::failed("no loss for these predictions"), Outcome::from),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }
}

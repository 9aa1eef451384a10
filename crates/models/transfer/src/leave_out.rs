//! Predictions of observations that were left out.

use thrifty_domain::{Domain, Points};
use thrifty_sampling::Stream;
use thrifty_surrogate::{FittedSurrogate, Observations, Prediction, Surrogate, SurrogateError};

/// Folds of a cross-validation for models without a formula of their own.
const FOLDS: usize = 10;

/// Prediction of each observation from others: by the model's own leave-one-out, else by cross-validation over at most ten folds.
///
/// Observation i is in fold i modulo their number.
pub(crate) fn left_out(
    fitted: &dyn FittedSurrogate,
    base: &dyn Surrogate,
    domain: &Domain,
    data: Observations<'_>,
    rng: &mut Stream,
) -> Result<Vec<Prediction>, SurrogateError> {
    if let Some(own) = fitted.leave_one_out() {
        return Ok(own);
    }
    let (n, warm_start) = (data.len(), fitted.hyperparameters());
    let noise = data.noise_variances();
    let folds = FOLDS.min(n);
    let mut predictions = vec![Prediction { mean: f64::NAN, variance: f64::NAN }; n];
    for fold in 0..folds {
        let (mut x, mut y, mut own_noise) = (Points::new(data.x.dim()), Vec::new(), Vec::new());
        for i in (0..n).filter(|i| i % folds != fold) {
            x.push(data.x.row(i));
            y.push(data.y[i]);
            own_noise.push(noise[i]);
        }
        let rest = Observations {
            x: x.as_ref(),
            y: &y,
            noise_variance: data.noise_variance.map(|_| own_noise.as_slice()),
        };
        let without = base.fit(domain, rest, Some(&warm_start), rng)?;
        for i in (fold..n).step_by(folds) {
            predictions[i] = without.predict_observed(data.x.row(i)).with_noise(noise[i]);
        }
    }
    Ok(predictions)
}

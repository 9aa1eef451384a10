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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use thrifty_domain::PointsRef;
    use thrifty_sampling::Seed;
    use thrifty_surrogate::{Description, Posterior};

    use super::*;

    /// The average of the targets everywhere, and the average of the noise variances as the variance.
    #[derive(Clone, Copy)]
    struct Average {
        mean: f64,
        variance: f64,
    }

    impl Posterior for Average {
        fn dim(&self) -> usize {
            1
        }

        fn predict_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
            mean.fill(self.mean);
            variance.fill(self.variance);
        }
    }

    impl FittedSurrogate for Average {
        fn posterior(&self) -> &dyn Posterior {
            self
        }

        fn hyperparameters(&self) -> Vec<f64> {
            vec![7.0]
        }

        fn fantasize(&self, _: &[f64], _: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
            Ok(Box::new(*self))
        }
    }

    /// Fits averages, and counts its fits.
    #[derive(Default)]
    struct Averages(AtomicUsize);

    impl Surrogate for Averages {
        fn fit(
            &self,
            _: &Domain,
            data: Observations<'_>,
            warm_start: Option<&[f64]>,
            _: &mut Stream,
        ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
            let is_first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
            let expected: Option<&[f64]> = if is_first { None } else { Some(&[7.0]) };
            assert_eq!(warm_start, expected, "hyperparameters of the whole fit");
            let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            Ok(Box::new(Average { mean: average(data.y), variance: average(&data.noise_variances()) }))
        }

        fn describe(&self) -> Result<Description, SurrogateError> {
            Ok(Description::without_settings("averages"))
        }
    }

    /// Averages of the observations of the other folds, which are ten at most, each with the noise of the observation itself.
    #[test]
    fn observations_are_predicted_from_the_other_folds() {
        for (n, folds) in [(2, 2), (9, 9), (10, 10), (11, 10), (24, 10)] {
            let x = Points::from_flat((0..n).map(f64::from).collect(), 1);
            let y: Vec<f64> = (0..n).map(|i| f64::from(i * i)).collect();
            let noise: Vec<f64> = (0..n).map(|i| f64::from(1 + i)).collect();
            let data = Observations { x: x.as_ref(), y: &y, noise_variance: Some(&noise) };
            let (base, domain, mut rng) =
                (Averages::default(), Domain::unit_cube(1), Seed(1).stream("fit", 0));
            let fitted = base.fit(&domain, data, None, &mut rng).unwrap();
            let found = left_out(&*fitted, &base, &domain, data, &mut rng).unwrap();
            assert_eq!(base.0.load(Ordering::Relaxed), 1 + folds, "fits of {n} observations");
            assert_eq!(found.len(), y.len(), "predictions of {n} observations");
            for (i, Prediction { mean, variance }) in found.into_iter().enumerate() {
                let others: Vec<usize> = (0..y.len()).filter(|j| j % folds != i % folds).collect();
                let average = |of: &[f64]| others.iter().map(|j| of[*j]).sum::<f64>() / others.len() as f64;
                assert!((mean - average(&y)).abs() < 1e-9, "mean of {i} of {n}: {mean}");
                let expected = average(&noise) + noise[i];
                assert!((variance - expected).abs() < 1e-9, "variance of {i} of {n}: {variance} {expected}");
            }
        }
    }
}

//! Predictions of left-out observations.

use thrifty_domain::{Domain, Points};
use thrifty_sampling::Stream;
use thrifty_surrogate::{FittedSurrogate, Observations, Prediction, Surrogate, SurrogateError};

use crate::trend::Line;

/// Number of folds of a cross-validation, for models without a leave-one-out formula.
const FOLDS: usize = 10;

/// Predicts each observation from the others: by the model's own leave-one-out, else by cross-validation with at most ten folds.
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
    by_folds(base, domain, data, None, &fitted.hyperparameters(), rng)
}

/// [`left_out`] of a model of the residuals from the line through the means of a source. The line is also fitted without the observation.
pub(crate) fn left_out_on_line(
    residual: &dyn FittedSurrogate,
    base: &dyn Surrogate,
    domain: &Domain,
    data: Observations<'_>,
    means: &[f64],
    rng: &mut Stream,
) -> Result<Vec<Prediction>, SurrogateError> {
    match residual.leave_one_out() {
        Some(own) => Ok(beside_line(own, residual, means, data.y)),
        None => by_folds(base, domain, data, Some(means), &residual.hyperparameters(), rng),
    }
}

/// Predictions of the targets, from predictions of the residuals from a line through all of them.
///
/// Without observation i the line changes. So do the residuals of the others, which changes the prediction of residual i.
fn beside_line(
    mut predictions: Vec<Prediction>,
    residual: &dyn FittedSurrogate,
    means: &[f64],
    y: &[f64],
) -> Vec<Prediction> {
    let all = Line::fit(means, y);
    let by_intercept = residual.leave_one_out_change(&vec![1.0; y.len()]);
    let Some((by_intercept, by_slope)) = by_intercept.zip(residual.leave_one_out_change(means)) else {
        predictions.iter_mut().zip(means).for_each(|(prediction, m)| prediction.mean += all.at(*m));
        return predictions;
    };
    let without = |values: &[f64], i: usize| [&values[..i], &values[i + 1..]].concat();
    for (i, prediction) in predictions.iter_mut().enumerate() {
        let line = Line::fit(&without(means, i), &without(y, i));
        prediction.mean += line.at(means[i])
            + (all.intercept - line.intercept) * by_intercept[i]
            + (all.slope - line.slope) * by_slope[i];
    }
    predictions
}

/// Predictions by cross-validation of the base surrogate. If the means of a source are given, the line is fitted to the other folds.
fn by_folds(
    base: &dyn Surrogate,
    domain: &Domain,
    data: Observations<'_>,
    means: Option<&[f64]>,
    warm_start: &[f64],
    rng: &mut Stream,
) -> Result<Vec<Prediction>, SurrogateError> {
    let n = data.len();
    let noise = data.noise_variances();
    let folds = FOLDS.min(n);
    let mut predictions = vec![Prediction { mean: f64::NAN, variance: f64::NAN }; n];
    for fold in 0..folds {
        let rest: Vec<usize> = (0..n).filter(|i| i % folds != fold).collect();
        let of = |values: &[f64]| -> Vec<f64> { rest.iter().map(|&i| values[i]).collect() };
        let mut x = Points::new(data.x.dim());
        rest.iter().for_each(|&i| x.push(data.x.row(i)));
        let (mut y, own_noise) = (of(data.y), of(&noise));
        let line = means.map(|means| (Line::fit(&of(means), &y), means));
        if let Some((line, means)) = line {
            y.iter_mut().zip(of(means)).for_each(|(y, m)| *y -= line.at(m));
        }
        let others = Observations {
            x: x.as_ref(),
            y: &y,
            noise_variance: data.noise_variance.map(|_| own_noise.as_slice()),
        };
        let without = base.fit(domain, others, Some(warm_start), rng)?;
        for i in (fold..n).step_by(folds) {
            let mut prediction = without.predict_observed(data.x.row(i)).with_noise(noise[i]);
            prediction.mean += line.map_or(0.0, |(line, means)| line.at(means[i]));
            predictions[i] = prediction;
        }
    }
    Ok(predictions)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use thrifty_domain::PointsRef;
    use thrifty_gp::Gp;
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

    /// Predictions on a line do not depend on the observation itself, in a process as in folds, and are those of a process without it on the
    /// line of the others.
    #[test]
    fn predictions_on_a_line_have_not_seen_their_observation() {
        let x = Points::from_flat(vec![0.05, 0.3, 0.48, 0.7, 0.95], 1);
        let (means, y) = ([-1.0, 0.4, 0.9, 1.5, 3.0], [0.2, 0.9, 0.4, 2.0, 2.2]);
        let process = |y: &[f64], left: Option<usize>| {
            let kept = |i: &usize| Some(*i) != left;
            let of = |v: &[f64]| -> Vec<f64> { (0..v.len()).filter(kept).map(|i| v[i]).collect() };
            let (m, y) = (of(&means), of(y));
            let line = Line::fit(&m, &y);
            let residuals: Vec<f64> = y.iter().zip(&m).map(|(y, m)| y - line.at(*m)).collect();
            let kept = Points::from_flat(of(x.as_flat()), 1);
            (line, Gp::matern52(1).condition(kept.as_ref(), &residuals).unwrap())
        };
        let domain = Domain::unit_cube(1);
        let found = |y: &[f64]| {
            let (data, mut rng) = (Observations::new(x.as_ref(), y), Seed(1).stream("fit", 0));
            let own = process(y, None).1;
            let averages = Averages(AtomicUsize::new(1));
            let own = left_out_on_line(&own, &averages, &domain, data, &means, &mut rng).unwrap();
            let flat = Average { mean: 0.0, variance: 1.0 };
            [own, left_out_on_line(&flat, &averages, &domain, data, &means, &mut rng).unwrap()]
        };
        let before = found(&y);
        for i in 0..y.len() {
            let mut moved = y;
            moved[i] += 7.0;
            for (before, after) in before.iter().zip(found(&moved)) {
                assert!(
                    (before[i].mean - after[i].mean).abs() < 1e-9,
                    "{i}: {} {}",
                    before[i].mean,
                    after[i].mean
                );
            }
            let (line, others) = process(&y, Some(i));
            let expected = line.at(means[i]) + others.predict(x.row(i)).mean;
            assert!((before[0][i].mean - expected).abs() < 1e-9, "{i}: {} {expected}", before[0][i].mean);
        }
    }
}

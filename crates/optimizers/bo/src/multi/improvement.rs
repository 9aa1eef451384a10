//! Log expected hypervolume improvement of posteriors.

use thrifty_acquisition::Acquisition;
use thrifty_domain::{Points, PointsRef};
use thrifty_pareto::ExpectedHypervolumeImprovement;
use thrifty_surrogate::{Posterior, PosteriorGradient};

/// Logarithm of the expected hypervolume improvement of independent normal posteriors; exact, with its gradient.
///
/// ```text
/// a(x) = ln EHVI(μ(x), σ(x)),   ∂a/∂x = Σ_j ∂a/∂μ_j ∂μ_j/∂x + ∂a/∂σ_j ∂(σ²_j)/∂x / 2σ_j
/// ```
///
/// Minus infinity where a mean or variance is not finite. Shapes: one posterior per objective of the front.
/// Source: Yang et al. (2019); [`ExpectedHypervolumeImprovement`].
pub struct LogExpectedHypervolume<'a> {
    /// Posteriors of the objectives, on the scale of the front.
    pub objectives: Vec<&'a dyn Posterior>,
    /// Improvements over the front.
    pub improvement: ExpectedHypervolumeImprovement,
}

impl Acquisition for LogExpectedHypervolume<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let (n, m) = (x.len(), self.objectives.len());
        let (mut means, mut std_devs) = (Points::zeros(n, m), Points::zeros(n, m));
        let (mut mean, mut variance) = (vec![0.0; n], vec![0.0; n]);
        for (j, posterior) in self.objectives.iter().enumerate() {
            posterior.predict_into(x, &mut mean, &mut variance);
            for i in 0..n {
                means.row_mut(i)[j] = mean[i];
                std_devs.row_mut(i)[j] = variance[i].sqrt();
            }
        }
        if self.improvement.log_values_into(means.as_ref(), std_devs.as_ref(), out).is_err() {
            for (i, value) in out.iter_mut().enumerate() {
                let log = self.improvement.log_value(means.row(i), std_devs.row(i));
                *value = log.unwrap_or(f64::NEG_INFINITY);
            }
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let objectives = self.objectives.iter().map(|posterior| posterior.gradient());
        let Some(objectives) = objectives.collect::<Option<Vec<&dyn PosteriorGradient>>>() else {
            return false;
        };
        let (n, d, m) = (x.len(), x.dim(), objectives.len());
        let (mut mean, mut variance) = (vec![0.0; n * m], vec![0.0; n * m]);
        let (mut of_mean, mut of_variance) = (vec![0.0; n * m * d], vec![0.0; n * m * d]);
        for (j, posterior) in objectives.into_iter().enumerate() {
            let (points, slopes) = (j * n..(j + 1) * n, j * n * d..(j + 1) * n * d);
            posterior.predict_with_gradient_into(
                x,
                &mut mean[points.clone()],
                &mut variance[points],
                &mut of_mean[slopes.clone()],
                &mut of_variance[slopes],
            );
        }
        gradients.fill(0.0);
        let (mut by_mean, mut by_std_dev) = (vec![0.0; m], vec![0.0; m]);
        for (i, value) in out.iter_mut().enumerate() {
            let means: Vec<f64> = (0..m).map(|j| mean[j * n + i]).collect();
            let std_devs: Vec<f64> = (0..m).map(|j| variance[j * n + i].sqrt()).collect();
            let log = self.improvement.log_value_with_grad(&means, &std_devs, &mut by_mean, &mut by_std_dev);
            let Ok(log) = log else {
                *value = f64::NEG_INFINITY;
                continue;
            };
            *value = log;
            for j in 0..m {
                // A variance of 0 is at its minimum, so its gradient is 0.
                let by_variance = if std_devs[j] > 0.0 { by_std_dev[j] / (2.0 * std_devs[j]) } else { 0.0 };
                let inner = (j * n + i) * d..(j * n + i + 1) * d;
                let slopes = of_mean[inner.clone()].iter().zip(&of_variance[inner]);
                for (slope, (mu, v)) in gradients[i * d..(i + 1) * d].iter_mut().zip(slopes) {
                    *slope += by_mean[j] * mu + by_variance * v;
                }
            }
        }
        true
    }
}

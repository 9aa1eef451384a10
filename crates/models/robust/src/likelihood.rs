//! Evidence bound of a Gaussian process with Student-t noise, and its gradient.

use thrifty_gp::{ExactLikelihood, Mean, Noise};
use thrifty_kernel::{Kernel, KernelWorkspace};
use thrifty_linalg::{JitterLadder, Matrix, NotPositiveDefinite};
use thrifty_params::{LogLikelihood, Param, Parameterized};

use crate::data::ScaledObservations;
use crate::weighting::{Weighting, weigh};
use crate::{RobustError, StudentT};

/// The variational lower bound of the log marginal likelihood, with its gradient in the hyperparameters.
///
/// ```text
/// bound(θ) = max_w [ ln N(y; m, K + diag(s) + diag(σ²/w)) + Σ_i evidence(w_i) ]
/// ```
///
/// The gradient treats the weights at the maximum as constant. It is therefore the gradient of an ordinary process with known noise.
///
/// Parameters: the kernel's; then `noise` (σ²) and `mean`, if they are learnt. Cost: 2n³/3 flops per sweep and n³ for the gradient.
pub(crate) struct RobustLikelihood<'a, K> {
    kernel: &'a mut K,
    data: &'a ScaledObservations,
    student: StudentT,
    noise: &'a Noise,
    mean: Mean,
    params: Vec<Param>,
    values: Vec<f64>,
    /// Weights of the last successful fit. A warm start needs few sweeps when the hyperparameters hardly change.
    warm: Option<Vec<f64>>,
}

impl<'a, K: Kernel> RobustLikelihood<'a, K> {
    pub(crate) fn new(
        kernel: &'a mut K,
        data: &'a ScaledObservations,
        student: StudentT,
        noise: &'a Noise,
        mean: Mean,
    ) -> Self {
        let params = ExactLikelihood::new(kernel, data.x.as_ref(), &data.y, noise, mean).params();
        let values = params.iter().map(|p| p.value).collect();
        Self { kernel, data, student, noise, mean, params, values, warm: None }
    }

    /// Current σ² and mean.
    pub(crate) fn noise_and_mean(&self) -> (f64, f64) {
        let mut rest = self.values[self.kernel.num_params()..].iter();
        let noise = match self.noise {
            Noise::Fixed(value) => *value,
            Noise::Learned { start, .. } => rest.next().copied().unwrap_or(*start),
        };
        let mean = match self.mean {
            Mean::Zero => 0.0,
            Mean::Fixed(value) => value,
            Mean::Learned | Mean::Normal { .. } => rest.next().copied().unwrap_or(0.0),
        };
        (noise, mean)
    }

    /// Weights at the current parameters, from the given start or from equal weights.
    fn weigh(&self, start: Option<&[f64]>) -> Result<Weighting, NotPositiveDefinite> {
        let (c, residual, noise) = self.covariance();
        weigh(&c, &residual, noise, &self.student, start).map_err(|index| NotPositiveDefinite {
            n: residual.len(),
            index,
            jitter: 0.0,
        })
    }

    /// Weights at the current parameters from equal ones, with the smallest jitter of the ladder at which the covariance can be factored.
    pub(crate) fn weigh_with(&self, ladder: &JitterLadder) -> Result<Weighting, NotPositiveDefinite> {
        let (c, residual, noise) = self.covariance();
        let n = residual.len();
        let scale = (0..n).map(|i| c[(i, i)]).sum::<f64>() / n as f64;
        let attempt = |jitter: f64| {
            let mut c = c.clone();
            (0..n).for_each(|i| c[(i, i)] += jitter);
            weigh(&c, &residual, noise, &self.student, None).map_err(|index| NotPositiveDefinite {
                n,
                index,
                jitter,
            })
        };
        let mut found = attempt(0.0);
        for step in &ladder.steps {
            if found.is_ok() {
                break;
            }
            found = attempt(step * scale);
        }
        found
    }

    /// Covariance with the known noise, residuals and σ² at the current parameters.
    fn covariance(&self) -> (Matrix, Vec<f64>, f64) {
        let (noise, mean) = self.noise_and_mean();
        let mut c = Matrix::default();
        self.kernel.forward(self.data.x.as_ref(), 1.0, &mut KernelWorkspace::default(), &mut c);
        for (i, known) in self.data.noise.iter().enumerate() {
            c[(i, i)] += known;
        }
        (c, self.data.y.iter().map(|y| y - mean).collect(), noise)
    }
}

impl<K: Kernel> Parameterized for RobustLikelihood<'_, K> {
    fn params(&self) -> Vec<Param> {
        self.params.iter().zip(&self.values).map(|(p, &value)| Param { value, ..p.clone() }).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.values.len(), "one value per parameter");
        self.kernel.set_params(&values[..self.kernel.num_params()]);
        self.values.copy_from_slice(values);
    }
}

impl<K: Kernel> LogLikelihood for RobustLikelihood<'_, K> {
    type Error = RobustError;

    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, RobustError> {
        let warm = self.warm.take();
        let found = self.weigh(warm.as_deref())?;
        let (noise, mean) = self.noise_and_mean();
        let variances: Vec<f64> =
            found.weights.iter().zip(&self.data.noise).map(|(w, known)| noise / w + known).collect();
        let is_learnt = usize::from(matches!(self.noise, Noise::Learned { .. }));
        let (of_kernel, rest) = gradient.split_at_mut(self.kernel.num_params());
        let fixed = Noise::Fixed(0.0);
        let mut exact =
            ExactLikelihood::new(self.kernel, self.data.x.as_ref(), &self.data.y, &fixed, self.mean)
                .with_known_noise(&variances);
        // That process has the parameters of the kernel, and the mean.
        let mut values: Vec<f64> = self.values[..of_kernel.len()].to_vec();
        values.extend(self.values[of_kernel.len() + is_learnt..].iter().map(|_| mean));
        exact.set_params(&values);
        let mut slopes = vec![0.0; values.len()];
        exact.log_likelihood(&mut slopes).map_err(|index| NotPositiveDefinite {
            n: variances.len(),
            index,
            jitter: 0.0,
        })?;
        of_kernel.copy_from_slice(&slopes[..of_kernel.len()]);
        rest[..is_learnt].fill(found.by_noise);
        rest[is_learnt..].copy_from_slice(&slopes[of_kernel.len()..]);
        if found.converged && found.evidence.is_finite() {
            self.warm = Some(found.weights);
        }
        Ok(found.evidence)
    }

    fn log_likelihood_value(&mut self) -> Result<f64, RobustError> {
        Ok(self.weigh(self.warm.as_deref())?.evidence)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_gp::GpSettings;
    use thrifty_kernel::{Matern52, Scaled};

    use super::*;

    /// The gradient against central differences, with an outlier, known noise, duplicated points, and each of noise and mean learnt or not.
    #[test]
    fn the_gradient_is_that_of_the_bound() {
        let x = Points::from_flat(vec![0.05, 0.3, 0.35, 0.5, 0.72, 0.9, 0.3, 0.98], 1);
        let y = [0.3, 1.2, 0.8, 9.0, -0.4, -1.0, 0.9, -1.5];
        let known = [0.0, 0.1, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0];
        let learnt = Noise::Learned { start: 0.05, floor: 1e-6, ceiling: 1.0, prior: None };
        for (noise, mean) in
            [(learnt.clone(), Mean::Learned), (learnt, Mean::Zero), (Noise::Fixed(0.02), Mean::Learned)]
        {
            let settings = GpSettings { standardize_targets: false, ..GpSettings::default() };
            let data = ScaledObservations::new(1, x.as_ref(), &y, &known, &settings, None).unwrap();
            let mut kernel = Scaled::new(Matern52::new(vec![0.4]).unwrap(), 1.3).unwrap();
            // A millionth of a step on the value needs weights to more digits than predictions do.
            let student = StudentT { tolerance: 1e-12, max_sweeps: 5000, ..StudentT::default() };
            let mut likelihood = RobustLikelihood::new(&mut kernel, &data, student, &noise, mean);
            let mut values: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
            if mean == Mean::Learned {
                *values.last_mut().unwrap() = 0.2;
            }
            likelihood.set_params(&values);
            let mut gradient = vec![0.0; values.len()];
            likelihood.log_likelihood(&mut gradient).unwrap();
            for i in 0..values.len() {
                let step = 1e-5 * values[i].abs().max(0.1);
                let mut at = |offset: f64| {
                    let mut moved = values.clone();
                    moved[i] += offset;
                    likelihood.set_params(&moved);
                    likelihood.log_likelihood_value().unwrap()
                };
                let slope = (at(step) - at(-step)) / (2.0 * step);
                let error = (slope - gradient[i]).abs();
                assert!(error <= 1e-6 * (1.0 + slope.abs()), "{i}: {slope} {}", gradient[i]);
            }
        }
    }

    /// Weights of a success are those from which the next evaluation begins: at the same parameters one sweep is enough.
    #[test]
    fn an_evaluation_begins_from_the_weights_of_the_last() {
        let x = Points::from_flat(vec![0.05, 0.3, 0.35, 0.5, 0.72, 0.9], 1);
        let y = [0.3, 1.2, 0.8, 9.0, -0.4, -1.0];
        let settings = GpSettings { standardize_targets: false, ..GpSettings::default() };
        let data = ScaledObservations::new(1, x.as_ref(), &y, &[0.0; 6], &settings, None).unwrap();
        let mut kernel = Scaled::new(Matern52::new(vec![0.4]).unwrap(), 1.3).unwrap();
        let noise = Noise::Fixed(0.02);
        let mut likelihood =
            RobustLikelihood::new(&mut kernel, &data, StudentT::default(), &noise, Mean::Zero);
        let mut gradient = vec![0.0; likelihood.params().len()];
        likelihood.log_likelihood(&mut gradient).unwrap();
        let cold = likelihood.weigh(None).unwrap();
        let warm = likelihood.weigh(likelihood.warm.as_deref()).unwrap();
        assert!(cold.sweeps > 1, "from equal weights: {} sweeps", cold.sweeps);
        assert_eq!(warm.sweeps, 1, "from the last weights");
    }
}

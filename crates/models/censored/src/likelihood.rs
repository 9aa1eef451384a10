//! Log marginal likelihood of values and bounds.

use thrifty_gp::{ExactLikelihood, Mean, Noise};
use thrifty_kernel::Kernel;
use thrifty_params::{LogLikelihood, Param, Parameterized};

use crate::data::ScaledResponses;
use crate::expectation_propagation::Sites;
use crate::{CensoredError, Propagation};

/// The log marginal likelihood of values and bounds by expectation propagation, with its gradient.
///
/// ```text
/// log p(y_v) + log p(bounds | y_v);   ∂/∂θ = ∂/∂θ log N(t; m, K + σ²I + diag(1/τ)) at the sites (t, τ) of convergence
/// ```
///
/// Sites are stationary points of the approximation, so the gradient treats them as constant. It is therefore the gradient of an ordinary
/// process on pseudo-observations. Bounds apply to the noisy observation. They then have no parameters of their own, and the noise is
/// learnt like any part of the covariance.
///
/// Parameters: the kernel's; then `noise` (variance) and `mean`, if they are learnt. Cost: 2n³ flops, and about 3b³ per sweep over b bounds.
/// Source: Seeger (2005); Rasmussen & Williams (2006), eq. 5.27.
pub(crate) struct CensoredLikelihood<'a, K> {
    kernel: &'a mut K,
    data: &'a ScaledResponses,
    propagation: Propagation,
    noise: &'a Noise,
    mean: Mean,
    params: Vec<Param>,
    values: Vec<f64>,
    /// Sites of the last successful approximation. A warm start needs few sweeps when the hyperparameters hardly change.
    warm: Option<Sites>,
}

impl<'a, K: Kernel> CensoredLikelihood<'a, K> {
    pub(crate) fn new(
        kernel: &'a mut K,
        data: &'a ScaledResponses,
        propagation: Propagation,
        noise: &'a Noise,
        mean: Mean,
    ) -> Self {
        // The mean has the same bounds as in an ordinary process on all numbers.
        let params = ExactLikelihood::new(kernel, data.x.as_ref(), &data.numbers, noise, mean).params();
        let values = params.iter().map(|p| p.value).collect();
        Self { kernel, data, propagation, noise, mean, params, values, warm: None }
    }

    /// Current noise variance and mean.
    pub(crate) fn noise_and_mean(&self) -> (f64, f64) {
        let mut rest = self.values[self.kernel.num_params()..].iter();
        let noise = match self.noise {
            Noise::Fixed(value) => *value,
            Noise::Learned { .. } => *rest.next().expect("a noise"),
        };
        let mean = match self.mean {
            Mean::Zero => 0.0,
            Mean::Fixed(value) => value,
            Mean::Learned | Mean::Normal { .. } => *rest.next().expect("a mean"),
        };
        (noise, mean)
    }
}

impl<K: Kernel> Parameterized for CensoredLikelihood<'_, K> {
    fn params(&self) -> Vec<Param> {
        self.params.iter().zip(&self.values).map(|(p, &value)| Param { value, ..p.clone() }).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.values.len(), "one value a parameter");
        self.kernel.set_params(&values[..self.kernel.num_params()]);
        self.values.copy_from_slice(values);
    }
}

impl<K: Kernel> LogLikelihood for CensoredLikelihood<'_, K> {
    type Error = CensoredError;

    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, CensoredError> {
        let (noise, mean) = self.noise_and_mean();
        let warm = self.warm.take();
        let found = self.data.approximate(&*self.kernel, noise, mean, &self.propagation, warm.as_ref())?;
        let (x, pseudo) = (self.data.points(&found.pseudo.of), &found.pseudo);
        let mut exact = ExactLikelihood::new(self.kernel, x.as_ref(), &pseudo.y, self.noise, self.mean)
            .with_known_noise(&pseudo.noise);
        exact.set_params(&self.values);
        let of_pseudo = exact
            .log_likelihood(gradient)
            .map_err(|index| thrifty_linalg::NotPositiveDefinite { n: pseudo.y.len(), index, jitter: 0.0 })?;
        if found.bounds.converged && found.log_likelihood.is_finite() {
            self.warm = Some(found.bounds.sites);
        }
        // Without bounds both numbers are equal, and this one agrees with an ordinary process bit for bit.
        Ok(if found.bounds.mean.is_empty() { of_pseudo } else { found.log_likelihood })
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_gp::GpSettings;
    use thrifty_kernel::{Matern52, Scaled};

    use super::*;
    use crate::Response::{AtLeast, AtMost, Value};

    /// The gradient against central differences, where all kinds of responses meet.
    #[test]
    fn the_gradient_is_that_of_the_value() {
        let x = Points::from_flat(vec![0.05, 0.3, 0.35, 0.5, 0.72, 0.9, 0.3, 0.98], 1);
        let all = [
            vec![
                Value(0.3),
                Value(1.2),
                AtMost(0.8),
                AtMost(0.1),
                AtLeast(-0.4),
                Value(-1.0),
                AtLeast(0.9),
                AtMost(-1.5),
            ],
            vec![AtMost(0.0); 8],
            vec![
                AtMost(0.0),
                AtLeast(0.0),
                AtLeast(0.0),
                AtMost(0.0),
                AtLeast(0.0),
                AtLeast(0.0),
                AtLeast(0.0),
                AtMost(0.0),
            ],
        ];
        let settings = GpSettings {
            noise: Noise::Learned { start: 0.05, floor: 1e-6, ceiling: 1.0, prior: None },
            standardize_targets: false,
            ..GpSettings::default()
        };
        // A millionth of a step on the value needs sites to more digits than predictions do.
        let propagation = Propagation { tolerance: 1e-11, max_sweeps: 500, ..Propagation::default() };
        for (k, responses) in all.iter().enumerate() {
            let data = ScaledResponses::new(1, x.as_ref(), responses, &[0.0; 8], &settings, None).unwrap();
            let mut kernel = Scaled::new(Matern52::new(vec![0.4]).unwrap(), 1.3).unwrap();
            let mut likelihood =
                CensoredLikelihood::new(&mut kernel, &data, propagation, &settings.noise, Mean::Learned);
            let mut values: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
            *values.last_mut().unwrap() = 0.2;
            likelihood.set_params(&values);
            let (mut gradient, mut unused) = (vec![0.0; values.len()], vec![0.0; values.len()]);
            likelihood.log_likelihood(&mut gradient).unwrap();
            for i in 0..values.len() {
                let step = 1e-5 * values[i].abs().max(0.1);
                let mut at = |offset: f64| {
                    let mut moved = values.clone();
                    moved[i] += offset;
                    likelihood.set_params(&moved);
                    likelihood.log_likelihood(&mut unused).unwrap()
                };
                let slope = (at(step) - at(-step)) / (2.0 * step);
                assert!(
                    (slope - gradient[i]).abs() <= 1e-6 * (1.0 + slope.abs()),
                    "data {k}, parameter {i}: {slope} {}",
                    gradient[i]
                );
            }
        }
    }

    /// Sites of convergence are kept for the next evaluation, others are not.
    #[test]
    fn sites_of_convergence_are_the_next_start() {
        let x = Points::from_flat(vec![0.05, 0.3, 0.35, 0.5], 1);
        let responses = [Value(0.3), AtMost(0.1), AtLeast(0.9), AtMost(-0.2)];
        let settings = GpSettings { standardize_targets: false, ..GpSettings::default() };
        let data = ScaledResponses::new(1, x.as_ref(), &responses, &[0.0; 4], &settings, None).unwrap();
        for (max_sweeps, is_kept) in [(100, true), (1, false)] {
            let mut kernel = Scaled::new(Matern52::new(vec![0.4]).unwrap(), 1.3).unwrap();
            let propagation = Propagation { max_sweeps, ..Propagation::default() };
            let mut likelihood =
                CensoredLikelihood::new(&mut kernel, &data, propagation, &settings.noise, Mean::Learned);
            let mut gradient = vec![0.0; likelihood.params().len()];
            let first = likelihood.log_likelihood(&mut gradient).unwrap();
            let kept = likelihood.warm.clone();
            assert_eq!(kept.as_ref().map(|sites| sites.precision.len()), is_kept.then_some(3));
            let (noise, mean) = likelihood.noise_and_mean();
            let next =
                data.approximate(&*likelihood.kernel, noise, mean, &propagation, kept.as_ref()).unwrap();
            assert_eq!(next.bounds.sweeps, 1, "at convergence one pass shows it");
            assert!(!is_kept || (next.log_likelihood - first).abs() < 1e-7);
        }
    }
}

//! Likelihoods for a maximum on the learning scale.

use thrifty_params::{LogLikelihood, Param, Parameterized};

/// A likelihood times the Jacobian of the parameter transforms. With the priors this is the density from which a
/// [`SliceSampler`](thrifty_params::SliceSampler) draws. Its maximum does not depend on the natural scale.
///
/// ```text
/// log p(y | θ) + Σ_i ln |dθ_i/du_i| over the parameters with a prior
/// ```
///
/// `u_i` is parameter `θ_i` on the learning scale. For a parameter with log scale and prior log-normal(μ, σ), the prior pulls the maximum to
/// the median `exp(μ)` instead of the mode `exp(μ - σ²)`. A parameter without a prior is uniform on the learning scale, as for the sampler.
pub(crate) struct OnLearningScale<'a, L> {
    likelihood: &'a mut L,
    params: Vec<Param>,
}

impl<'a, L: LogLikelihood> OnLearningScale<'a, L> {
    pub(crate) fn new(likelihood: &'a mut L) -> Self {
        let params = likelihood.params();
        Self { likelihood, params }
    }
}

impl<L: LogLikelihood> Parameterized for OnLearningScale<'_, L> {
    fn params(&self) -> Vec<Param> {
        self.params.clone()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.params.iter_mut().zip(values).for_each(|(p, &value)| p.value = value);
        self.likelihood.set_params(values);
    }
}

impl<L: LogLikelihood> LogLikelihood for OnLearningScale<'_, L> {
    type Error = L::Error;

    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, L::Error> {
        let mut value = self.likelihood.log_likelihood(gradient)?;
        for (slot, p) in gradient.iter_mut().zip(&self.params) {
            if p.prior.is_some() {
                value += p.transform.slope(p.value).ln();
                *slot += p.transform.log_slope_derivative(p.value);
            }
        }
        Ok(value)
    }

    fn information(&mut self, out: &mut [f64]) -> bool {
        self.likelihood.information(out)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_kernel::{Matern52, Scaled};
    use thrifty_prob::Prior;

    use super::*;
    use crate::{ExactLikelihood, Mean, Noise};

    /// The gradient against central differences, and the Jacobian by hand: of the noise, which has a prior, alone.
    #[test]
    fn the_jacobian_is_in_value_and_gradient() {
        let x = Points::from_flat(vec![0.1, 0.4, 0.9], 1);
        let y = [0.3, -0.2, 1.0];
        let mut kernel = Scaled::new(Matern52::new(vec![0.5]).unwrap(), 1.0).unwrap();
        let prior = Some(Prior::LogNormal { mu: -8.0, sigma: 4.0 });
        let noise = Noise::Learned { start: 1e-4, floor: 1e-12, ceiling: 10.0, prior };
        let mut own = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &noise, Mean::Zero);
        let (values, mut unused) = ([0.8, 0.6, 0.02], [0.0; 3]);
        own.set_params(&values);
        let without = own.log_likelihood(&mut unused).unwrap();
        let mut whole = OnLearningScale::new(&mut own);
        let mut at = |values: [f64; 3], gradient: &mut [f64]| {
            whole.set_params(&values);
            whole.log_likelihood(gradient).unwrap()
        };
        let mut gradient = [0.0; 3];
        let value = at(values, &mut gradient);
        assert!((value - without - 0.02_f64.ln()).abs() < 1e-12, "{value} {without}");
        for i in 0..3 {
            let mut moved = |step: f64| {
                let mut values = values;
                values[i] += step;
                at(values, &mut unused)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((slope - gradient[i]).abs() < 1e-5 * (1.0 + slope.abs()), "{i}: {slope} {gradient:?}");
        }
    }
}

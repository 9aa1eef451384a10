use rand_distr::{Distribution, Gamma};
use thrifty_domain::PointsRef;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Cosines, Features};
use crate::hyper::Hyper;
use crate::{Kernel, KernelError};

/// Rational-quadratic kernel with one lengthscale per dimension: squared exponentials of many lengthscales.
///
/// ```text
/// k(x, y) = (1 + q / (2α))^(-α),   q = Σ_d ((x_d - y_d) / ℓ_d)²
/// ```
///
/// Unit variance; the squared exponential is its limit for large α. Parameters: `lengthscale[d] > 0` within
/// `[1e-3, 1e3]`, then `alpha > 0` within `[1e-2, 1e3]`, log scale. Source: Rasmussen & Williams (2006), eq. 4.19.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RationalQuadratic {
    lengthscales: Hyper,
    alpha: Hyper,
}

impl RationalQuadratic {
    /// A kernel with these lengthscales and this mixture parameter, without priors.
    ///
    /// # Errors
    /// [`KernelError`] names a value that is not positive and finite.
    pub fn new(lengthscales: Vec<f64>, alpha: f64) -> Result<Self, KernelError> {
        if lengthscales.is_empty() {
            return Err(KernelError::NoLengthscales);
        }
        let lengthscales = Hyper::positive("lengthscale", lengthscales, 1e-3, 1e3)?;
        Ok(Self { lengthscales, alpha: Hyper::positive("alpha", vec![alpha], 1e-2, 1e3)? })
    }

    /// The same kernel with other bounds for learning the lengthscales, which move into them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { lengthscales: self.lengthscales.with_bounds("lengthscales", low, high)?, ..self })
    }

    /// The same kernel with a prior for every lengthscale.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { lengthscales: self.lengthscales.with_prior(prior), ..self }
    }

    /// `q / (2α)`, kept finite.
    fn ratio(&self, x: &[f64], y: &[f64]) -> f64 {
        let q: f64 =
            x.iter().zip(y).zip(&self.lengthscales.values).map(|((x, y), l)| ((x - y) / l).powi(2)).sum();
        (q / (2.0 * self.alpha.value())).min(1e300)
    }
}

impl Parameterized for RationalQuadratic {
    fn params(&self) -> Vec<Param> {
        self.lengthscales.params("lengthscale").chain([self.alpha.only_param("alpha")]).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.alpha.take(self.lengthscales.take(values));
        assert!(rest.is_empty(), "more values than parameters");
    }
}

impl Kernel for RationalQuadratic {
    fn dim(&self) -> Option<usize> {
        Some(self.lengthscales.values.len())
    }

    fn num_params(&self) -> usize {
        self.lengthscales.values.len() + 1
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (-self.alpha.value() * self.ratio(x, y).ln_1p()).exp()
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let ratio = self.ratio(x, y);
        let k = (-self.alpha.value() * ratio.ln_1p()).exp();
        let (of_lengthscales, of_alpha) = grad.split_at_mut(self.lengthscales.values.len());
        for (((slot, x), y), l) in of_lengthscales.iter_mut().zip(x).zip(y).zip(&self.lengthscales.values) {
            let z = (x - y) / l;
            *slot += weight * k / (1.0 + ratio) * z * z / l;
        }
        of_alpha[0] += weight * k * (ratio / (1.0 + ratio) - ratio.ln_1p());
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, w) in y.rows().zip(weights) {
            let ratio = self.ratio(x, y);
            let slope = w * (-(self.alpha.value() + 1.0) * ratio.ln_1p()).exp();
            for (((slot, x), y), l) in grad.iter_mut().zip(x).zip(y).zip(&self.lengthscales.values) {
                *slot -= slope * (x - y) / (l * l);
            }
        }
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let alpha = self.alpha.value();
        let mixture = Gamma::new(alpha, 1.0 / alpha).ok()?;
        Some(Box::new(Cosines::of(&self.lengthscales.values, count, rng, |rng| mixture.sample(rng))))
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

//! The periodic kernel.

use std::f64::consts::PI;

use rand_distr::{Distribution, Poisson};
use thrifty_domain::PointsRef;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Cosines, Features};
use crate::hyperparameters::{Hyperparameters, read_known_or_positive, read_lengthscales};
use crate::{Kernel, KernelError};

/// Periodic kernel: functions that repeat with one period in every dimension, one lengthscale each.
///
/// ```text
/// k(x, y) = exp(-2 Σ_d (sin(π (x_d - y_d) / p) / ℓ_d)²)
/// ```
///
/// Unit variance. Parameters: `lengthscale[d] > 0`, then `period > 0` in units of the input unless it is fixed, both
/// within `[1e-3, 1e3]`, log scale. Source: Rasmussen & Williams (2006), eq. 4.31.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Periodic {
    #[serde(deserialize_with = "read_lengthscales")]
    lengthscales: Hyperparameters,
    #[serde(deserialize_with = "read_known_or_positive")]
    period: Hyperparameters,
}

impl Periodic {
    /// A kernel with these lengthscales and this period, without priors.
    ///
    /// # Errors
    /// [`KernelError`] names a value that is not positive and finite.
    pub fn new(lengthscales: Vec<f64>, period: f64) -> Result<Self, KernelError> {
        if lengthscales.is_empty() {
            return Err(KernelError::NoLengthscales);
        }
        let lengthscales = Hyperparameters::positive("lengthscale", lengthscales, 1e-3, 1e3)?;
        Ok(Self { lengthscales, period: Hyperparameters::positive("period", vec![period], 1e-3, 1e3)? })
    }

    /// Replaces the bounds for learning the lengthscales, which are clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { lengthscales: self.lengthscales.with_bounds("lengthscales", low, high)?, ..self })
    }

    /// Sets a prior for every lengthscale.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { lengthscales: self.lengthscales.with_prior(prior), ..self }
    }

    /// Replaces the bounds for learning the period, which is clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_period_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { period: self.period.with_bounds("period", low, high)?, ..self })
    }

    /// Sets a prior for the period.
    #[must_use]
    pub fn with_period_prior(self, prior: Prior) -> Self {
        Self { period: self.period.with_prior(prior), ..self }
    }

    /// Fixes the period: it stays as it is and is not among the parameters.
    ///
    /// ```
    /// use thrifty_kernel::{Kernel, Periodic};
    /// let weekly = Periodic::new(vec![1.0], 7.0)?.with_fixed_period();
    /// assert_eq!((weekly.period(), weekly.num_params()), (7.0, 1));
    /// # Ok::<(), thrifty_kernel::KernelError>(())
    /// ```
    #[must_use]
    pub fn with_fixed_period(self) -> Self {
        Self { period: self.period.fixed(), ..self }
    }

    /// The period.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.period.value()
    }

    /// `π (x - y) / p` within half a turn, and the lengthscale, dimension after dimension.
    fn angles<'a>(&'a self, x: &'a [f64], y: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let period = self.period();
        let angle = move |((x, y), l): ((&f64, &f64), &f64)| (PI * ((x - y) % period) / period, *l);
        x.iter().zip(y).zip(&self.lengthscales.values).map(angle)
    }
}

impl Parameterized for Periodic {
    fn params(&self) -> Vec<Param> {
        self.lengthscales.params("lengthscale").chain(self.period.learnt_param("period")).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.period.take(self.lengthscales.take(values));
        assert!(rest.is_empty(), "more values than parameters");
    }
}

impl Kernel for Periodic {
    fn dim(&self) -> Option<usize> {
        Some(self.lengthscales.values.len())
    }

    fn num_params(&self) -> usize {
        self.lengthscales.num_params() + self.period.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (-2.0 * self.angles(x, y).map(|(angle, l)| (angle.sin() / l).powi(2)).sum::<f64>()).exp()
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let k = weight * self.eval(x, y);
        let period = self.period();
        let (of_lengthscales, of_period) = grad.split_at_mut(self.lengthscales.values.len());
        for (((slot, (angle, l)), x), y) in of_lengthscales.iter_mut().zip(self.angles(x, y)).zip(x).zip(y) {
            *slot += 4.0 * k * (angle.sin() / l).powi(2) / l;
            if let [slot] = of_period {
                *slot += 2.0 * k * PI * (x - y) * (2.0 * angle).sin() / (period * l).powi(2);
            }
        }
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let period = self.period();
        for (y, w) in y.rows().zip(weights) {
            let k = w * self.eval(x, y);
            for (slot, (angle, l)) in grad.iter_mut().zip(self.angles(x, y)) {
                *slot -= 2.0 * k * PI * (2.0 * angle).sin() / (period * l * l);
            }
        }
    }

    /// Frequencies are whole multiples of `2π / p`. Their probabilities, `exp(-a) I_n(a)` with `a = 1 / ℓ²`, are
    /// those of the difference of two Poisson numbers of mean `a / 2`.
    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let half = |l: &f64| Poisson::new(0.5 / (l * l)).ok();
        let poissons = self.lengthscales.values.iter().map(half).collect::<Option<Vec<_>>>()?;
        let turn = 2.0 * PI / self.period();
        let draw = |d: usize, rng: &mut Stream| turn * (poissons[d].sample(rng) - poissons[d].sample(rng));
        Some(Box::new(Cosines::from_frequencies(poissons.len(), count, rng, draw)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

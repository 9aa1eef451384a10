//! Utilities of the posterior mean and standard deviation alone.

mod bound;
mod expected_utility;
mod improvement;
mod moments;

use thrifty_domain::PointsRef;
use thrifty_surrogate::Posterior;

use crate::Acquisition;
use crate::acquisition::settle;

pub use bound::{ConfidenceBound, Schedule};
pub use expected_utility::{ExpectedUtility, ExpectedUtilityFactory};
pub use improvement::{
    ExpectedImprovement, ImprovementFactory, LogExpectedImprovement, LogProbabilityOfImprovement,
    ProbabilityOfImprovement,
};
pub use moments::{MaxStdDev, PosteriorMean};

/// A utility that depends only on the posterior mean and standard deviation at the point.
pub trait Utility: Send + Sync {
    /// The value for mean μ and standard deviation σ ≥ 0.
    fn value(&self, mean: f64, std_dev: f64) -> f64;

    /// The value with `∂/∂μ` and `∂/∂σ`.
    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64);

    /// True if values are in units of the function: see [`Acquisition::has_unit`].
    fn has_unit(&self) -> bool {
        false
    }
}

impl<U: Utility + ?Sized> Utility for Box<U> {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        (**self).value(mean, std_dev)
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        (**self).value_and_slopes(mean, std_dev)
    }

    fn has_unit(&self) -> bool {
        (**self).has_unit()
    }
}

/// Acquisition function of a [`Utility`] on a posterior.
pub struct Analytic<'a, U> {
    posterior: &'a dyn Posterior,
    utility: U,
}

impl<'a, U: Utility> Analytic<'a, U> {
    /// Acquisition function with the utility of mean and standard deviation at each point.
    pub fn new(posterior: &'a dyn Posterior, utility: U) -> Self {
        Self { posterior, utility }
    }

    /// The utility.
    pub fn utility(&self) -> &U {
        &self.utility
    }
}

impl<U: Utility> Acquisition for Analytic<'_, U> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let mut variance = vec![0.0; x.len()];
        self.posterior.predict_into(x, out, &mut variance);
        for (slot, variance) in out.iter_mut().zip(variance) {
            *slot = self.utility.value(*slot, variance.sqrt());
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let Some(posterior) = self.posterior.gradient() else { return false };
        let d = x.dim();
        let (mut variance, mut of_variance) = (vec![0.0; x.len()], vec![0.0; x.len() * d]);
        posterior.predict_with_gradient_into(x, out, &mut variance, gradients, &mut of_variance);
        for (i, slot) in out.iter_mut().enumerate() {
            let std_dev = variance[i].sqrt();
            let (value, by_mean, by_std_dev) = self.utility.value_and_slopes(*slot, std_dev);
            *slot = value;
            // dσ = dv / 2σ. A variance of 0 is at its minimum, so its gradient is 0.
            let by_variance = if std_dev > 0.0 { by_std_dev / (2.0 * std_dev) } else { 0.0 };
            for (g, v) in gradients[i * d..(i + 1) * d].iter_mut().zip(&of_variance[i * d..(i + 1) * d]) {
                *g = product(by_mean, *g) + product(by_variance, *v);
            }
            settle(&mut gradients[i * d..(i + 1) * d]);
        }
        true
    }

    fn has_unit(&self) -> bool {
        self.utility.has_unit()
    }
}

/// Product in which 0 times infinity is 0: a zero weight removes an infinite slope.
fn product(slope: f64, inner: f64) -> f64 {
    if inner == 0.0 || slope == 0.0 { 0.0 } else { slope * inner }
}

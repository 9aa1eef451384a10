//! The linear kernel.

use thrifty_domain::PointsRef;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Features, Slopes};
use crate::hyperparameters::{Hyperparameters, read_each_positive};
use crate::{Kernel, KernelError};

/// Linear kernel: functions `Σ_d w_d x_d` with independent normal slopes.
///
/// ```text
/// k(x, y) = Σ_d v_d x_d y_d
/// ```
///
/// Through the origin; add a bias with `Sum` and a scaled [`Constant`](crate::Constant).
/// Parameters: `variance[d] > 0` of each slope within `[1e-6, 1e6]`, log scale.
/// Source: Rasmussen & Williams (2006), section 4.2.2.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Linear {
    #[serde(deserialize_with = "read_each_positive")]
    variances: Hyperparameters,
}

impl Linear {
    /// A kernel with these variances of the slopes, without priors.
    ///
    /// # Errors
    /// [`KernelError`] names a variance that is not positive and finite.
    pub fn new(variances: Vec<f64>) -> Result<Self, KernelError> {
        Ok(Self { variances: Hyperparameters::positive("variance", variances, 1e-6, 1e6)? })
    }

    /// Replaces the bounds for learning the variances, which are clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { variances: self.variances.with_bounds("variances", low, high)? })
    }

    /// Sets a prior for every variance.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { variances: self.variances.with_prior(prior) }
    }
}

impl Parameterized for Linear {
    fn params(&self) -> Vec<Param> {
        self.variances.params("variance").collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.variances.take(values);
        assert!(rest.is_empty(), "more values than variances");
    }
}

impl Kernel for Linear {
    fn dim(&self) -> Option<usize> {
        Some(self.variances.values.len())
    }

    fn num_params(&self) -> usize {
        self.variances.values.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).zip(&self.variances.values).map(|((x, y), v)| v * (x * y)).sum()
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        for ((slot, x), y) in grad.iter_mut().zip(x).zip(y) {
            *slot += weight * x * y;
        }
    }

    fn pull_back_input(&self, _x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, w) in y.rows().zip(weights) {
            for ((slot, y), v) in grad.iter_mut().zip(y).zip(&self.variances.values) {
                *slot += w * v * y;
            }
        }
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        Some(Box::new(Slopes::of(&self.variances.values, count, rng)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

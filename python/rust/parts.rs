//! Kernels of scikit-learn that the library has in another form.

use std::f64::consts::PI;

use thrifty::domain::PointsRef;
use thrifty::kernel::Kernel;
use thrifty::params::{Param, Parameterized};

/// Periodic kernel of the Euclidean distance.
///
/// ```text
/// k(x, y) = exp(-2 sin²(π ‖x - y‖ / p) / ℓ²)
/// ```
///
/// In one dimension the same as `Periodic`, which multiplies one such kernel per dimension.
/// Parameters: the lengthscale ℓ, then the period p, log scale.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EuclideanPeriodic {
    lengthscale: f64,
    period: f64,
}

impl EuclideanPeriodic {
    pub(crate) fn new(lengthscale: f64, period: f64) -> Self {
        Self { lengthscale, period }
    }

    /// Distance, sine and cosine of the angle.
    fn angle(&self, x: &[f64], y: &[f64]) -> (f64, f64, f64) {
        let distance = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        let (sine, cosine) = (PI * distance / self.period).sin_cos();
        (distance, sine, cosine)
    }
}

impl Parameterized for EuclideanPeriodic {
    fn params(&self) -> Vec<Param> {
        let positive = |name: &str, value| Param::positive(name, value, 1e-300, 1e300);
        vec![positive("lengthscale", self.lengthscale), positive("period", self.period)]
    }

    fn set_params(&mut self, values: &[f64]) {
        (self.lengthscale, self.period) = (values[0], values[1]);
    }
}

impl Kernel for EuclideanPeriodic {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        2
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let (_, sine, _) = self.angle(x, y);
        (-2.0 * (sine / self.lengthscale).powi(2)).exp()
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let (distance, sine, cosine) = self.angle(x, y);
        let scaled = sine / self.lengthscale;
        let k = weight * (-2.0 * scaled * scaled).exp();
        grad[0] += 4.0 * k * scaled * scaled / self.lengthscale;
        grad[1] += 4.0 * k * scaled * cosine * PI * distance / (self.lengthscale * self.period * self.period);
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, weight) in y.rows().zip(weights) {
            let (distance, sine, cosine) = self.angle(x, y);
            if distance == 0.0 {
                continue;
            }
            let k = weight * (-2.0 * (sine / self.lengthscale).powi(2)).exp();
            let slope = -4.0 * k * sine * cosine * PI / (self.period * self.lengthscale * self.lengthscale);
            for ((slot, x), y) in grad.iter_mut().zip(x).zip(y) {
                *slot += slope * (x - y) / distance;
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

/// Linear functions with a bias.
///
/// ```text
/// k(x, y) = σ₀² + x·y
/// ```
///
/// Parameter: σ₀, log scale.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Affine {
    bias: f64,
}

impl Affine {
    pub(crate) fn new(bias: f64) -> Self {
        Self { bias }
    }
}

impl Parameterized for Affine {
    fn params(&self) -> Vec<Param> {
        vec![Param::positive("bias", self.bias, 1e-300, 1e300)]
    }

    fn set_params(&mut self, values: &[f64]) {
        self.bias = values[0];
    }
}

impl Kernel for Affine {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        1
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.bias * self.bias + x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>()
    }

    fn pull_back_pair(&self, _x: &[f64], _y: &[f64], weight: f64, grad: &mut [f64]) {
        grad[0] += 2.0 * weight * self.bias;
    }

    fn pull_back_input(&self, _x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, weight) in y.rows().zip(weights) {
            for (slot, y) in grad.iter_mut().zip(y) {
                *slot += weight * y;
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

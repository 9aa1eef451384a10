//! Model of five weights: a posterior with derivatives, whose Kalman updates need no covariance of two points.

use thrifty_domain::PointsRef;
use thrifty_surrogate::{JointGradient, JointPosterior, Posterior, PosteriorGradient};

const K: usize = 5;

fn features(x: &[f64]) -> [f64; K] {
    [1.0, x[0], x[1], x[0] * x[1], (x[0] + 2.0 * x[1]).sin()]
}

/// ∂φ/∂x₀ and ∂φ/∂x₁.
fn slopes(x: &[f64]) -> [[f64; K]; 2] {
    let c = (x[0] + 2.0 * x[1]).cos();
    [[0.0, 1.0, 0.0, x[1], c], [0.0, 0.0, 1.0, x[0], 2.0 * c]]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Law of five weights w of `f(x) = wᵀ φ(x)`, in two dimensions.
#[derive(Clone)]
pub(crate) struct Weights {
    mean: [f64; K],
    covariance: [[f64; K]; K],
}

impl Weights {
    pub(crate) fn new() -> Self {
        let factor = |i: usize, j: usize| if i == j { 1.0 } else { 0.3 / (1.0 + (i * 2 + j) as f64) };
        let entry = |i, j| (0..K).map(|k| factor(i, k) * factor(j, k)).sum();
        let covariance = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        Self { mean: [0.5, -1.0, 0.3, 2.0, 0.7], covariance }
    }

    fn times(&self, features: &[f64; K]) -> [f64; K] {
        std::array::from_fn(|i| dot(&self.covariance[i], features))
    }

    /// Weights that are known exactly.
    pub(crate) fn certain() -> Self {
        Self { covariance: [[0.0; K]; K], ..Self::new() }
    }

    pub(crate) fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        dot(&features(a), &self.times(&features(b)))
    }

    pub(crate) fn update(&mut self, x: &[f64], y: f64, noise: f64) {
        let features = features(x);
        let gain = self.times(&features);
        let variance = dot(&features, &gain) + noise;
        let error = y - dot(&features, &self.mean);
        for i in 0..K {
            self.mean[i] += gain[i] * error / variance;
            for j in 0..K {
                self.covariance[i][j] -= gain[i] * gain[j] / variance;
            }
        }
    }
}

impl Posterior for Weights {
    fn dim(&self) -> usize {
        2
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        for (i, point) in x.rows().enumerate() {
            mean[i] = dot(&features(point), &self.mean);
            variance[i] = self.covariance(point, point).max(0.0);
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl PosteriorGradient for Weights {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        for (i, point) in x.rows().enumerate() {
            let gain = self.times(&features(point));
            for (k, slope) in slopes(point).iter().enumerate() {
                mean_gradient[2 * i + k] = dot(slope, &self.mean);
                variance_gradient[2 * i + k] = 2.0 * dot(slope, &gain);
            }
        }
    }
}

impl JointPosterior for Weights {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        for i in 0..x.len() {
            for j in 0..=i {
                out[i * x.len() + j] = self.covariance(x.row(i), x.row(j));
                out[j * x.len() + i] = out[i * x.len() + j];
            }
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        for (i, j) in (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))) {
            out[i * b.len() + j] = self.covariance(a.row(i), b.row(j));
        }
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }
}

impl JointGradient for Weights {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let m = x.len();
        for i in 0..m {
            for (k, slope) in slopes(x.row(i)).iter().enumerate() {
                grad[i * 2 + k] += of_mean[i] * dot(slope, &self.mean);
                for j in 0..m {
                    let both = of_covariance[i * m + j] + of_covariance[j * m + i];
                    grad[i * 2 + k] += both * dot(slope, &self.times(&features(x.row(j))));
                }
            }
        }
    }
}

//! Bayesian linear regression after data.

use rand_distr::{Distribution, StandardNormal};
use thrifty_check::dimension;
use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::{
    JointGradient, JointPosterior, PathSampler, Posterior, PosteriorGradient, SamplePath,
};

use std::sync::Arc;

use crate::coefficients::{dot, not_negative};
use crate::{Basis, Coefficients, LinearError};

/// A linear model after data: a function `φ(x)·a` whose coefficients are normal.
///
/// ```text
/// mean(x) = φ(x)·μ,   cov(x, y) = φ(x)ᵀ Σ φ(y)
/// ```
///
/// Of the function itself, without noise. Cost of a point: J² flops.
#[derive(Clone)]
pub struct LinearPosterior<B> {
    basis: Arc<B>,
    coefficients: Coefficients,
}

impl<B: Basis> LinearPosterior<B> {
    /// # Panics
    /// When there are not as many coefficients as functions.
    pub(crate) fn new(basis: Arc<B>, coefficients: Coefficients) -> Self {
        assert_eq!(basis.len(), coefficients.len(), "a coefficient for every function");
        Self { basis, coefficients }
    }

    /// The functions.
    #[must_use]
    pub fn basis(&self) -> &B {
        &self.basis
    }

    /// Distribution of the coefficients.
    #[must_use]
    pub fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// The posterior after one more observation with noise of this variance.
    ///
    /// # Errors
    /// [`LinearError`] for numbers that are not finite, a negative variance, or a certain contradiction.
    pub fn with_observation(&self, x: &[f64], y: f64, noise_variance: f64) -> Result<Self, LinearError> {
        dimension("points", x.len(), self.basis.dim())?;
        let mut coefficients = self.coefficients.clone();
        coefficients.update(&self.basis.eval(x), y, noise_variance)?;
        Ok(Self { basis: self.basis.clone(), coefficients })
    }

    /// Slopes of the functions at a point, J×d; zeros where they are not known.
    fn slopes(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.basis.len() * x.len()];
        self.basis.gradient_into(x, &mut out);
        out
    }

    fn has_slopes(&self) -> bool {
        let mut out = vec![0.0; self.basis.len() * self.basis.dim()];
        self.basis.gradient_into(&vec![0.5; self.basis.dim()], &mut out)
    }
}

/// `grad[k] += Σ_j weights[j] slopes[j, k]`.
fn pull_back(weights: &[f64], slopes: &[f64], grad: &mut [f64]) {
    let d = grad.len();
    for (weight, row) in weights.iter().zip(slopes.chunks_exact(d.max(1))) {
        grad.iter_mut().zip(row).for_each(|(slot, slope)| *slot += weight * slope);
    }
}

impl<B: Basis + 'static> Posterior for LinearPosterior<B> {
    fn dim(&self) -> usize {
        self.basis.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        let mut phi = vec![0.0; self.basis.len()];
        for (i, row) in x.rows().enumerate() {
            self.basis.eval_into(row, &mut phi);
            (mean[i], variance[i]) = self.coefficients.moments(&phi);
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        self.has_slopes().then_some(self as &dyn PosteriorGradient)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        Some(self)
    }
}

impl<B: Basis + 'static> PosteriorGradient for LinearPosterior<B> {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        mean_gradient.fill(0.0);
        variance_gradient.fill(0.0);
        let d = x.dim();
        for (i, row) in x.rows().enumerate() {
            let slopes = self.slopes(row);
            let doubled: Vec<f64> =
                self.coefficients.times(&self.basis.eval(row)).iter().map(|s| 2.0 * s).collect();
            pull_back(self.coefficients.mean(), &slopes, &mut mean_gradient[i * d..(i + 1) * d]);
            pull_back(&doubled, &slopes, &mut variance_gradient[i * d..(i + 1) * d]);
        }
    }
}

impl<B: Basis + 'static> JointPosterior for LinearPosterior<B> {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let m = x.len();
        self.cross_covariance_into(x, x, out);
        for i in 0..m {
            out[i * m + i] = not_negative(out[i * m + i]);
            for j in 0..i {
                out[j * m + i] = out[i * m + j];
            }
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let right: Vec<Vec<f64>> = b.rows().map(|row| self.basis.eval(row)).collect();
        for (row, out) in a.rows().zip(out.chunks_exact_mut(b.len().max(1))) {
            let product = self.coefficients.times(&self.basis.eval(row));
            out.iter_mut().zip(&right).for_each(|(slot, phi)| *slot = dot(phi, &product));
        }
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        self.has_slopes().then_some(self as &dyn JointGradient)
    }
}

impl<B: Basis + 'static> JointGradient for LinearPosterior<B> {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let (m, d) = (x.len(), x.dim());
        let products: Vec<Vec<f64>> =
            x.rows().map(|row| self.coefficients.times(&self.basis.eval(row))).collect();
        for (i, row) in x.rows().enumerate() {
            let mut weights: Vec<f64> = self.coefficients.mean().iter().map(|a| of_mean[i] * a).collect();
            for (j, product) in products.iter().enumerate() {
                let weight = of_covariance[i * m + j] + of_covariance[j * m + i];
                weights.iter_mut().zip(product).for_each(|(w, p)| *w += weight * p);
            }
            pull_back(&weights, &self.slopes(row), &mut grad[i * d..(i + 1) * d]);
        }
    }
}

/// One function: coefficients that were drawn.
struct Path<B> {
    basis: Arc<B>,
    coefficients: Vec<f64>,
}

impl<B: Basis> SamplePath for Path<B> {
    fn dim(&self) -> usize {
        self.basis.dim()
    }

    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        for (slot, row) in out.iter_mut().zip(x.rows()) {
            *slot = dot(&self.basis.eval(row), &self.coefficients);
        }
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut slopes = vec![0.0; self.basis.len() * x.len()];
        self.basis.gradient_into(x, &mut slopes);
        gradient.fill(0.0);
        pull_back(&self.coefficients, &slopes, gradient);
        dot(&self.basis.eval(x), &self.coefficients)
    }
}

impl<B: Basis + 'static> PathSampler for LinearPosterior<B> {
    fn sample_paths(&self, count: usize, rng: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>> {
        let root = self.coefficients.square_root().ok()?;
        let n = self.coefficients.len();
        let draw = |_| {
            let z: Vec<f64> = (0..n).map(|_| StandardNormal.sample(rng)).collect();
            let value = |i: usize| self.coefficients.mean()[i] + dot(&root[i * n..(i + 1) * n], &z);
            let coefficients = (0..n).map(value).collect();
            Box::new(Path { basis: self.basis.clone(), coefficients }) as Box<dyn SamplePath>
        };
        Some((0..count).map(draw).collect())
    }
}

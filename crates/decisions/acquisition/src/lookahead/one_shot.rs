//! One-shot knowledge gradient of a batch.

use thrifty_check::{InputError, dimension, length, not_empty, number};
use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_sampling::Stream;
use thrifty_surrogate::JointPosterior;

use crate::acquisition::settle;
use crate::error::require_noise;
use crate::sampling::{normals, smallest};
use crate::{Acquisition, AcquisitionError};

/// One-shot knowledge gradient of q simultaneous observations.
///
/// The q points and the answers to N fantasized outcomes are optimised together.
///
/// ```text
/// V(x_1..x_q, x'_1..x'_N) = μ° - 1/N Σ_i μ_i(x'_i),   μ_i(x') = μ(x') + c(x')ᵀ L⁻ᵀ z_i,   L Lᵀ = Σ_X + s I
/// ```
///
/// The `z_i` are fixed quasi-random normal vectors. c(x') are the covariances of x' with the q points, `Σ_X` is theirs, s is the noise
/// variance, and μ° is the current best mean.
///
/// The maximum over the answers x' is q-KG with N outcomes. Elsewhere the value is smaller, so it is meaningful only after maximisation:
/// compare batches by [`OneShotKnowledgeGradient::completed`]. For q = 1 the exact [`KnowledgeGradient`](crate::KnowledgeGradient) is
/// better.
///
/// Shapes: points of dimension (q + N)·d, the q points first. Cost: (q + N)² covariances per point.
/// Source: Balandat et al. (2020).
pub struct OneShotKnowledgeGradient<'a> {
    posterior: &'a dyn JointPosterior,
    /// z, one row per outcome.
    base: Points,
    noise_variance: f64,
    best: f64,
}

/// L, and the weights L⁻ᵀ z of every outcome.
struct LookaheadMoments {
    factor: Option<Cholesky>,
    weights: Vec<Vec<f64>>,
}

impl<'a> OneShotKnowledgeGradient<'a> {
    /// Builds the acquisition for `q` observations with this noise variance and `outcomes` fantasized outcomes.
    ///
    /// `best` is the smallest mean that could be recommended before the observations.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no observations or outcomes, a best mean that is not finite, or a noise variance that
    /// is negative or not finite.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        q: usize,
        outcomes: usize,
        noise_variance: f64,
        best: f64,
        rng: &mut Stream,
    ) -> Result<Self, AcquisitionError> {
        require_noise(noise_variance)?;
        number("best mean", best, true, "a finite number")?;
        if q == 0 || outcomes == 0 {
            return Err(InputError::Empty { name: if q == 0 { "observations" } else { "outcomes" } }.into());
        }
        Ok(Self { posterior, base: normals(outcomes, q, rng), noise_variance, best })
    }

    /// Number of columns of its points: (q + N)·d.
    #[must_use]
    pub fn dim(&self) -> usize {
        (self.base.dim() + self.base.len()) * self.posterior.dim()
    }

    /// q points with the best answer to each outcome among the points of a pool. The value there is q-KG restricted to the pool. Use it as
    /// the start of a search.
    ///
    /// # Errors
    /// [`AcquisitionError`] for another number of points than q, another dimension, or an empty pool.
    pub fn completed(&self, x: PointsRef<'_>, pool: PointsRef<'_>) -> Result<Vec<f64>, AcquisitionError> {
        let (q, m) = (self.base.dim(), pool.len());
        dimension("points", x.dim(), self.posterior.dim())?;
        dimension("points in the pool", pool.dim(), self.posterior.dim())?;
        length("points", x.len(), q)?;
        not_empty("points in the pool", m)?;
        let (mut mean, mut variance, mut cross) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * q]);
        self.posterior.predict_into(pool, &mut mean, &mut variance);
        self.posterior.cross_covariance_into(pool, x, &mut cross);
        let ahead = self.ahead(x);
        let mut all = x.as_flat().to_vec();
        for weights in &ahead.weights {
            let after: Vec<f64> =
                cross.chunks_exact(q).zip(&mean).map(|(c, mean)| mean + dot(c, weights)).collect();
            all.extend_from_slice(pool.row(smallest(&after)));
        }
        Ok(all)
    }

    fn ahead(&self, x: PointsRef<'_>) -> LookaheadMoments {
        let q = x.len();
        let mut covariance = vec![0.0; q * q];
        self.posterior.covariance_into(x, &mut covariance);
        let matrix = Matrix::from_fn(q, q, |i, j| {
            covariance[i * q + j] + if i == j { self.noise_variance } else { 0.0 }
        });
        // At zero variance, or if the factorization fails, the observation has no value.
        let factor = Cholesky::new(&matrix, &JitterLadder::default()).ok();
        let weights = self.base.rows().map(|z| {
            let mut weights = z.to_vec();
            match &factor {
                Some(factor) => factor.solve_upper_in_place(&mut weights),
                None => weights.fill(0.0),
            }
            weights
        });
        LookaheadMoments { weights: weights.collect(), factor }
    }

    /// The q points, the answers, covariances of the answers with the points, and the value.
    fn look(&self, all: &[f64]) -> (Points, LookaheadMoments, Vec<f64>, f64) {
        let (q, n) = (self.base.dim(), self.base.len());
        let points = Points::from_flat(all.to_vec(), self.posterior.dim());
        let (x, answers) = (points.as_ref().slice(0, q), points.as_ref().slice(q, q + n));
        let (mut mean, mut variance, mut cross) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * q]);
        self.posterior.predict_into(answers, &mut mean, &mut variance);
        self.posterior.cross_covariance_into(answers, x, &mut cross);
        let ahead = self.ahead(x);
        let after: f64 = (0..n).map(|i| mean[i] + dot(&cross[i * q..(i + 1) * q], &ahead.weights[i])).sum();
        let value = self.best - after / n as f64;
        (points, ahead, cross, value)
    }

    /// Derivative by the covariances of the q points: that of `Σ_i c_iᵀ L⁻ᵀ z_i` by L, pulled back through the factorisation.
    ///
    /// ```text
    /// L̄ = -Σ_i w_i (L⁻¹ c_i)ᵀ,   V̄ = L⁻ᵀ tril½(Lᵀ L̄) L⁻¹
    /// ```
    ///
    /// tril½ is the lower half with half of the diagonal. Source: Murray (2016).
    fn of_covariance(ahead: &LookaheadMoments, cross: &[f64], q: usize) -> Vec<f64> {
        let Some(factor) = &ahead.factor else { return vec![0.0; q * q] };
        let mut of_factor = Matrix::zeros(q, q);
        for (weights, c) in ahead.weights.iter().zip(cross.chunks_exact(q)) {
            let mut told = c.to_vec();
            factor.solve_lower_in_place(&mut told);
            for j in 0..q {
                for i in j..q {
                    of_factor[(i, j)] -= weights[i] * told[j];
                }
            }
        }
        let l = factor.factor();
        let mut middle = Matrix::from_fn(q, q, |i, j| {
            let sum: f64 = (i.max(j)..q).map(|k| l[(k, i)] * of_factor[(k, j)]).sum();
            match i.cmp(&j) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5 * sum,
                std::cmp::Ordering::Greater => sum,
            }
        });
        factor.solve_upper_matrix_in_place(&mut middle);
        // (L⁻ᵀ M L⁻¹)ᵀ = L⁻ᵀ (L⁻ᵀ M)ᵀ; the half in which a weight is stored does not matter.
        let mut other = Matrix::from_fn(q, q, |i, j| middle[(j, i)]);
        factor.solve_upper_matrix_in_place(&mut other);
        (0..q * q).map(|k| other[(k / q, k % q)]).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Acquisition for OneShotKnowledgeGradient<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(all, slot)| *slot = self.look(all).3);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let Some(gradient) = self.posterior.joint_gradient() else { return false };
        let (q, n) = (self.base.dim(), self.base.len());
        let (total, share) = (q + n, -1.0 / n as f64);
        for ((all, slot), grad) in x.rows().zip(out).zip(gradients.chunks_exact_mut(x.dim())) {
            let (points, ahead, cross, value) = self.look(all);
            *slot = value;
            let (mut of_mean, mut joint) = (vec![0.0; total], vec![0.0; total * total]);
            of_mean[q..].fill(share);
            let of_factor = Self::of_covariance(&ahead, &cross, q);
            for i in 0..q {
                for j in 0..q {
                    joint[i * total + j] = share * of_factor[i * q + j];
                }
            }
            for (i, weights) in ahead.weights.iter().enumerate() {
                let row = &mut joint[(q + i) * total..];
                row[..q].iter_mut().zip(weights).for_each(|(slot, w)| *slot = share * w);
            }
            grad.fill(0.0);
            gradient.pull_back_joint(points.as_ref(), &of_mean, &joint, grad);
            settle(grad);
        }
        true
    }

    fn has_unit(&self) -> bool {
        true
    }
}

//! Posteriors conditioned on further observations.

use std::sync::Arc;

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{Cholesky, Matrix, NotPositiveDefinite};

use crate::{JointGradient, JointPosterior, Posterior, PosteriorGradient, factor_covariance};

/// Error of conditioning a posterior.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ConditioningError {
    /// Another number of outcomes than points, or points of another dimension.
    #[error("{name}: {found}, expected {expected}")]
    Size {
        /// Name of the counted quantity.
        name: &'static str,
        /// Number found.
        found: usize,
        /// Number expected.
        expected: usize,
    },
    /// An outcome, or the noise variance, that makes no sense.
    #[error("{name} {index} is {value}, expected a finite number, a variance from 0")]
    InvalidNumber {
        /// Name of the number.
        name: &'static str,
        /// Position in its list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The covariance of the observations cannot be factored.
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
}

/// Joint posterior after more observations, fantasized or real; its hyperparameters are kept.
///
/// ```text
/// mean'(x) = mean(x) + c(x)ᵀ V⁻¹ (y - mean(P)),   cov'(x, x') = cov(x, x') - c(x)ᵀ V⁻¹ c(x'),   V = Σ_P + s I
/// ```
///
/// c(x) are the covariances with the m points P, s is the variance of the noise. It needs nothing of the model but
/// joint covariances. Observations of points without uncertainty (V = 0) change nothing.
/// Cost: O(m³) once, then m covariances and O(m²) a point.
/// Source: Rasmussen & Williams (2006), eqs. A.6 and 2.23–2.24.
#[derive(Clone)]
pub struct Conditioned<'a> {
    posterior: &'a dyn JointPosterior,
    at: Points,
    /// L, L Lᵀ = V; none when V is 0.
    factor: Option<Arc<Cholesky>>,
    /// V⁻¹ (y - mean).
    weights: Vec<f64>,
}

impl<'a> Conditioned<'a> {
    /// After the outcomes y at m points, with noise of this variance.
    ///
    /// # Errors
    /// [`ConditioningError`] for lengths that do not fit, numbers that are not finite, or a covariance that no jitter
    /// repairs.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        at: PointsRef<'_>,
        y: &[f64],
        noise_variance: f64,
    ) -> Result<Self, ConditioningError> {
        let size = |name, found, expected| Err(ConditioningError::Size { name, found, expected });
        if y.len() != at.len() {
            return size("outcomes", y.len(), at.len());
        }
        if let Some(index) = y.iter().position(|y| !y.is_finite()) {
            return Err(ConditioningError::InvalidNumber { name: "outcome", index, value: y[index] });
        }
        let (factor, mean) = factor(posterior, at, noise_variance)?;
        let mut weights: Vec<f64> = y.iter().zip(mean).map(|(y, m)| y - m).collect();
        match &factor {
            Some(factor) => factor.solve_in_place(&mut weights),
            None => weights.fill(0.0),
        }
        Ok(Self { posterior, at: at.to_owned(), factor, weights })
    }

    /// Fantasies: one posterior per row of m standard normal numbers z. All share one factor.
    ///
    /// ```text
    /// y = mean(P) + L z
    /// ```
    ///
    /// # Errors
    /// As [`Conditioned::new`].
    pub fn imagined(
        posterior: &'a dyn JointPosterior,
        at: PointsRef<'_>,
        noise_variance: f64,
        normals: PointsRef<'_>,
    ) -> Result<Vec<Self>, ConditioningError> {
        let (found, expected) = (normals.dim(), at.len());
        if found != expected {
            return Err(ConditioningError::Size { name: "normal numbers a row", found, expected });
        }
        let (factor, _) = factor(posterior, at, noise_variance)?;
        let of = |z: &[f64]| {
            // V⁻¹ L z = L⁻ᵀ z.
            let mut weights = z.to_vec();
            match &factor {
                Some(factor) => factor.solve_upper_in_place(&mut weights),
                None => weights.fill(0.0),
            }
            Self { posterior, at: at.to_owned(), factor: factor.clone(), weights }
        };
        Ok(normals.rows().map(of).collect())
    }

    /// Covariances with P, one row a point of x.
    fn cross(&self, x: PointsRef<'_>) -> Vec<f64> {
        let mut cross = vec![0.0; x.len() * self.at.len()];
        self.posterior.cross_covariance_into(x, self.at.as_ref(), &mut cross);
        cross
    }

    /// L⁻¹ c of each row, in place.
    fn whiten(&self, cross: &mut [f64]) {
        for row in cross.chunks_exact_mut(self.at.len().max(1)) {
            match &self.factor {
                Some(factor) => factor.solve_lower_in_place(row),
                None => row.fill(0.0),
            }
        }
    }
}

/// The factor of V, and the means.
fn factor(
    posterior: &dyn JointPosterior,
    at: PointsRef<'_>,
    noise_variance: f64,
) -> Result<(Option<Arc<Cholesky>>, Vec<f64>), ConditioningError> {
    let m = at.len();
    if at.dim() != posterior.dim() {
        let (found, expected) = (at.dim(), posterior.dim());
        return Err(ConditioningError::Size { name: "dimension of the points", found, expected });
    }
    if !(noise_variance >= 0.0 && noise_variance.is_finite()) {
        return Err(ConditioningError::InvalidNumber {
            name: "noise variance",
            index: 0,
            value: noise_variance,
        });
    }
    let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
    posterior.predict_into(at, &mut mean, &mut variance);
    posterior.covariance_into(at, &mut covariance);
    let matrix =
        Matrix::from_fn(m, m, |i, j| covariance[i * m + j] + if i == j { noise_variance } else { 0.0 });
    // Variances that underflow are as good as none.
    if (0..m).all(|i| matrix[(i, i)] < f64::MIN_POSITIVE) {
        return Ok((None, mean));
    }
    Ok((Some(Arc::new(factor_covariance(&matrix, posterior.prior_scale())?)), mean))
}

/// A variance that rounding brought below 0 is 0; NaN stays NaN, which `f64::max` would take for certainty.
fn not_negative(variance: f64) -> f64 {
    if variance.is_nan() { variance } else { variance.max(0.0) }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Posterior for Conditioned<'_> {
    fn dim(&self) -> usize {
        self.posterior.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.posterior.predict_into(x, mean, variance);
        let m = self.at.len();
        let mut cross = self.cross(x);
        for (i, mean) in mean.iter_mut().enumerate() {
            *mean += dot(&cross[i * m..(i + 1) * m], &self.weights);
        }
        self.whiten(&mut cross);
        for (i, variance) in variance.iter_mut().enumerate() {
            let told = &cross[i * m..(i + 1) * m];
            *variance = not_negative(*variance - dot(told, told));
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        self.posterior.joint_gradient().map(|_| self as &dyn PosteriorGradient)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl PosteriorGradient for Conditioned<'_> {
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
        for (i, point) in x.rows().enumerate() {
            let point = PointsRef::single(point);
            self.pull_back_joint(point, &[1.0], &[0.0], &mut mean_gradient[i * d..(i + 1) * d]);
            if variance[i] > 0.0 {
                self.pull_back_joint(point, &[0.0], &[1.0], &mut variance_gradient[i * d..(i + 1) * d]);
            }
        }
    }
}

impl JointPosterior for Conditioned<'_> {
    fn prior_scale(&self) -> f64 {
        self.posterior.prior_scale()
    }

    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.posterior.covariance_into(x, out);
        let (n, m) = (x.len(), self.at.len());
        let mut told = self.cross(x);
        self.whiten(&mut told);
        for i in 0..n {
            for j in 0..=i {
                let less = dot(&told[i * m..(i + 1) * m], &told[j * m..(j + 1) * m]);
                out[i * n + j] -= less;
                out[j * n + i] = out[i * n + j];
            }
            out[i * n + i] = not_negative(out[i * n + i]);
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        self.posterior.cross_covariance_into(a, b, out);
        let (n, m) = (b.len(), self.at.len());
        let (mut of_a, mut of_b) = (self.cross(a), self.cross(b));
        self.whiten(&mut of_a);
        self.whiten(&mut of_b);
        for i in 0..a.len() {
            for j in 0..n {
                out[i * n + j] -= dot(&of_a[i * m..(i + 1) * m], &of_b[j * m..(j + 1) * m]);
            }
        }
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        self.posterior.joint_gradient().map(|_| self as &dyn JointGradient)
    }
}

impl JointGradient for Conditioned<'_> {
    /// By the covariance of point i with P: `u_i V⁻¹ (y - mean) - Σ_j (W_ij + W_ji) V⁻¹ c_j`; the rest as it was.
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let gradient = self.posterior.joint_gradient().expect("asked for where it is not");
        let (n, m, d) = (x.len(), self.at.len(), x.dim());
        let mut solved = self.cross(x);
        for row in solved.chunks_exact_mut(m.max(1)) {
            match &self.factor {
                Some(factor) => factor.solve_in_place(row),
                None => row.fill(0.0),
            }
        }
        let total = n + m;
        let mut points = x.to_owned();
        self.at.rows().for_each(|p| points.push(p));
        let (mut means, mut joint) = (vec![0.0; total], vec![0.0; total * total]);
        means[..n].copy_from_slice(of_mean);
        for i in 0..n {
            let row = &mut joint[i * total..(i + 1) * total];
            row[..n].copy_from_slice(&of_covariance[i * n..(i + 1) * n]);
            row[n..].iter_mut().zip(&self.weights).for_each(|(slot, w)| *slot = of_mean[i] * w);
            for j in 0..n {
                let both = of_covariance[i * n + j] + of_covariance[j * n + i];
                let solved = &solved[j * m..(j + 1) * m];
                row[n..].iter_mut().zip(solved).for_each(|(slot, q)| *slot -= both * q);
            }
        }
        let mut slopes = vec![0.0; total * d];
        gradient.pull_back_joint(points.as_ref(), &means, &joint, &mut slopes);
        grad.iter_mut().zip(&slopes[..n * d]).for_each(|(slot, slope)| *slot += slope);
    }
}

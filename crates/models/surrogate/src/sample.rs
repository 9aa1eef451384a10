//! Joint samples of a posterior at finitely many points.

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::PointsRef;
use thrifty_linalg::{Cholesky, JitterLadder, Matrix, NotPositiveDefinite};
use thrifty_sampling::Stream;

use crate::JointPosterior;

/// Exact joint samples of the latent function at m points: `count` rows of m values.
///
/// ```text
/// f = mean + L z,   L Lᵀ = covariance,   z ~ N(0, I)
/// ```
///
/// Cost: O(m³) once, O(m²) a sample.
///
/// # Errors
/// [`NotPositiveDefinite`] when the covariance cannot be factored even with the largest jitter; a covariance of
/// nothing but zeros is no such case: then every sample is the mean.
pub fn sample_jointly(
    posterior: &dyn JointPosterior,
    x: PointsRef<'_>,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<Vec<f64>>, NotPositiveDefinite> {
    let m = x.len();
    let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
    posterior.predict_into(x, &mut mean, &mut variance);
    posterior.covariance_into(x, &mut covariance);
    if variance.iter().all(|&v| v == 0.0) {
        return Ok(vec![mean; count]);
    }
    let matrix = Matrix::from_fn(m, m, |i, j| covariance[i * m + j]);
    let factor = factor_covariance(&matrix, posterior.prior_scale())?;
    let draw = |_| {
        let mut sample = mean.clone();
        for j in 0..m {
            let z: f64 = StandardNormal.sample(rng);
            for (value, l) in sample[j..].iter_mut().zip(&factor.factor().column(j)[j..]) {
                *value += l * z;
            }
        }
        sample
    };
    Ok((0..count).map(draw).collect())
}

/// Cholesky factor of a posterior covariance.
///
/// At zero posterior variance a posterior covariance is rounding alone, and that is relative to the prior and adds up over the rows: the
/// jitter goes from 1e-15 to 1e-6 of `prior_scale` when the ladder, relative to the matrix itself, does not help.
///
/// # Errors
/// [`NotPositiveDefinite`] when no jitter helps.
pub fn factor_covariance(matrix: &Matrix, prior_scale: f64) -> Result<Cholesky, NotPositiveDefinite> {
    let failed = match Cholesky::new(matrix, &JitterLadder::default()) {
        Ok(factor) => return Ok(factor),
        Err(failed) => failed,
    };
    let once = JitterLadder { steps: Vec::new() };
    let attempt = |exponent| {
        let mut held = matrix.clone();
        held.add_to_diagonal(10_f64.powi(exponent) * prior_scale);
        Cholesky::new(&held, &once).ok()
    };
    (-15..=-6).find_map(attempt).ok_or(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_factored_on_the_scale_of_the_prior() {
        let rounding = Matrix::from_fn(3, 3, |i, j| if i == j { 1e-17 } else { -2e-17 });
        assert!(factor_covariance(&rounding, 0.0).is_err());
        let factor = factor_covariance(&rounding, 1.0).unwrap();
        assert!((factor.factor()[(0, 0)].powi(2) - 1e-15).abs() < 1e-16);
        // No rounding: an indefinite matrix stays an error.
        let wrong = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
        assert!(factor_covariance(&wrong, 1.0).is_err());
    }
}

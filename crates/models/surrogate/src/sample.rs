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
    let factor = Cholesky::new(&matrix, &JitterLadder::default())?;
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

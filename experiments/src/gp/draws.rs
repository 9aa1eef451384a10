//! Draws from a process.

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::PointsRef;
use thrifty_kernel::{Kernel, KernelWorkspace};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_sampling::Stream;

use crate::error::ExperimentError;

/// Values at n points of a function drawn from the process of a kernel, with noise of the given variance.
pub fn draw(
    kernel: &dyn Kernel,
    x: PointsRef<'_>,
    noise: f64,
    rng: &mut Stream,
) -> Result<Vec<f64>, ExperimentError> {
    let mut covariance = Matrix::default();
    kernel.forward(x, 1.0, &mut KernelWorkspace::default(), &mut covariance);
    covariance.add_to_diagonal(noise);
    let factor = Cholesky::new(&covariance, &JitterLadder::default()).map_err(ExperimentError::failed)?;
    let mut values = vec![0.0; x.len()];
    for j in 0..x.len() {
        let z: f64 = StandardNormal.sample(rng);
        values[j..].iter_mut().zip(&factor.factor().column(j)[j..]).for_each(|(v, l)| *v += l * z);
    }
    Ok(values)
}

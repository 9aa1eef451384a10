//! A quick check of kernels from outside.

use thrifty_domain::PointsRef;

use crate::{Kernel, KernelError};

/// The number of points that [`check_on`] looks at.
const POINTS: usize = 32;

/// Relative rounding error that is no fault.
const ROUNDING: f64 = 1e-9;

/// Checks that a kernel can be a covariance on some points: it takes their dimension and needs no column that they do not have, its values are finite and symmetric,
/// no variance is negative, and no covariance is larger than the variances allow.
///
/// ```text
/// k(x, x) ≥ 0,   k(x, y) = k(y, x),   k(x, y)² ≤ k(x, x) k(y, y)
/// ```
///
/// For kernels that come from outside, on the data that a model is about to learn from: necessary, not sufficient. The
/// tests of a kernel are in [`contract`](crate::contract). Cost: at most 32 points, spread evenly over the list, and each pair of
/// them once in both orders.
///
/// # Errors
/// [`KernelError`] with the points and values that show the fault.
///
/// ```
/// use thrifty_domain::Points;
/// use thrifty_kernel::{KernelError, Matern52, check_on};
/// let kernel = Matern52::new(vec![0.5])?;
/// check_on(&kernel, Points::from_flat(vec![0.1, 0.4, 0.4], 1).as_ref())?;
/// let plane = Points::from_flat(vec![0.1, 0.4], 2);
/// assert_eq!(check_on(&kernel, plane.as_ref()), Err(KernelError::PointDimension { expected: 1, found: 2 }));
/// # Ok::<(), KernelError>(())
/// ```
pub fn check_on(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<(), KernelError> {
    let (expected, found) = (kernel.expected_dim(x.dim()), x.dim());
    if expected != found {
        return Err(KernelError::PointDimension { expected, found });
    }
    let seen = x.len().min(POINTS);
    let points: Vec<&[f64]> = (0..seen).map(|i| x.row(i * (x.len() - 1) / (seen - 1).max(1))).collect();
    let mut std_devs = Vec::with_capacity(seen);
    for x in &points {
        let variance = finite(kernel, x, x)?;
        if variance < 0.0 {
            return Err(KernelError::NegativeVariance { x: x.to_vec(), variance });
        }
        std_devs.push(variance.sqrt());
    }
    for (i, x) in points.iter().enumerate() {
        for (j, y) in points[..i].iter().enumerate() {
            let limit = std_devs[i] * std_devs[j];
            let (covariance, mirrored) = (finite(kernel, x, y)?, finite(kernel, y, x)?);
            let pair = || (x.to_vec(), y.to_vec());
            if (covariance - mirrored).abs() > ROUNDING * limit.max(covariance.abs()) {
                let (x, y) = pair();
                return Err(KernelError::Asymmetric { x, y, covariance, mirrored });
            }
            if covariance.abs() > (1.0 + ROUNDING) * limit {
                let (x, y) = pair();
                return Err(KernelError::CovarianceTooLarge { x, y, covariance, limit });
            }
        }
    }
    Ok(())
}

fn finite(kernel: &dyn Kernel, x: &[f64], y: &[f64]) -> Result<f64, KernelError> {
    let value = kernel.eval(x, y);
    if value.is_finite() {
        Ok(value)
    } else {
        Err(KernelError::NotFinite { x: x.to_vec(), y: y.to_vec(), value })
    }
}

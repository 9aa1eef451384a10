//! Joint normal distribution of a function at some points.

use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{Cholesky, Matrix};
use thrifty_prob::quantile;
use thrifty_sampling::{MAX_SOBOL_DIM, Sobol, Stream};
use thrifty_surrogate::{JointPosterior, factor_covariance};

use crate::AcquisitionError;
use crate::error::{require_finite, require_points};

/// Rounding error of covariances, as a share of the squared range of the means.
const ROUNDING: f64 = 1e-14;

/// Joint normal distribution of the function at some points: mean, and `L Lᵀ` = covariance.
#[derive(Debug, Clone)]
pub(crate) struct JointNormal {
    pub(crate) mean: Vec<f64>,
    /// Factor L; `None` at zero variance.
    factor: Option<Cholesky>,
}

impl JointNormal {
    /// Joint distribution at these points; `name` identifies the points in errors.
    ///
    /// For noiseless observations the covariance may consist of rounding alone. [`ROUNDING`] times the squared range of the means is added
    /// to its diagonal.
    pub(crate) fn of(
        posterior: &dyn JointPosterior,
        points: PointsRef<'_>,
        name: &'static str,
    ) -> Result<Self, AcquisitionError> {
        require_points(name, points, posterior.dim())?;
        let m = points.len();
        let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
        if m == 0 {
            return Err(InputError::Empty { name }.into());
        }
        posterior.predict_into(points, &mut mean, &mut variance);
        posterior.covariance_into(points, &mut covariance);
        require_finite("means", &mean)?;
        require_finite("variances", &variance)?;
        // Variances that underflow count as 0: jitter relative to them would not be a number.
        if variance.iter().all(|v| *v < f64::MIN_POSITIVE) {
            return Ok(Self { mean, factor: None });
        }
        let smallest = mean.iter().copied().fold(f64::INFINITY, f64::min);
        let range = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max) - smallest;
        let matrix = Matrix::from_fn(m, m, |i, j| {
            covariance[i * m + j] + if i == j { ROUNDING * range * range } else { 0.0 }
        });
        let factor = factor_covariance(&matrix, posterior.prior_scale())
            .map_err(|source| AcquisitionError::Covariance { name, source })?;
        Ok(Self { mean, factor: Some(factor) })
    }

    pub(crate) fn len(&self) -> usize {
        self.mean.len()
    }

    /// Draw `mean + L z`.
    pub(crate) fn sample(&self, z: &[f64]) -> Vec<f64> {
        let mut sample = self.mean.clone();
        self.add_std_dev(z, &mut sample);
        sample
    }

    /// Adds `L z` to `out`.
    pub(crate) fn add_std_dev(&self, z: &[f64], out: &mut [f64]) {
        let Some(factor) = &self.factor else { return };
        for (j, z) in z.iter().enumerate().take(self.len()) {
            let column = &factor.factor().column(j)[j..];
            out[j..].iter_mut().zip(column).for_each(|(value, l)| *value += l * z);
        }
    }

    /// `L⁻¹ c`; zero at zero variance.
    pub(crate) fn whiten(&self, c: &mut [f64]) {
        match &self.factor {
            Some(factor) => factor.solve_lower_in_place(c),
            None => c.fill(0.0),
        }
    }

    /// `L⁻ᵀ z`; zero at zero variance.
    pub(crate) fn unwhiten(&self, z: &mut [f64]) {
        match &self.factor {
            Some(factor) => factor.solve_upper_in_place(z),
            None => z.fill(0.0),
        }
    }
}

/// `count` rows of `dim` quasi-random standard normal numbers: scrambled Sobol points through the quantile function. Above
/// [`MAX_SOBOL_DIM`] columns they are pseudo-random.
pub(crate) fn normals(count: usize, dim: usize, rng: &mut Stream) -> Points {
    let mut points = if dim <= MAX_SOBOL_DIM {
        Sobol::scrambled(dim, rng).take(count)
    } else {
        let mut points = Points::zeros(count, dim);
        points.as_flat_mut().iter_mut().for_each(|u| *u = rng.uniform());
        points
    };
    // Half of the last bit avoids 0, where the quantile is infinite.
    points.as_flat_mut().iter_mut().for_each(|u| *u = quantile(*u + (-54_f64).exp2()));
    points
}

/// The first index of the smallest value; NaN is never the smallest.
pub(crate) fn smallest(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, value) in values.iter().enumerate() {
        if *value < values[best] || values[best].is_nan() {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use thrifty_surrogate::Posterior;

    use super::*;

    /// Independent values of variance 1e-4 around 1e6, 1e6 + 1 and so on.
    struct Far;

    impl Posterior for Far {
        fn dim(&self) -> usize {
            1
        }

        fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
            mean.iter_mut().zip(x.rows()).for_each(|(mean, x)| *mean = 1e6 + x[0]);
            variance.fill(1e-4);
        }
    }

    impl JointPosterior for Far {
        fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            self.cross_covariance_into(x, x, out);
        }

        fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
            let pairs = a.rows().flat_map(|a| b.rows().map(move |b| if a == b { 1e-4 } else { 0.0 }));
            out.iter_mut().zip(pairs).for_each(|(slot, covariance)| *slot = covariance);
        }
    }

    /// The addition for rounding follows the range of the means, not their size.
    #[test]
    fn means_far_from_zero_leave_the_covariance_as_it_is() {
        let points = Points::from_flat(vec![0.0, 1.0, 2.0], 1);
        let joint = JointNormal::of(&Far, points.as_ref(), "points").unwrap();
        let sample = joint.sample(&[1.0, -2.0, 0.0]);
        for (found, expected) in sample.iter().zip([1e6 + 0.01, 1e6 + 1.0 - 0.02, 1e6 + 2.0]) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
        // Means of a range of 1e6, by which covariances of 1e-4 are rounding: 1e-14 · 1e12 = 1e-2 is added to them.
        let wide = Points::from_flat(vec![0.0, -1e6], 1);
        let joint = JointNormal::of(&Far, wide.as_ref(), "points").unwrap();
        let by = joint.sample(&[1.0, 0.0])[0] - 1e6;
        assert!((by - 0.0101_f64.sqrt()).abs() < 1e-8, "{by}");
    }

    #[test]
    fn of_ties_the_first_is_the_smallest_and_nan_never() {
        assert_eq!(smallest(&[1.0, 0.5, 0.5, 2.0]), 1);
        // Next to a tie the smaller one, by the last bit.
        assert_eq!(smallest(&[1.0, 1.0 - f64::EPSILON, 1.0]), 1);
        assert_eq!(smallest(&[f64::NAN, 3.0, f64::NAN, 2.0]), 3);
        assert_eq!(smallest(&[f64::INFINITY, f64::NEG_INFINITY]), 1);
    }
}

//! Training data of a surrogate.

use thrifty_check::{InputError, all_finite, dimension, length, not_empty, variances};
use thrifty_domain::PointsRef;

/// Training data: n points of the unit cube, a target for each, and the noise variances that are known.
///
/// Shapes: `x` n×d, `y` n, `noise_variance` n. Noise variances are in squared units of the targets. They add to whatever noise
/// the surrogate assumes or learns.
#[derive(Debug, Clone, Copy)]
pub struct Observations<'a> {
    /// Points, one per observation.
    pub x: PointsRef<'a>,
    /// Targets.
    pub y: &'a [f64],
    /// Known variance of the noise of each target, if it was reported; 0 for those without one.
    pub noise_variance: Option<&'a [f64]>,
}

impl<'a> Observations<'a> {
    /// Targets without known noise.
    #[must_use]
    pub fn new(x: PointsRef<'a>, y: &'a [f64]) -> Self {
        Self { x, y, noise_variance: None }
    }

    /// Adds the noise variance of each target.
    #[must_use]
    pub fn with_noise_variance(self, noise_variance: &'a [f64]) -> Self {
        Self { noise_variance: Some(noise_variance), ..self }
    }

    /// Number of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// True without observations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// Noise variances, 0 where none is known.
    #[must_use]
    pub fn noise_variances(&self) -> Vec<f64> {
        self.noise_variance.map_or_else(|| vec![0.0; self.y.len()], <[f64]>::to_vec)
    }

    /// Checks the data for a surrogate on `dim` columns: at least one observation, equal lengths, finite numbers, and noise
    /// variances from 0.
    ///
    /// # Errors
    /// [`InputError`] names the first number that violates this.
    pub fn check(&self, dim: usize) -> Result<(), InputError> {
        dimension("points", self.x.dim(), dim)?;
        length("targets", self.y.len(), self.x.len())?;
        let noise_variances = self.noise_variance.unwrap_or(&[]);
        if self.noise_variance.is_some() {
            length("noise variances", noise_variances.len(), self.x.len())?;
        }
        not_empty("observations", self.y.len())?;
        for (index, row) in self.x.rows().enumerate() {
            if let Some(&value) = row.iter().find(|value| !value.is_finite()) {
                let name = "coordinate of point";
                return Err(InputError::Entry { name, index, value, expected: "a finite number" });
            }
        }
        all_finite("target", self.y)?;
        variances("noise variance", noise_variances)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;

    use super::*;

    fn problem(x: &[f64], y: &[f64], noise: Option<&[f64]>) -> Option<String> {
        let points = Points::from_flat(x.to_vec(), 1);
        let data = Observations { x: points.as_ref(), y, noise_variance: noise };
        data.check(1).err().map(|error| error.to_string())
    }

    #[test]
    fn errors_name_the_value_and_the_place() {
        assert_eq!(problem(&[0.1, 0.2], &[1.0, 2.0], Some(&[0.0, 1e12])), None);
        assert_eq!(problem(&[], &[], None).unwrap(), "no observations, expected at least one");
        assert_eq!(problem(&[0.1], &[1.0, 2.0], None).unwrap(), "2 targets, expected 1");
        assert_eq!(problem(&[0.1], &[1.0], Some(&[0.1, 0.2])).unwrap(), "2 noise variances, expected 1");
        for bad in [-1e-300, f64::INFINITY, f64::NAN] {
            let found = problem(&[0.1, 0.2], &[1.0, 2.0], Some(&[0.0, bad])).unwrap();
            assert_eq!(found, format!("noise variance 1 is {bad}, expected a finite number from 0"));
        }
        assert_eq!(
            problem(&[0.1, f64::NAN], &[1.0, 2.0], None).unwrap(),
            "coordinate of point 1 is NaN, expected a finite number"
        );
        assert_eq!(
            problem(&[0.1], &[f64::INFINITY], None).unwrap(),
            "target 0 is inf, expected a finite number"
        );
        let points = Points::from_flat(vec![0.1, 0.2], 2);
        let error = Observations::new(points.as_ref(), &[1.0]).check(3).unwrap_err();
        assert_eq!(error.to_string(), "points of dimension 2, expected 3");
    }

    #[test]
    fn noise_that_is_not_known_is_none() {
        let points = Points::from_flat(vec![0.1, 0.2], 1);
        let data = Observations::new(points.as_ref(), &[1.0, 2.0]);
        assert_eq!(data.noise_variances(), [0.0, 0.0]);
        assert_eq!(data.with_noise_variance(&[0.5, 0.0]).noise_variances(), [0.5, 0.0]);
        assert_eq!((data.len(), data.is_empty()), (2, false));
    }
}

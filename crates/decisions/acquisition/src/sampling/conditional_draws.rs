//! Joint draws at fixed points, with the conditional moments elsewhere.

use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::JointPosterior;

use crate::AcquisitionError;
use crate::sampling::{JointNormal, normals};
use crate::{LookaheadGradient, LookaheadMoments};

/// Fixed quasi-random joint draws of a function at some points, and the conditional distribution elsewhere given each draw.
///
/// ```text
/// f^s = μ_B + L z^s,   L Lᵀ = Σ_B
/// given f^s, f(x) is normal with mean μ(x) + (L⁻¹ c(x))ᵀ z^s and variance σ²(x) - ‖L⁻¹ c(x)‖²
/// ```
///
/// c(x) are the covariances of f(x) with the baseline B, from a [`Lookahead`](thrifty_surrogate::Lookahead) with B as anchors and without
/// noise. The variance does not depend on the draw. Utilities with a closed form given the draw add no sampling noise at x, and are smooth
/// there. Cost: O(B³) once, O(B² + S B) per point.
#[derive(Debug, Clone)]
pub struct ConditionalDraws {
    law: JointNormal,
    /// z, one row per draw.
    base: Points,
}

/// Moments at a point after conditioning on the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualMoments {
    /// Standard deviation, equal for every draw.
    pub std_dev: f64,
    /// Whitened covariances L⁻¹ c.
    told: Vec<f64>,
}

impl ConditionalDraws {
    /// Creates `draws` joint draws at these points.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no points, no draws, another dimension, or a covariance that cannot be factored.
    pub fn new(
        posterior: &dyn JointPosterior,
        points: PointsRef<'_>,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Self, AcquisitionError> {
        let mut one = Self::independent(&[posterior], points, draws, rng)?;
        one.pop().ok_or_else(|| InputError::Empty { name: "posteriors" }.into())
    }

    /// Creates `draws` joint draws of several independent functions at these points, one element per function. Draw s of all of them
    /// together is one joint draw.
    ///
    /// All functions share one quasi-random sequence with one column per function and point. Two scramblings of one Sobol column are
    /// functions of each other, so a sequence per function would make the functions dependent.
    /// Above [`MAX_SOBOL_DIM`](thrifty_sampling::MAX_SOBOL_DIM) columns the draws are plain random numbers.
    ///
    /// # Errors
    /// As [`ConditionalDraws::new`].
    pub fn independent(
        posteriors: &[&dyn JointPosterior],
        points: PointsRef<'_>,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Vec<Self>, AcquisitionError> {
        let laws = posteriors.iter().map(|posterior| JointNormal::of(*posterior, points, "baseline points"));
        let laws = laws.collect::<Result<Vec<JointNormal>, _>>()?;
        if draws == 0 {
            return Err(InputError::Empty { name: "draws" }.into());
        }
        let width = points.len();
        let all = normals(draws, laws.len() * width, rng);
        let columns = |k: usize| {
            let mut base = Points::new(width);
            all.rows().for_each(|row| base.push(&row[k * width..(k + 1) * width]));
            base
        };
        Ok(laws.into_iter().enumerate().map(|(k, law)| Self { law, base: columns(k) }).collect())
    }

    /// Restricts the draws to some of the points.
    ///
    /// With fewer points in the baseline the residual variance elsewhere is a little larger, and cheaper to compute. `points` are those of
    /// [`ConditionalDraws::new`], and `kept` the indices to keep.
    ///
    /// # Errors
    /// As [`ConditionalDraws::new`].
    ///
    /// # Panics
    /// If an index is beyond the points.
    pub fn only(
        &self,
        posterior: &dyn JointPosterior,
        points: PointsRef<'_>,
        kept: &[usize],
    ) -> Result<Self, AcquisitionError> {
        let mut some = Points::new(points.dim());
        kept.iter().for_each(|at| some.push(points.row(*at)));
        let law = JointNormal::of(posterior, some.as_ref(), "baseline points")?;
        let mut base = Points::new(kept.len());
        for draw in 0..self.draws() {
            let values = self.values(draw);
            let mut z: Vec<f64> = kept.iter().zip(&law.mean).map(|(at, mean)| values[*at] - mean).collect();
            law.whiten(&mut z);
            base.push(&z);
        }
        Ok(Self { law, base })
    }

    /// Number of draws.
    #[must_use]
    pub fn draws(&self) -> usize {
        self.base.len()
    }

    /// Values at the points in one draw.
    ///
    /// # Panics
    /// If there are not more than `draw` draws.
    #[must_use]
    pub fn values(&self, draw: usize) -> Vec<f64> {
        self.law.sample(self.base.row(draw))
    }

    /// Means of a point given each draw, and its residual moments.
    pub fn means_into(&self, ahead: LookaheadMoments<'_>, means: &mut [f64]) -> ResidualMoments {
        let (anchors, own) = ahead.split();
        let mut told = anchors.to_vec();
        self.law.whiten(&mut told);
        let left = own - told.iter().map(|t| t * t).sum::<f64>();
        for (mean, z) in means.iter_mut().zip(self.base.rows()) {
            *mean = ahead.mean + told.iter().zip(z).map(|(t, z)| t * z).sum::<f64>();
        }
        // A residual variance below 1e-12 of the point's own variance is rounding.
        ResidualMoments { std_dev: if left > 1e-12 * own { left.sqrt() } else { 0.0 }, told }
    }

    /// Slopes by the look-ahead moments, from slopes by the mean given each draw and by the standard deviation. Those by the covariances
    /// overwrite `of_covariance`.
    pub fn slopes_into(
        &self,
        remainder: &ResidualMoments,
        by_means: &[f64],
        by_std_dev: f64,
        of_covariance: &mut [f64],
    ) -> LookaheadGradient {
        let ResidualMoments { std_dev, told } = remainder;
        of_covariance.fill(0.0);
        // c changes every mean by z^s and the standard deviation by -L⁻¹c/σ', both through L⁻ᵀ.
        let mut through = vec![0.0; told.len()];
        for (by_mean, z) in by_means.iter().zip(self.base.rows()).filter(|(by_mean, _)| **by_mean != 0.0) {
            through.iter_mut().zip(z).for_each(|(t, z)| *t += by_mean * z);
        }
        let by_left = if *std_dev > 0.0 { by_std_dev / (2.0 * std_dev) } else { 0.0 };
        through.iter_mut().zip(told).for_each(|(slot, t)| *slot -= 2.0 * by_left * t);
        self.law.unwhiten(&mut through);
        of_covariance[..through.len()].copy_from_slice(&through);
        of_covariance[through.len()] = by_left;
        LookaheadGradient { mean: by_means.iter().sum(), variance: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use thrifty_gp::Gp;
    use thrifty_sampling::{MAX_SOBOL_DIM, Seed};

    use super::*;

    /// Correlation of the first draws of two functions at one point.
    fn correlation(functions: usize, seed: u64) -> f64 {
        let known = Points::from_flat(vec![0.0, 0.0], 2);
        let process = Gp::matern52(2).condition(known.as_ref(), &[0.0]).unwrap();
        let posteriors = vec![&process as &dyn JointPosterior; functions];
        let point = Points::from_flat(vec![0.7, 0.8], 2);
        let mut rng = Seed(seed).stream("draws", 0);
        let draws = ConditionalDraws::independent(&posteriors, point.as_ref(), 1024, &mut rng).unwrap();
        let column = |k: usize| -> Vec<f64> { draws[k].base.rows().map(|z| z[0]).collect() };
        let (a, b) = (column(0), column(functions - 1));
        let size = |v: &[f64]| v.iter().map(|z| z * z).sum::<f64>().sqrt();
        a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / (size(&a) * size(&b))
    }

    #[test]
    fn functions_are_drawn_independently() {
        // Standard error 1/32 for plain numbers, less for a sequence; 4 of them. Above the largest dimension the numbers are plain.
        for functions in [2, 3, 8, MAX_SOBOL_DIM + 1] {
            for seed in 0..if functions > 8 { 2 } else { 20 } {
                let found = correlation(functions, seed);
                assert!(found.abs() < 0.125, "{functions} functions, seed {seed}: correlation {found}");
            }
        }
    }
}

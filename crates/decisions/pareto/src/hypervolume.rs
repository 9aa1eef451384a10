//! Hypervolume, its contributions and its cost.

mod approximation;
mod columns;
mod contributions;
mod dim2;
mod dim3;
mod dim4;
mod many;

pub use approximation::ApproximateVolume;
use thrifty_domain::PointsRef;
use thrifty_sampling::Seed;

use crate::{ParetoError, check, strictly_dominates};

/// Hypervolume: the volume that points dominate, up to a reference point.
///
/// ```text
/// HV(A) = volume of the union of the boxes [a, r] over the points a ∈ A with a < r
/// ```
///
/// Points on or beyond a face of the reference box add nothing; neither do dominated points and duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypervolume {
    reference: Vec<f64>,
    limit: u64,
}

/// [`Hypervolume::exact`] with the default limit.
///
/// # Errors
/// As [`Hypervolume::new`] and [`Hypervolume::exact`].
///
/// ```
/// use thrifty_domain::Points;
/// let front = Points::from_flat(vec![0.0, 1.0, 1.0, 0.0], 2);
/// assert_eq!(thrifty_pareto::hypervolume(front.as_ref(), &[2.0, 2.0])?, 3.0);
/// # Ok::<(), thrifty_pareto::ParetoError>(())
/// ```
pub fn hypervolume(points: PointsRef<'_>, reference: &[f64]) -> Result<f64, ParetoError> {
    Hypervolume::new(reference)?.exact(points)
}

impl Hypervolume {
    /// Default limit: about ten seconds of work.
    pub const DEFAULT_LIMIT: u64 = 3_000_000_000;

    /// Hypervolumes relative to a reference point.
    ///
    /// # Errors
    /// [`ParetoError::Empty`] without objectives, [`ParetoError::NonFiniteReference`].
    pub fn new(reference: &[f64]) -> Result<Self, ParetoError> {
        check::reference(reference)?;
        Ok(Self { reference: reference.to_vec(), limit: Self::DEFAULT_LIMIT })
    }

    /// Sets the limit on the steps of an exact computation; it applies to five or more objectives.
    ///
    /// A step compares one coordinate. See [`Hypervolume::estimated_steps`].
    #[must_use]
    pub fn with_limit(mut self, steps: u64) -> Self {
        self.limit = steps;
        self
    }

    /// Approximate number of steps of an exact computation, for points that all lie on a sphere.
    ///
    /// ```text
    /// 1.5e5 · 2.9^(m - 5) · (n/100)^(2.2 + 0.16 (m - 5)),   0 for m < 5
    /// ```
    ///
    /// This is a fit, within a factor of 4 for 5 to 12 objectives and 25 to 1,000 points. A step takes about 3 ns. Fronts with dominated or
    /// clustered points take fewer steps; some fronts take more. Use it as a warning; the limit counts the real steps.
    pub fn estimated_steps(&self, points: usize) -> f64 {
        let Some(more) = self.reference.len().checked_sub(5).map(|more| more as f64) else { return 0.0 };
        1.5e5 * 2.9_f64.powf(more) * (points as f64 / 100.0).powf(2.2 + 0.16 * more)
    }

    /// Exact hypervolume up to rounding, with a relative error of about 1e-15.
    ///
    /// Cost: O(n log n) for m ≤ 3, O(n²) for m = 4, at worst exponential in m for more.
    ///
    /// # Errors
    /// [`ParetoError::NonFinite`], [`ParetoError::ObjectiveMismatch`], and [`ParetoError::TooMuchWork`] if the limit on the steps is
    /// exceeded, after the corresponding time.
    pub fn exact(&self, points: PointsRef<'_>) -> Result<f64, ParetoError> {
        let (inside, _) = self.inside(points)?;
        Ok(match *self.reference {
            [top] => inside.iter().fold(0.0, |best, value| f64::max(best, top - value)),
            [x, y] => dim2::volume(&mut inside.as_chunks().0.to_vec(), [x, y]),
            [x, y, z] => dim3::volume(&mut inside.as_chunks().0.to_vec(), [x, y, z]),
            [x, y, z, w] => dim4::Sweep::new().volume(&mut inside.as_chunks().0.to_vec(), [x, y, z, w]),
            _ => self.limited(&inside, many::Recursion::new(self.limit).volume(&inside, &self.reference))?,
        })
    }

    /// Exclusive hypervolume contribution of each point: `HV(A) - HV(A without i)`.
    ///
    /// Dominated points and all duplicates of a point contribute nothing. Dominated points remain in the set: a region that they also
    /// dominate is not lost with the dominating point. The error is about 1e-15 of the volume between point and reference.
    ///
    /// Cost: O(n log n) for m ≤ 2, O(n² log n) for m = 3, n hypervolumes of clipped points for more.
    ///
    /// # Errors
    /// As [`Hypervolume::exact`].
    ///
    /// ```
    /// use thrifty_domain::Points;
    /// use thrifty_pareto::Hypervolume;
    /// let set = Points::from_flat(vec![0.0, 1.0, 1.0, 0.0, 1.0, 1.0], 2);
    /// assert_eq!(Hypervolume::new(&[2.0, 2.0])?.contributions(set.as_ref())?, [1.0, 1.0, 0.0]);
    /// # Ok::<(), thrifty_pareto::ParetoError>(())
    /// ```
    pub fn contributions(&self, points: PointsRef<'_>) -> Result<Vec<f64>, ParetoError> {
        let (inside, indices) = self.inside(points)?;
        let found = match *self.reference {
            [top] => contributions::line(&inside, top),
            [x, y] => contributions::plane(&inside, [x, y]),
            [x, y, z] => contributions::space(&inside, [x, y, z]),
            _ => self.limited(&inside, contributions::many(&inside, &self.reference, self.limit))?,
        };
        let mut all = vec![0.0; points.len()];
        for (index, value) in indices.into_iter().zip(found) {
            all[index] = value;
        }
        Ok(all)
    }

    /// Approximate hypervolume by sampling, for many objectives; deterministic for a given seed.
    ///
    /// The standard error is about `√(p(1 - p)/samples)` of the box between ideal and reference point, where p is the dominated share. Zero
    /// samples count as one.
    ///
    /// Cost: O(samples · n m), less where few boxes hold most of the volume.
    ///
    /// # Errors
    /// [`ParetoError::NonFinite`], [`ParetoError::ObjectiveMismatch`].
    pub fn approximate(
        &self,
        points: PointsRef<'_>,
        samples: u64,
        seed: Seed,
    ) -> Result<ApproximateVolume, ParetoError> {
        let (inside, _) = self.inside(points)?;
        Ok(approximation::volume(&inside, &self.reference, samples.max(1), seed))
    }

    /// The reference point.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// The points inside the reference box, row after row, and their indices.
    fn inside(&self, points: PointsRef<'_>) -> Result<(Vec<f64>, Vec<usize>), ParetoError> {
        check::against(points, self.reference.len())?;
        let mut rows = Vec::with_capacity(points.as_flat().len());
        let mut indices = Vec::with_capacity(points.len());
        for (index, row) in points.rows().enumerate() {
            if strictly_dominates(row, &self.reference) {
                rows.extend_from_slice(row);
                indices.push(index);
            }
        }
        Ok((rows, indices))
    }

    fn limited<T>(&self, inside: &[f64], found: Result<T, many::Exhausted>) -> Result<T, ParetoError> {
        let objectives = self.reference.len();
        found.map_err(|many::Exhausted| ParetoError::TooMuchWork {
            what: "the exact hypervolume",
            points: inside.len() / objectives,
            objectives,
            limit: self.limit,
        })
    }
}

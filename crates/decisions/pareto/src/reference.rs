//! Reference points of hypervolumes.

use thrifty_domain::PointsRef;

use crate::{Duplicates, ParetoError, check, non_dominated};

/// Origin of a reference point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceOrigin {
    /// Chosen by the user.
    Explicit,
    /// Inferred from points.
    Inferred,
}

/// Reference point of a hypervolume, with its origin. It is immutable.
///
/// Hypervolumes of different reference points cannot be compared: infer one once, keep it, and report it. A progress curve with a moving
/// reference point is meaningless.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct ReferencePoint {
    values: Vec<f64>,
    origin: ReferenceOrigin,
}

/// Unvalidated reference point, for reading.
#[derive(serde::Deserialize)]
#[serde(rename = "ReferencePoint")]
struct Unchecked {
    values: Vec<f64>,
    origin: ReferenceOrigin,
}

impl TryFrom<Unchecked> for ReferencePoint {
    type Error = ParetoError;

    fn try_from(Unchecked { values, origin }: Unchecked) -> Result<Self, ParetoError> {
        check::reference(&values)?;
        Ok(Self { values, origin })
    }
}

impl ReferencePoint {
    /// Distance of an inferred point beyond the nadir, as a share of the range of the front.
    pub const MARGIN: f64 = 0.1;

    /// A chosen reference point.
    ///
    /// # Errors
    /// [`ParetoError::Empty`] without objectives, [`ParetoError::NonFiniteReference`].
    pub fn explicit(values: Vec<f64>) -> Result<Self, ParetoError> {
        check::reference(&values)?;
        Ok(Self { values, origin: ReferenceOrigin::Explicit })
    }

    /// A reference point that was chosen or inferred before and stored.
    ///
    /// # Errors
    /// [`ParetoError::Empty`] without objectives, [`ParetoError::NonFiniteReference`].
    pub fn restored(values: Vec<f64>, origin: ReferenceOrigin) -> Result<Self, ParetoError> {
        check::reference(&values)?;
        Ok(Self { values, origin })
    }

    /// Infers a reference point from the non-dominated points of a set.
    ///
    /// ```text
    /// r_j = nadir_j + 0.1 range_j,   nadir and range of objective j over the front
    /// ```
    ///
    /// If an objective has no range, a tenth of its magnitude is used, or 0.1 at 0. With the nadir itself as reference point, every point
    /// of the front would add nothing.
    ///
    /// Shapes: `points` n×m.   Source: Ishibuchi et al. (2011), as in `BoTorch`; departure: objectives without range.
    ///
    /// # Errors
    /// [`ParetoError::Empty`], [`ParetoError::NonFinite`]; [`ParetoError::NonFiniteReference`] if the range overflows.
    ///
    /// ```
    /// use thrifty_domain::Points;
    /// use thrifty_pareto::{ReferenceOrigin, ReferencePoint};
    /// let losses = Points::from_flat(vec![0.0, 10.0, 5.0, 0.0, 9.0, 90.0], 2);
    /// let reference = ReferencePoint::inferred(losses.as_ref())?;
    /// assert_eq!(reference.values(), [5.5, 11.0]);
    /// assert_eq!(reference.origin(), ReferenceOrigin::Inferred);
    /// # Ok::<(), thrifty_pareto::ParetoError>(())
    /// ```
    pub fn inferred(points: PointsRef<'_>) -> Result<Self, ParetoError> {
        if points.is_empty() || points.dim() == 0 {
            return Err(ParetoError::Empty { what: "the set of points" });
        }
        Self::beyond_rows(points, &non_dominated(points, Duplicates::First)?)
    }

    /// Infers a reference point beyond all points, including dominated ones, by the rule of [`inferred`](Self::inferred). For fronts that
    /// are too short to have a range.
    ///
    /// # Errors
    /// As [`ReferencePoint::inferred`].
    pub fn beyond(points: PointsRef<'_>) -> Result<Self, ParetoError> {
        if points.is_empty() || points.dim() == 0 {
            return Err(ParetoError::Empty { what: "the set of points" });
        }
        check::points(points)?;
        Self::beyond_rows(points, &(0..points.len()).collect::<Vec<_>>())
    }

    /// Reference point beyond some of the points.
    fn beyond_rows(points: PointsRef<'_>, rows: &[usize]) -> Result<Self, ParetoError> {
        let value = |objective: usize| {
            let column = || rows.iter().map(|&index| points.row(index)[objective]);
            let nadir = column().fold(f64::NEG_INFINITY, f64::max);
            let range = nadir - column().fold(f64::INFINITY, f64::min);
            let magnitude = if nadir == 0.0 { 1.0 } else { nadir.abs() };
            // A range at rounding level counts as none: the reference point would be the nadir itself.
            nadir + Self::MARGIN * if range > 1e-12 * nadir.abs() { range } else { magnitude }
        };
        let values: Vec<f64> = (0..points.dim()).map(value).collect();
        check::reference(&values)?;
        Ok(Self { values, origin: ReferenceOrigin::Inferred })
    }

    /// The point.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Origin of the reference point.
    pub fn origin(&self) -> ReferenceOrigin {
        self.origin
    }
}

//! Box decomposition of the non-dominated region.

mod bounds;
mod sweep;

pub use bounds::LocalUpperBounds;
use thrifty_domain::{Points, PointsRef};

use crate::{Duplicates, ParetoError, check, non_dominated, strictly_dominates};

/// Partition of the non-dominated region below a reference point into disjoint boxes.
///
/// ```text
/// {y < r : no point of the front is ≼ y} = ∪_b [l_b, u_b),   l_b may be -∞
/// ```
///
/// Over such boxes every formula of hypervolume improvement is a sum of products. There are n + 1 boxes for m = 2 objectives and n points,
/// and at most 2n + 1 for m = 3. For m = 4 and 5 they come from the local upper bounds of the front, and their number is a small multiple
/// of these. For larger m the points cut one box one after another, since ties among the bounds would add more boxes than the bounds save.
///
/// The front is filtered: dominated points, duplicates and points outside the reference box are ignored.
///
/// Cost: O(n log n) for m ≤ 2, O(n²) with a tiny factor for m = 3, O(bounds²) for m = 4 and 5, O(n boxes) for larger m.
#[derive(Debug, Clone, PartialEq)]
pub struct NonDominatedBoxes {
    reference: Vec<f64>,
    lower: Points,
    upper: Points,
}

impl NonDominatedBoxes {
    /// Default limit: a few seconds of work, and at most a few hundred megabytes.
    pub const DEFAULT_LIMIT: u64 = 2_000_000_000;

    /// Decomposes the non-dominated region of a front.
    ///
    /// Shapes: `front` n×m, `reference` m. An empty front gives one box.
    ///
    /// # Errors
    /// [`ParetoError::NonFinite`], [`ParetoError::NonFiniteReference`], [`ParetoError::ObjectiveMismatch`], and [`ParetoError::Empty`]
    /// without objectives; [`ParetoError::TooMuchWork`] if many objectives give too many boxes.
    ///
    /// ```
    /// use thrifty_domain::Points;
    /// use thrifty_pareto::NonDominatedBoxes;
    /// let front = Points::from_flat(vec![0.0, 1.0, 1.0, 0.0], 2);
    /// let boxes = NonDominatedBoxes::new(front.as_ref(), &[2.0, 2.0])?;
    /// assert_eq!(boxes.len(), 3);
    /// assert_eq!(boxes.improvement(&[0.5, 0.5])?, 0.25);
    /// # Ok::<(), thrifty_pareto::ParetoError>(())
    /// ```
    pub fn new(front: PointsRef<'_>, reference: &[f64]) -> Result<Self, ParetoError> {
        Self::with_limit(front, reference, Self::DEFAULT_LIMIT)
    }

    /// Partition with a given limit on the number of steps; the limit applies to four or more objectives.
    ///
    /// A step compares one coordinate. See also [`NonDominatedBoxes::new`].
    ///
    /// # Errors
    /// As [`NonDominatedBoxes::new`].
    pub fn with_limit(front: PointsRef<'_>, reference: &[f64], limit: u64) -> Result<Self, ParetoError> {
        check::reference(reference)?;
        let m = reference.len();
        check::against(front, m)?;
        let mut inside = Points::new(m);
        front.rows().filter(|row| strictly_dominates(row, reference)).for_each(|row| inside.push(row));
        let kept = non_dominated(inside.as_ref(), Duplicates::First)?;
        let mut rows: Vec<&[f64]> = kept.into_iter().map(|index| inside.row(index)).collect();
        rows.sort_unstable_by(|a, b| a[m - 1].total_cmp(&b[m - 1]).then(a[0].total_cmp(&b[0])));

        let mut boxes = Self { reference: reference.to_vec(), lower: Points::new(m), upper: Points::new(m) };
        let emit = |lower: &[f64], upper: &[f64]| {
            boxes.lower.push(lower);
            boxes.upper.push(upper);
        };
        match *reference {
            [top] => {
                let mut emit = emit;
                emit(&[f64::NEG_INFINITY], &[rows.first().map_or(top, |row| row[0])]);
            }
            [x, y] => {
                let front: Vec<[f64; 2]> = rows.iter().rev().map(|row| [row[0], row[1]]).collect();
                sweep::plane(&front, [x, y], emit);
            }
            [x, y, z] => {
                let front: Vec<[f64; 3]> = rows.iter().map(|row| [row[0], row[1], row[2]]).collect();
                sweep::space(&front, [x, y, z], emit);
            }
            [_, _, _, _] | [_, _, _, _, _] => between(&rows, reference, limit, emit)?,
            _ => boxes.cut_all(rows, limit)?,
        }
        Ok(boxes)
    }

    /// Removes the region that a point dominates from the boxes.
    ///
    /// A box that it cuts is split into up to m boxes. The boxes stay disjoint and complete, but there are more than in a new
    /// decomposition, so this is meant for a few pending points. Dominated points are allowed and change nothing.
    ///
    /// # Errors
    /// [`ParetoError::NonFinite`], [`ParetoError::ObjectiveMismatch`]; the boxes are unchanged then.
    pub fn insert(&mut self, point: &[f64]) -> Result<(), ParetoError> {
        check::against(PointsRef::single(point), self.reference.len())?;
        self.cut(point);
        Ok(())
    }

    fn cut(&mut self, point: &[f64]) {
        let m = self.reference.len();
        let (mut lowers, mut uppers) = (Points::new(m), Points::new(m));
        for (lower, upper) in self.rows() {
            if !strictly_dominates(point, upper) {
                lowers.push(lower);
                uppers.push(upper);
                continue;
            }
            // Piece j: below the point in objective j, and not below it in the earlier objectives.
            let mut rest = lower.to_vec();
            for j in 0..m {
                if rest[j] < point[j] {
                    lowers.push(&rest);
                    uppers.push(upper);
                    let last = uppers.len() - 1;
                    uppers.row_mut(last)[j] = point[j];
                    rest[j] = point[j];
                }
            }
        }
        (self.lower, self.upper) = (lowers, uppers);
    }

    /// Cuts one box by every point. Points in the middle of the front come first, which gives the fewest boxes.
    fn cut_all(&mut self, mut rows: Vec<&[f64]>, limit: u64) -> Result<(), ParetoError> {
        let m = self.reference.len();
        let ideal: Vec<f64> =
            (0..m).map(|j| rows.iter().map(|row| row[j]).fold(f64::INFINITY, f64::min)).collect();
        let reference = &self.reference;
        let worst =
            |row: &[f64]| (0..m).map(|j| (row[j] - ideal[j]) / (reference[j] - ideal[j])).fold(0.0, f64::max);
        rows.sort_by(|a, b| worst(a).total_cmp(&worst(b)));
        self.lower.push(&vec![f64::NEG_INFINITY; m]);
        self.upper.push(reference);
        let mut steps = 0;
        for row in &rows {
            charge(&mut steps, self.len() * m, limit, rows.len(), m)?;
            self.cut(row);
        }
        Ok(())
    }

    /// Hypervolume improvement of a point.
    ///
    /// ```text
    /// Σ_b Π_j max(u_bj - max(l_bj, y_j), 0)
    /// ```
    ///
    /// Cost: O(boxes · m).
    ///
    /// # Errors
    /// [`ParetoError::NonFinite`], [`ParetoError::ObjectiveMismatch`].
    pub fn improvement(&self, point: &[f64]) -> Result<f64, ParetoError> {
        check::against(PointsRef::single(point), self.reference.len())?;
        let overlap = |(lower, upper): (&[f64], &[f64])| -> f64 {
            let sides = lower.iter().zip(upper).zip(point);
            sides.map(|((low, top), own)| (top - low.max(*own)).max(0.0)).product()
        };
        Ok(self.rows().map(overlap).sum())
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// True if there are no boxes: never, since the region below all points is not dominated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// The boxes: lower and upper corner.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&[f64], &[f64])> + '_ {
        self.lower.rows().zip(self.upper.rows())
    }

    /// The reference point.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }
}

/// Boxes of the region below the local upper bounds. It is the region that the mirror images of the bounds dominate.
///
/// Source: Lacour, Klamroth & Fonseca (2017), applied twice, as in Daulton, Balandat & Bakshy (2020).
fn between(
    rows: &[&[f64]],
    reference: &[f64],
    limit: u64,
    mut emit: impl FnMut(&[f64], &[f64]),
) -> Result<(), ParetoError> {
    let objectives = reference.len();
    let mut steps = 0;
    let mut bounds = LocalUpperBounds::below(reference.to_vec());
    for row in rows {
        charge(&mut steps, bounds.len() * objectives, limit, rows.len(), objectives)?;
        bounds.add(row);
    }
    let mut mirrored: Vec<Vec<f64>> = bounds.rows().map(|bound| bound.iter().map(|b| -b).collect()).collect();
    mirrored.sort_unstable_by(|a, b| a[objectives - 1].total_cmp(&b[objectives - 1]));
    let mut above = LocalUpperBounds::below(vec![f64::INFINITY; objectives]);
    for bound in &mirrored {
        charge(&mut steps, above.len() * objectives, limit, rows.len(), objectives)?;
        above.add(bound);
    }
    above.dominated_boxes(|lower, upper| {
        let flip = |corner: &[f64]| -> Vec<f64> { corner.iter().map(|value| -value).collect() };
        emit(&flip(upper), &flip(lower));
    });
    Ok(())
}

/// Counts steps up to a limit.
fn charge(
    steps: &mut u64,
    more: usize,
    limit: u64,
    points: usize,
    objectives: usize,
) -> Result<(), ParetoError> {
    *steps = steps.saturating_add(more as u64);
    let error = ParetoError::TooMuchWork { what: "the box decomposition", points, objectives, limit };
    if *steps > limit { Err(error) } else { Ok(()) }
}

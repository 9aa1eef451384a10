//! Non-dominated subsets.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use std::marker::PhantomData;

use thrifty_domain::PointsRef;
use thrifty_simd::{VectorLoop, dispatch};

use crate::front::{Front, List, Lowest, Steps, lexicographic};
use crate::{ParetoError, check};

/// Treatment of equal non-dominated points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    /// All of them are kept.
    #[default]
    Keep,
    /// Only the first of them is kept.
    First,
}

/// Indices of the non-dominated points, ascending.
///
/// Shapes: `points` n×m.   Cost: O(n log n) for m ≤ 2, and for m = 3 if few steps of a staircase move (always on curved fronts); O(n ·
/// front) otherwise.
/// Source: Kung, Luccio & Preparata (1975) for m ≤ 3.
///
/// # Errors
/// [`ParetoError::NonFinite`].
///
/// ```
/// use thrifty_domain::Points;
/// use thrifty_pareto::{Duplicates, non_dominated};
/// let points = Points::from_flat(vec![1.0, 3.0, 2.0, 2.0, 2.0, 4.0, 1.0, 3.0], 2);
/// assert_eq!(non_dominated(points.as_ref(), Duplicates::Keep)?, [0, 1, 3]);
/// assert_eq!(non_dominated(points.as_ref(), Duplicates::First)?, [0, 1]);
/// # Ok::<(), thrifty_pareto::ParetoError>(())
/// ```
pub fn non_dominated(points: PointsRef<'_>, duplicates: Duplicates) -> Result<Vec<usize>, ParetoError> {
    check::points(points)?;
    let mut kept = match points.dim() {
        0 => (0..points.len()).collect(),
        1 | 2 => dispatch(Sweep::<Lowest>(points, duplicates, PhantomData)),
        3 => dispatch(Sweep::<Steps>(points, duplicates, PhantomData)),
        _ => dispatch(Sweep::<List>(points, duplicates, PhantomData)),
    };
    kept.sort_unstable();
    Ok(kept)
}

/// The filter over fronts of one kind.
struct Sweep<'a, F>(PointsRef<'a>, Duplicates, PhantomData<F>);

impl<F: Front> VectorLoop for Sweep<'_, F> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<usize> {
        let Self(points, duplicates, _) = self;
        let mut front: Option<F> = None;
        let mut kept: Vec<usize> = Vec::new();
        for index in lexicographic(points) {
            let point = points.row(index);
            if kept.last().is_some_and(|&last| points.row(last) == point) {
                if duplicates == Duplicates::Keep {
                    kept.push(index);
                }
                continue;
            }
            match &mut front {
                None => front = Some(F::of(point)),
                Some(front) if front.dominates(point) => continue,
                Some(front) => front.insert(point),
            }
            kept.push(index);
        }
        kept
    }
}

//! Non-dominated ranks.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use std::marker::PhantomData;

use thrifty_domain::PointsRef;
use thrifty_simd::{VectorLoop, dispatch};

use crate::front::{Front, List, Lowest, Steps, lexicographic};
use crate::{ParetoError, check};

/// Non-dominated rank of each point: 0 for the front, k for the front after the previous ones are removed.
///
/// Equal points share a rank. A point dominated by front k is dominated by every earlier front, so binary search finds the rank of the next
/// point in lexicographic order.
///
/// Shapes: `points` n×m.   Cost: O(n log n) for m ≤ 2, O(n log² n) for m = 3 if few steps of a staircase move, O(n log n · front) otherwise.
/// Source: Zhang et al. (2015), ENS-BS; departure: one staircase per front for m = 3.
///
/// # Errors
/// [`ParetoError::NonFinite`].
///
/// ```
/// use thrifty_domain::Points;
/// let points = Points::from_flat(vec![0.0, 3.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0], 2);
/// assert_eq!(thrifty_pareto::non_dominated_ranks(points.as_ref())?, [0, 0, 1, 2]);
/// # Ok::<(), thrifty_pareto::ParetoError>(())
/// ```
pub fn non_dominated_ranks(points: PointsRef<'_>) -> Result<Vec<usize>, ParetoError> {
    check::points(points)?;
    Ok(match points.dim() {
        0 => vec![0; points.len()],
        1 | 2 => dispatch(Sort::<Lowest>(points, PhantomData)),
        3 => dispatch(Sort::<Steps>(points, PhantomData)),
        _ => dispatch(Sort::<List>(points, PhantomData)),
    })
}

/// The ranks over fronts of one kind.
struct Sort<'a, F>(PointsRef<'a>, PhantomData<F>);

impl<F: Front> VectorLoop for Sort<'_, F> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<usize> {
        let points = self.0;
        let mut fronts: Vec<F> = Vec::new();
        let mut ranks = vec![0; points.len()];
        let mut before: Option<usize> = None;
        for index in lexicographic(points) {
            let point = points.row(index);
            if let Some(twin) = before.filter(|&twin| points.row(twin) == point) {
                ranks[index] = ranks[twin];
                continue;
            }
            before = Some(index);
            let rank = fronts.partition_point(|front| front.dominates(point));
            match fronts.get_mut(rank) {
                Some(front) => front.insert(point),
                None => fronts.push(F::of(point)),
            }
            ranks[index] = rank;
        }
        ranks
    }
}

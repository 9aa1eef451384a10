//! Anchors of the knowledge gradient, chosen from the posterior.

use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::JointPosterior;

use crate::{AcquisitionError, optimistic_bounds, thompson_among};

/// Number of Sobol points of the domain among which anchors are chosen.
pub(crate) const CANDIDATES: usize = 256;

/// Indices of points that may be the best: those that are the minimiser of some of `draws` joint draws, the most frequent first.
///
/// Reduces a baseline of [`NoisyExpectedImprovement`](crate::NoisyExpectedImprovement) to the relevant points.
/// Cost: O(n³). For many points, select the [most promising](crate::most_promising) first.
/// Source: the pruning of baselines in Balandat et al. (2020).
///
/// # Errors
/// As [`thompson_among`].
pub fn prune_baseline(
    posterior: &dyn JointPosterior,
    points: PointsRef<'_>,
    draws: usize,
    rng: &mut Stream,
) -> Result<Vec<usize>, AcquisitionError> {
    let mut votes = vec![0_usize; points.len()];
    for index in thompson_among(posterior, points, draws, rng)? {
        votes[index] += 1;
    }
    let mut order: Vec<usize> = (0..votes.len()).filter(|i| votes[*i] > 0).collect();
    order.sort_by_key(|i| std::cmp::Reverse(votes[*i]));
    Ok(order)
}

/// Anchors chosen from a pool, such as quasi-random points of the domain. The points of [`prune_baseline`] with four times as many draws
/// come first, then those with the lowest [optimistic bound](optimistic_bounds).
///
/// The knowledge gradient, entropy search and their representers need few points where the minimum may be. There are at most `count`, all distinct.
/// Cost: O(n³) in the size of the pool. For many points, select the [most promising](crate::most_promising) first.
///
/// If the covariance cannot be factored, only the bounds are used: a poor choice of anchors is better than an error.
///
/// # Errors
/// [`AcquisitionError`] for an empty pool, another dimension, and moments that are not finite.
pub fn choose_anchors(
    posterior: &dyn JointPosterior,
    pool: PointsRef<'_>,
    count: usize,
    rng: &mut Stream,
) -> Result<Points, AcquisitionError> {
    let mut order = match prune_baseline(posterior, pool, 4 * count, rng) {
        Err(AcquisitionError::Covariance { .. }) => Vec::new(),
        order => order?,
    };
    let bounds = optimistic_bounds(posterior, pool);
    let mut rest: Vec<usize> = (0..pool.len()).collect();
    rest.sort_by(|a, b| bounds[*a].total_cmp(&bounds[*b]));
    order.extend(rest);
    let mut anchors = Points::new(pool.dim());
    for i in order {
        if anchors.len() == count {
            break;
        }
        if !anchors.rows().any(|known| known == pool.row(i)) {
            anchors.push(pool.row(i));
        }
    }
    Ok(anchors)
}

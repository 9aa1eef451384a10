//! Distance and epsilon indicators of fronts.

use thrifty_domain::PointsRef;

use crate::{ParetoError, check};

/// Inverted generational distance: mean distance of the points of a target front from a set.
///
/// ```text
/// IGD(A) = 1/|R| Σ_{r ∈ R} min_{a ∈ A} ‖a - r‖
/// ```
///
/// It can prefer a dominated set; use [`igd_plus`] for comparisons. The caller must scale the objectives.
///
/// Shapes: `set` n×m, `target` k×m.   Cost: O(n k m).   Source: Coello Coello & Reyes Sierra (2004), with p = 1.
///
/// # Errors
/// [`ParetoError::Empty`], [`ParetoError::NonFinite`], [`ParetoError::ObjectiveMismatch`].
pub fn igd(set: PointsRef<'_>, target: PointsRef<'_>) -> Result<f64, ParetoError> {
    mean_of_least(set, target, |a, r| a - r)
}

/// Inverted generational distance plus: [`igd`] that only counts how much a set is worse. It never prefers a dominated set.
///
/// ```text
/// IGD⁺(A) = 1/|R| Σ_{r ∈ R} min_{a ∈ A} ‖max(a - r, 0)‖
/// ```
///
/// Source: Ishibuchi et al. (2015), eq. 18.
///
/// # Errors
/// As [`igd`].
pub fn igd_plus(set: PointsRef<'_>, target: PointsRef<'_>) -> Result<f64, ParetoError> {
    mean_of_least(set, target, |a, r| (a - r).max(0.0))
}

/// Additive epsilon indicator: the smallest decrease of all objectives by which a set weakly dominates a target front.
///
/// ```text
/// ε(A) = max_{r ∈ R} min_{a ∈ A} max_j (a_j - r_j)
/// ```
///
/// Negative if the set dominates the target with a margin. Source: Zitzler et al. (2003).
///
/// # Errors
/// As [`igd`].
///
/// ```
/// use thrifty_domain::Points;
/// let set = Points::from_flat(vec![1.0, 3.0, 2.0, 2.0], 2);
/// let target = Points::from_flat(vec![0.5, 2.0], 2);
/// assert_eq!(thrifty_pareto::additive_epsilon(set.as_ref(), target.as_ref())?, 1.0);
/// # Ok::<(), thrifty_pareto::ParetoError>(())
/// ```
pub fn additive_epsilon(set: PointsRef<'_>, target: PointsRef<'_>) -> Result<f64, ParetoError> {
    comparable(set, target)?;
    let gap = |a: &[f64], r: &[f64]| a.iter().zip(r).map(|(a, r)| a - r).fold(f64::NEG_INFINITY, f64::max);
    let least = |r| set.rows().map(|a| gap(a, r)).fold(f64::INFINITY, f64::min);
    Ok(target.rows().map(least).fold(f64::NEG_INFINITY, f64::max))
}

fn mean_of_least(
    set: PointsRef<'_>,
    target: PointsRef<'_>,
    difference: impl Fn(f64, f64) -> f64,
) -> Result<f64, ParetoError> {
    comparable(set, target)?;
    let square = |a: &[f64], r: &[f64]| a.iter().zip(r).map(|(a, r)| difference(*a, *r).powi(2)).sum::<f64>();
    let least = |r| set.rows().map(|a| square(a, r)).fold(f64::INFINITY, f64::min).sqrt();
    Ok(target.rows().map(least).sum::<f64>() / target.len() as f64)
}

fn comparable(set: PointsRef<'_>, target: PointsRef<'_>) -> Result<(), ParetoError> {
    for (what, list) in [("the set of points", set), ("the target front", target)] {
        if list.is_empty() || list.dim() == 0 {
            return Err(ParetoError::Empty { what });
        }
        check::points(list)?;
    }
    check::objectives("the target front", target.dim(), set.dim())
}

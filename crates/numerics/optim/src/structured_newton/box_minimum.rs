//! The minimum of a convex quadratic function in a box.

use crate::lbfgsb::dot;

/// The minimiser of `slopeᵀ s + ½ sᵀ curvature s` in a box that contains 0, by a primal active-set method: of the free variables the one that
/// meets its limit first is held there, and in a minimum of the free ones the held one with the steepest way back is free again. None where
/// a minimum of the free ones does not exist.
///
/// Source: Nocedal & Wright (2006), section 16.5, for limits.
pub(super) fn minimum_in_box(curvature: &[f64], slope: &[f64], limits: &[(f64, f64)]) -> Option<Vec<f64>> {
    let n = slope.len();
    let slope_at = |i: usize, step: &[f64]| slope[i] + dot(&curvature[i * n..(i + 1) * n], step);
    // What is smaller is rounding.
    let least = 1e-14 * slope.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
    let mut step = vec![0.0; n];
    // Slopes back into the box of those at a limit; negative where the function falls beyond it.
    let way_back = |i: usize, step: &[f64]| {
        let (low, high) = limits[i];
        let falls_up = if step[i] <= low { -slope_at(i, step) } else { f64::NEG_INFINITY };
        let falls_down = if step[i] >= high { slope_at(i, step) } else { f64::NEG_INFINITY };
        if low < high { falls_up.max(falls_down) } else { f64::NEG_INFINITY }
    };
    let is_free = |i: &usize| limits[*i].0 < 0.0 && limits[*i].1 > 0.0 || way_back(*i, &step) > 0.0;
    let mut free: Vec<usize> = (0..n).filter(is_free).collect();
    // Every minimum of free variables is lower than those before it; the limit is for rounding.
    for _ in 0..20 * (n + 1) {
        let matrix = free.iter().flat_map(|&i| free.iter().map(move |&j| curvature[i * n + j])).collect();
        let way = solve_definite(matrix, free.iter().map(|&i| -slope_at(i, &step)).collect())?;
        // The share of the way at which each meets its limit.
        let meets = |(&i, w): (&usize, &f64)| {
            let limit = if *w > 0.0 { limits[i].1 } else { limits[i].0 };
            if *w == 0.0 { f64::INFINITY } else { (limit - step[i]) / w }
        };
        let met: Vec<f64> = free.iter().zip(&way).map(meets).collect();
        let share = met.iter().copied().fold(1.0, f64::min);
        for (&i, w) in free.iter().zip(&way) {
            step[i] += share * w;
        }
        if share < 1.0 {
            let first = met.iter().position(|met| *met <= share)?;
            let at = free.remove(first);
            step[at] = if way[first] > 0.0 { limits[at].1 } else { limits[at].0 };
            continue;
        }
        let held = (0..n).filter(|i| !free.contains(i)).map(|i| (way_back(i, &step), i));
        match held.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((steepest, back)) if steepest > least => free.push(back),
            _ => return Some(step),
        }
    }
    Some(step)
}

/// Solves a symmetric system by Cholesky's factorisation; none for a matrix that is not positive definite.
fn solve_definite(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for j in 0..n {
        for i in j..n {
            let (row, column) = (&matrix[i * n..i * n + j], &matrix[j * n..j * n + j]);
            matrix[i * n + j] -= dot(row, column);
        }
        let pivot = matrix[j * n + j];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        for i in j..n {
            matrix[i * n + j] /= pivot.sqrt();
        }
    }
    for i in 0..n {
        right[i] = (right[i] - dot(&matrix[i * n..i * n + i], &right[..i])) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| matrix[k * n + i] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i * n + i];
    }
    right.iter().all(|s| s.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Violation of the conditions of a minimum by a step: the slope is 0, or at a limit points out of the box.
    fn off(curvature: &[f64], slope: &[f64], limits: &[(f64, f64)], step: &[f64]) -> f64 {
        let n = slope.len();
        let of = |i: usize| {
            let own = slope[i] + dot(&curvature[i * n..(i + 1) * n], step);
            let (low, high) = limits[i];
            let outside = (low - step[i]).max(step[i] - high).max(0.0);
            let down = if step[i] <= low { 0.0 } else { own.max(0.0) };
            let up = if step[i] >= high { 0.0 } else { (-own).max(0.0) };
            down.max(up).max(outside)
        };
        (0..n).map(of).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn steps_meet_the_conditions_of_a_minimum(
            factor in prop::collection::vec(-1.0..1.0_f64, 36),
            slope in prop::collection::vec(-3.0..3.0_f64, 1..7),
            limits in prop::collection::vec((0..4_u8, 0.0..2.0_f64, 0.0..2.0_f64), 6),
        ) {
            let n = slope.len();
            let entry = |i: usize, j: usize| (0..6).map(|k| factor[6 * i + k] * factor[6 * j + k]).sum::<f64>();
            let curvature: Vec<f64> =
                (0..n * n).map(|at| entry(at / n, at % n) + if at / n == at % n { 0.01 } else { 0.0 }).collect();
            // Some variables start at a limit.
            let limits: Vec<(f64, f64)> = limits.iter().take(n)
                .map(|(at, low, high)| (if at % 2 == 0 { -low } else { 0.0 }, if at / 2 == 0 { *high } else { 0.0 }))
                .collect();
            let step = minimum_in_box(&curvature, &slope, &limits).unwrap();
            prop_assert!(off(&curvature, &slope, &limits, &step) < 1e-8, "{step:?}");
        }
    }

    #[test]
    fn what_has_no_minimum_has_no_step() {
        assert_eq!(minimum_in_box(&[0.0], &[1.0], &[(-1.0, 1.0)]), None);
        assert_eq!(minimum_in_box(&[1.0, 2.0, 2.0, 1.0], &[1.0, 1.0], &[(-1.0, 1.0); 2]), None);
        assert_eq!(minimum_in_box(&[f64::NAN], &[1.0], &[(-1.0, 1.0)]), None);
        assert_eq!(minimum_in_box(&[1.0], &[f64::INFINITY], &[(-1.0, 1.0)]), None);
        assert_eq!(minimum_in_box(&[], &[], &[]), Some(Vec::new()));
        // Of a variable that cannot move nothing is asked.
        assert_eq!(
            minimum_in_box(&[0.0, 0.0, 0.0, 4.0], &[1.0, 2.0], &[(0.0, 0.0), (-9.0, 9.0)]),
            Some(vec![0.0, -0.5])
        );
        let open = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(minimum_in_box(&[4.0], &[2.0], &[open]), Some(vec![-0.5]));
    }
}

//! Golden-section search on an interval.

/// The golden ratio's inverse r, for which r² = 1 - r, and 1 - r.
const RATIO: f64 = 1.618_033_988_749_895 - 1.0;
const REST: f64 = 1.0 - RATIO;

/// Most steps of a refinement: each shortens the interval by the ratio.
const MAX_STEPS: usize = 200;

/// Minimiser of a function of one number on an interval, by a grid and golden-section search.
///
/// The best of `cells + 1` equally spaced points is refined between its neighbours until the interval is shorter than `tolerance`
/// times the size of its inner points. The global minimum is found if the cells are narrower than the distance between local minima. Values
/// that are not numbers count as infinite. Source: Kiefer (1953), `kiefer1953`.
pub fn golden_section(
    mut f: impl FnMut(f64) -> f64,
    (low, high): (f64, f64),
    cells: usize,
    tolerance: f64,
) -> f64 {
    let mut value = |x: f64| {
        let value = f(x);
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let cells = cells.max(1);
    let at = |i: usize| low + (high - low) * i as f64 / cells as f64;
    let values: Vec<f64> = (0..=cells).map(|i| value(at(i))).collect();
    let best = (0..=cells).reduce(|best, i| if values[i] < values[best] { i } else { best }).unwrap_or(0);
    let (from, to) = (at(best.saturating_sub(1)), at((best + 1).min(cells)));
    if to <= from || tolerance <= 0.0 {
        return at(best);
    }
    // The search keeps the side of its start that looks better: begun at an end it would never leave it.
    let start = if best == 0 || best == cells { f64::midpoint(from, to) } else { at(best) };
    match refine(&mut value, (from, to), start, tolerance) {
        (x, refined) if refined < values[best] => x,
        _ => at(best),
    }
}

/// The best point of a golden-section search from `start`, and its value.
///
/// ```text
/// left < a < b < right:   the minimum lies in [a, right] if f(b) < f(a), else in [left, b]
/// ```
fn refine(
    value: &mut impl FnMut(f64) -> f64,
    (mut left, mut right): (f64, f64),
    start: f64,
    tolerance: f64,
) -> (f64, f64) {
    // The second point lies in the longer part.
    let (mut a, mut b) = if (right - start).abs() > (start - left).abs() {
        (start, start + REST * (right - start))
    } else {
        (start - REST * (start - left), start)
    };
    let (mut at_a, mut at_b) = (value(a), value(b));
    let better = |a: f64, at_a: f64, b: f64, at_b: f64| if at_a < at_b { (a, at_a) } else { (b, at_b) };
    let mut best = better(a, at_a, b, at_b);
    for _ in 0..MAX_STEPS {
        // No value is below minus infinity.
        if tolerance * (a.abs() + b.abs()) >= (right - left).abs() || best.1 == f64::NEG_INFINITY {
            break;
        }
        if at_b < at_a {
            (left, a, b) = (a, b, RATIO * b + REST * right);
            (at_a, at_b) = (at_b, value(b));
        } else {
            (right, b, a) = (b, a, RATIO * a + REST * left);
            (at_b, at_a) = (at_a, value(a));
        }
        let found = better(a, at_a, b, at_b);
        if found.1 < best.1 {
            best = found;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_several_minima_is_found() {
        let f = |x: f64| (3.0 * x).sin() + 0.1 * x;
        let found = golden_section(f, (-3.0, 3.0), 20, 1e-10);
        // cos 3x = -1/30, in the second trough left of 0, the deepest.
        let trough = (-(-1.0_f64 / 30.0).acos() - std::f64::consts::TAU) / 3.0;
        assert!((found - trough).abs() < 1e-6, "{found} {trough}");
        assert!((golden_section(|x| (x - 0.3).powi(2), (0.0, 1.0), 1, 1e-10) - 0.3).abs() < 1e-7);
    }

    #[test]
    fn edges_and_bad_values() {
        assert_eq!(golden_section(|x| x, (2.0, 5.0), 4, 1e-9), 2.0);
        assert_eq!(golden_section(|x| -x, (2.0, 5.0), 4, 1e-9), 5.0);
        assert_eq!(golden_section(|x| x, (2.0, 2.0), 4, 1e-9), 2.0);
        assert_eq!(golden_section(|_| f64::NAN, (2.0, 5.0), 4, 1e-9), 2.0);
    }

    /// The least lies in an outermost cell, nearer to the end than to the next point: the end is the best of the points, and
    /// the search has to leave it.
    #[test]
    fn the_least_beside_an_end_is_found() {
        for (least, high) in [(0.1, 4.0), (0.3, 4.0), (3.9, 4.0), (3.75, 4.0), (0.05, 1.0)] {
            let found = golden_section(|x| (x - least) * (x - least), (0.0, high), 4, 1e-10);
            assert!((found - least).abs() < 1e-7, "{found}, expected {least}");
        }
    }

    /// A least beside an end of which all points tried first have no value: the search goes on until it has one.
    #[test]
    fn points_without_a_value_do_not_end_the_search() {
        let f = |x: f64| if x > 0.2 { f64::NAN } else { (x - 0.05).powi(2) };
        let found = golden_section(f, (0.0, 1.0), 1, 1e-10);
        assert!((found - 0.05).abs() < 1e-7, "{found}, expected 0.05");
    }

    /// The two ends of one cell and the first two points of a refinement, of which one is minus infinity: there is nothing to look for.
    #[test]
    fn minus_infinity_ends_the_search() {
        let mut calls = 0;
        let f = |x: f64| {
            calls += 1;
            if x == 0.5 { f64::NEG_INFINITY } else { 0.0 }
        };
        assert_eq!(golden_section(f, (0.0, 1.0), 1, 1e-12), 0.5, "the point of minus infinity");
        assert_eq!(calls, 4, "evaluations");
    }
}

//! Golden-section search on an interval.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::goldensectionsearch::GoldenSectionSearch;

/// A function of one number.
struct Line<F>(RefCell<F>);

impl<F: FnMut(f64) -> f64> CostFunction for Line<F> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, x: &f64) -> Result<f64, Error> {
        Ok((self.0.borrow_mut())(*x))
    }
}

/// Minimiser of a function of one number on an interval, by a grid and golden-section search.
///
/// The best of `cells + 1` equally spaced points is refined between its neighbours by argmin's golden-section search to
/// `tolerance`. The global minimum is found if the cells are narrower than the distance between local minima. Values
/// that are not numbers count as infinite.
pub fn golden_section(
    f: impl FnMut(f64) -> f64,
    (low, high): (f64, f64),
    cells: usize,
    tolerance: f64,
) -> f64 {
    let line = Line(RefCell::new(f));
    let value = |x: f64| {
        let value = (line.0.borrow_mut())(x);
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let cells = cells.max(1);
    let at = |i: usize| low + (high - low) * i as f64 / cells as f64;
    let values: Vec<f64> = (0..=cells).map(|i| value(at(i))).collect();
    let best = (0..=cells).reduce(|best, i| if values[i] < values[best] { i } else { best }).unwrap_or(0);
    let (from, to) = (at(best.saturating_sub(1)), at((best + 1).min(cells)));
    // The search keeps the side of its start that looks better: begun at an end it would never leave it.
    let start = if best == 0 || best == cells { f64::midpoint(from, to) } else { at(best) };
    let refined = GoldenSectionSearch::new(from, to)
        .and_then(|solver| solver.with_tolerance(tolerance))
        .and_then(|solver| {
            let problem = Line(RefCell::new(&value));
            Executor::new(problem, solver).configure(|state| state.param(start).max_iters(200)).run()
        });
    match refined {
        Ok(result) => match result.state().get_best_param() {
            Some(&x) if value(x) < values[best] => x,
            _ => at(best),
        },
        // An interval of no width.
        Err(_) => at(best),
    }
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
}

//! Nelder and Mead's simplex search in a box.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;
use thrifty_optim::projected_start;

use crate::ArgminError;

/// A value without a gradient, clamped into the box: the simplex may leave it, the function never sees that.
struct Boxed<'a, F> {
    f: RefCell<F>,
    bounds: &'a [(f64, f64)],
}

impl<F: FnMut(&[f64]) -> f64> CostFunction for Boxed<'_, F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let inside: Vec<f64> =
            x.iter().zip(self.bounds).map(|(v, &(low, high))| v.clamp(low, high)).collect();
        let value = (self.f.borrow_mut())(&inside);
        // The simplex sorts by value; NaN has no place in an order.
        Ok(if value.is_nan() { f64::INFINITY } else { value })
    }
}

/// Minimises a function without gradient in a box by argmin's Nelder–Mead: the point and its value.
///
/// The first simplex has edges of a tenth of each range (0.1 for an infinite one), pointing inwards. Source:
/// Nelder & Mead (1965).
///
/// # Errors
/// [`ArgminError`]: bad bounds or start, or argmin gives up.
pub fn nelder_mead(
    mut f: impl FnMut(&[f64]) -> f64,
    start: &[f64],
    bounds: &[(f64, f64)],
    max_iterations: u64,
) -> Result<(Vec<f64>, f64), ArgminError> {
    let start = projected_start(start, bounds)?;
    if start.is_empty() {
        let value = f(&start);
        return Ok((start, value));
    }
    let mut simplex = vec![start.clone()];
    for (i, &(low, high)) in bounds.iter().enumerate() {
        let edge = if (high - low).is_finite() { 0.1 * (high - low) } else { 0.1 };
        let mut corner = start.clone();
        corner[i] += if corner[i] + edge <= high { edge } else { -edge };
        simplex.push(corner);
    }
    let gave_up = |error: Error| ArgminError::Solver { message: error.to_string() };
    let solver = NelderMead::new(simplex).with_sd_tolerance(1e-12).map_err(gave_up)?;
    let problem = Boxed { f: RefCell::new(f), bounds };
    let result = Executor::new(problem, solver)
        .configure(|state| state.max_iters(max_iterations))
        .run()
        .map_err(gave_up)?;
    let best = result.state().get_best_param().cloned().unwrap_or(start);
    let inside = best.iter().zip(bounds).map(|(v, &(low, high))| v.clamp(low, high)).collect();
    Ok((inside, result.state().get_best_cost()))
}

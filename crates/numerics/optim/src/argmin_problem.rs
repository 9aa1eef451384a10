//! Our objectives for argmin's solvers, and argmin's problems for ours.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::neldermead::NelderMead;

use crate::OptimError;
use crate::error::projected_start;

/// A fused objective as a problem of argmin: value and gradient of the last point are kept, so that asking for
/// one after the other costs one call.
pub struct FusedProblem<F> {
    state: RefCell<Last<F>>,
}

struct Last<F> {
    f: F,
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    calls: usize,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> FusedProblem<F> {
    /// The objective as a problem.
    pub fn new(f: F) -> Self {
        let state = Last { f, at: Vec::new(), value: f64::NAN, gradient: Vec::new(), calls: 0 };
        Self { state: RefCell::new(state) }
    }

    /// Number of calls of the objective.
    pub fn calls(&self) -> usize {
        self.state.borrow().calls
    }

    fn visit<T>(&self, x: &[f64], take: impl FnOnce(&Last<F>) -> T) -> T {
        let state = &mut *self.state.borrow_mut();
        if state.calls == 0 || state.at != x {
            state.at = x.to_vec();
            state.gradient.resize(x.len(), 0.0);
            state.value = (state.f)(x, &mut state.gradient);
            state.calls += 1;
        }
        take(state)
    }
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> CostFunction for FusedProblem<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.visit(x, |state| state.value))
    }
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Gradient for FusedProblem<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.visit(x, |state| state.gradient.clone()))
    }
}

/// A problem of argmin as an objective for [`Lbfgsb`](crate::Lbfgsb): what it cannot evaluate is infinite.
pub fn fused<P>(problem: P) -> impl FnMut(&[f64], &mut [f64]) -> f64
where
    P: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    move |x, gradient| {
        let x = x.to_vec();
        match (problem.cost(&x), problem.gradient(&x)) {
            (Ok(value), Ok(found)) if found.len() == gradient.len() => {
                gradient.copy_from_slice(&found);
                value
            }
            _ => f64::INFINITY,
        }
    }
}

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
/// [`OptimError`]: bad bounds or start, or argmin gives up.
pub fn nelder_mead(
    mut f: impl FnMut(&[f64]) -> f64,
    start: &[f64],
    bounds: &[(f64, f64)],
    max_iterations: u64,
) -> Result<(Vec<f64>, f64), OptimError> {
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
    let gave_up = |error: Error| OptimError::Argmin { message: error.to_string() };
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

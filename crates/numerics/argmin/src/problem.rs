//! Our objectives for argmin's solvers, and argmin's problems for ours.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Gradient};

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

/// A problem of argmin as an objective for [`Lbfgsb`](thrifty_optim::Lbfgsb): what it cannot evaluate is infinite.
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

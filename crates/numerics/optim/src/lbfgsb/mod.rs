//! Bounded limited-memory quasi-Newton minimisation.

mod cauchy;
mod line_search;
mod memory;
mod small;
mod subspace;
#[cfg(test)]
mod tests;

use crate::OptimError;
use crate::error::projected_start;
use cauchy::CauchyPoint;
use line_search::{LineSearch, Probe};
use memory::Memory;
pub(crate) use memory::dot;

/// Minimises a smooth function in a box: L-BFGS-B with value and gradient from one call.
///
/// Each iteration follows the projected gradient to the generalised Cauchy point of the quasi-Newton model,
/// minimises the model over the variables that are free there, and searches along the line to that point for
/// the strong Wolfe conditions. Where the plain quasi-Newton step stays inside the box it is that minimiser
/// and is taken directly.
///
/// Source: Byrd, Lu, Nocedal & Zhu (1995); projection of the subspace step: Morales & Nocedal (2011); line
/// search: Moré & Thuente (1994). Cost besides the function: O(m n + m³) an iteration for memory m.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lbfgsb {
    /// Pairs of steps and gradient changes that the model remembers.
    pub memory: usize,
    /// Stop when no component of the projected gradient is larger.
    pub gradient_tolerance: f64,
    /// Stop when an iteration lowers the value by less than this times `max(|f|, |f_next|, 1)`.
    pub value_tolerance: f64,
    /// Stop after this number of iterations.
    pub max_iterations: usize,
    /// Stop after this number of evaluations; the line search in progress ends at its last point, if that is lower, or at its lowest if it met a
    /// value that is not finite.
    pub max_evaluations: usize,
}

impl Default for Lbfgsb {
    /// The settings of scipy's L-BFGS-B (1.15): memory 10, 1e-5, 2.2e-9, 15,000, 15,000.
    fn default() -> Self {
        Self {
            memory: 10,
            gradient_tolerance: 1e-5,
            value_tolerance: 2.220_446_049_250_313e-9,
            max_iterations: 15_000,
            max_evaluations: 15_000,
        }
    }
}

/// Reason for the end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Termination {
    /// The projected gradient is small: a stationary point.
    Gradient,
    /// The value hardly falls any more.
    Value,
    /// The limit on iterations was reached.
    Iterations,
    /// The limit on evaluations was reached.
    Evaluations,
    /// No lower point along a direction of descent: the limit of the function's precision.
    LineSearch,
    /// An earlier start found the minimum that this one was on its way to.
    Known,
}

/// Result of a local search for a minimum.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The last point that was accepted, inside the box; none of those accepted before it is lower.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Iterations of the quasi-Newton method.
    pub iterations: usize,
    /// Calls of the function.
    pub evaluations: usize,
    /// Reason for the end of the search.
    pub termination: Termination,
}

impl Lbfgsb {
    /// Minimises `f` from `start` within `bounds` (infinite ones are allowed). `f` returns the value and
    /// overwrites the gradient; a value that is not finite rejects the step, not those before it. A start outside the box moves
    /// into it.
    ///
    /// # Errors
    /// [`OptimError`]: lengths that differ, bounds in the wrong order or NaN, a start at which `f` or its
    /// gradient is not finite.
    pub fn minimize(
        &self,
        mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
        start: &[f64],
        bounds: &[(f64, f64)],
    ) -> Result<Minimum, OptimError> {
        let mut x = projected_start(start, bounds)?;
        let mut gradient = vec![0.0; x.len()];
        let mut value = f(&x, &mut gradient);
        let mut evaluations = 1;
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            return Err(OptimError::NonFiniteValue { value });
        }
        let mut model = Model::new(x.len(), self.memory);
        let (mut next, mut next_gradient) = (x.clone(), gradient.clone());
        let mut iterations = 0;
        let boxed = bounds.iter().all(|(low, high)| low.is_finite() && high.is_finite());
        let termination = loop {
            let norm = projected_gradient_norm(&x, &gradient, bounds);
            if let Some(end) = self.end(norm, iterations, evaluations) {
                break end;
            }
            let slope = model.find_direction(&x, &gradient, bounds);
            if slope >= 0.0 || slope.is_nan() {
                // Rounding has spoilt the model: forget it; with nothing left to forget, this is the end.
                if model.memory.is_empty() {
                    break Termination::LineSearch;
                }
                model.memory.clear();
                continue;
            }
            let line = Line { x: &x, direction: &model.direction, bounds, value };
            let (first, longest) = line.first_and_longest_step(iterations == 0, boxed);
            let search = LineSearch::new(value, slope, first, longest);
            let found =
                self.search_line(search, &line, &mut f, (&mut next, &mut next_gradient), &mut evaluations);
            let Some(next_value) = found else {
                if evaluations >= self.max_evaluations {
                    break Termination::Evaluations;
                }
                if model.memory.is_empty() {
                    break Termination::LineSearch;
                }
                model.memory.clear();
                continue;
            };
            iterations += 1;
            model.memory.update(&x, &gradient, &next, &next_gradient);
            let fall = value - next_value;
            let scale = value.abs().max(next_value.abs()).max(1.0);
            value = next_value;
            std::mem::swap(&mut x, &mut next);
            std::mem::swap(&mut gradient, &mut next_gradient);
            if fall <= self.value_tolerance * scale {
                let stationary = projected_gradient_norm(&x, &gradient, bounds) <= self.gradient_tolerance;
                break if stationary { Termination::Gradient } else { Termination::Value };
            }
        };
        Ok(Minimum { x, value, gradient, iterations, evaluations, termination })
    }

    /// A reason to end before the next iteration.
    fn end(&self, norm: f64, iterations: usize, evaluations: usize) -> Option<Termination> {
        if norm <= self.gradient_tolerance {
            Some(Termination::Gradient)
        } else if iterations >= self.max_iterations {
            Some(Termination::Iterations)
        } else if evaluations >= self.max_evaluations {
            Some(Termination::Evaluations)
        } else {
            None
        }
    }

    /// The value at an accepted step, with its point and gradient in `next`; nothing when no step is better.
    fn search_line(
        &self,
        mut search: LineSearch,
        line: &Line<'_>,
        f: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
        (next, next_gradient): (&mut [f64], &mut [f64]),
        evaluations: &mut usize,
    ) -> Option<f64> {
        let mut lowest = Lowest { value: line.value, ..Lowest::default() };
        loop {
            line.point_into(search.step(), next);
            let trial = f(next, next_gradient);
            *evaluations += 1;
            let slope: f64 = line.direction.iter().zip(&*next_gradient).map(|(d, g)| d * g).sum();
            let ends = match search.probe(trial, slope) {
                Probe::Accept => return Some(trial),
                Probe::Stuck => true,
                Probe::Again => *evaluations >= self.max_evaluations,
            };
            if trial < lowest.value && trial.is_finite() && slope.is_finite() {
                lowest.keep(trial, next, next_gradient);
            }
            if ends && search.is_cut() {
                return lowest.restore(next, next_gradient);
            }
            if ends {
                return (trial < line.value).then_some(trial);
            }
        }
    }
}

/// Largest component of the gradient's projection: what a step of length 1 against it would move inside the box.
pub(crate) fn projected_gradient_norm(x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> f64 {
    let one = |((x, g), &(low, high)): ((&f64, &f64), &(f64, f64))| {
        if *g < 0.0 { (x - high).max(*g).abs() } else { (x - low).min(*g).abs() }
    };
    x.iter().zip(gradient).zip(bounds).map(one).fold(0.0, f64::max)
}

/// The longest step along `direction` that stays in the box.
fn longest_step(x: &[f64], direction: &[f64], bounds: &[(f64, f64)]) -> f64 {
    let mut longest = 1e10;
    for ((x, d), &(low, high)) in x.iter().zip(direction).zip(bounds) {
        let room = if *d > 0.0 {
            (high - x) / d
        } else if *d < 0.0 {
            (low - x) / d
        } else {
            f64::INFINITY
        };
        longest = f64::min(longest, room.max(0.0));
    }
    longest
}

/// Quadratic model of the function in the box, and the direction to its minimizer.
struct Model {
    memory: Memory,
    cauchy: CauchyPoint,
    target: Vec<f64>,
    direction: Vec<f64>,
}

impl Model {
    fn new(n: usize, pairs: usize) -> Self {
        let (memory, cauchy) = (Memory::new(n, pairs), CauchyPoint::new(n, pairs));
        Self { memory, cauchy, target: vec![0.0; n], direction: vec![0.0; n] }
    }

    /// Finds the direction to the minimizer of the model in the box, and returns the slope along it.
    fn find_direction(&mut self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> f64 {
        let Self { memory, cauchy, target, direction } = self;
        let inside = memory.newton_step_into(x, gradient, target)
            && target.iter().zip(bounds).all(|(t, &(low, high))| low <= *t && *t <= high);
        if !inside {
            cauchy.find(x, gradient, bounds, memory);
            subspace::minimize_into(x, gradient, bounds, memory, cauchy, target);
        }
        for ((d, t), x) in direction.iter_mut().zip(&*target).zip(x) {
            *d = t - x;
        }
        direction.iter().zip(gradient).map(|(d, g)| d * g).sum()
    }
}

/// The lowest of the trials along a line that are below its start.
#[derive(Default)]
struct Lowest {
    value: f64,
    x: Vec<f64>,
    gradient: Vec<f64>,
}

impl Lowest {
    fn keep(&mut self, value: f64, x: &[f64], gradient: &[f64]) {
        (self.value, self.x, self.gradient) = (value, x.to_vec(), gradient.to_vec());
    }

    /// The value of the lowest trial, with its point and gradient in the slices; nothing if there is none.
    fn restore(self, x: &mut [f64], gradient: &mut [f64]) -> Option<f64> {
        let is_kept = !self.x.is_empty();
        if is_kept {
            x.copy_from_slice(&self.x);
            gradient.copy_from_slice(&self.gradient);
        }
        is_kept.then_some(self.value)
    }
}

/// A line through the box from a point with a known value.
struct Line<'a> {
    x: &'a [f64],
    direction: &'a [f64],
    bounds: &'a [(f64, f64)],
    value: f64,
}

impl Line<'_> {
    /// The first step to try and the longest that is allowed.
    fn first_and_longest_step(&self, is_first: bool, boxed: bool) -> (f64, f64) {
        // Without a model yet, a box is the only hint of scale; without a box, move by 1.
        let first = if is_first && !boxed {
            (1.0 / self.direction.iter().map(|d| d * d).sum::<f64>().sqrt()).min(1.0)
        } else {
            1.0
        };
        let longest = longest_step(self.x, self.direction, self.bounds);
        let limit = if is_first { longest.min(1.0) } else { longest };
        (first.min(limit), limit.max(1.0))
    }

    /// The point after a step.
    fn point_into(&self, step: f64, out: &mut [f64]) {
        for (((next, x), d), &(low, high)) in out.iter_mut().zip(self.x).zip(self.direction).zip(self.bounds)
        {
            *next = (x + step * d).clamp(low, high);
        }
    }
}

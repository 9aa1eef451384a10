//! Newton's method in a box with a model of the curvature.

use crate::error::projected_start;
use crate::lbfgsb::projected_gradient_norm;
use crate::{Minimum, OptimError, Termination};

/// A function with a gradient and a model of its curvature.
pub trait CurvedObjective {
    /// The value, overwriting the gradient; a value that is not finite rejects a step.
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64;

    /// Overwrites a symmetric matrix, row by row, that is near the second derivatives where the gradient was last asked for. What it
    /// leaves out is learnt from the gradients. False where there is none; what was written is ignored then.
    fn curvature(&mut self, hessian: &mut [f64]) -> bool;
}

/// Minimises a smooth function in a box whose curvature is known in part: a structured quasi-Newton method with a trust region.
///
/// The model of the curvature is `C(x) + S`: C is the part that [`CurvedObjective`] knows, S is what gradients show besides, by sized
/// updates. A step minimises the model within the box and a radius. Where C alone told the last fall better, the next step goes
/// by C alone. For likelihoods, whose curvature is nearly their information, this takes half the evaluations of
/// [`Lbfgsb`](crate::Lbfgsb). Costs O(n³) a step beside the function, for few variables.
///
/// ```
/// use thrifty_optim::{CurvedObjective, StructuredNewton};
///
/// /// (x - 1)² + (y - 2)⁴, of which the first term's curvature is known.
/// struct Sum;
/// impl CurvedObjective for Sum {
///     fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
///         gradient.copy_from_slice(&[2.0 * (x[0] - 1.0), 4.0 * (x[1] - 2.0).powi(3)]);
///         (x[0] - 1.0).powi(2) + (x[1] - 2.0).powi(4)
///     }
///     fn curvature(&mut self, hessian: &mut [f64]) -> bool {
///         hessian.copy_from_slice(&[2.0, 0.0, 0.0, 0.0]);
///         true
///     }
/// }
/// let found = StructuredNewton::default().minimize(&mut Sum, &[0.0, 0.0], &[(-5.0, 5.0), (-5.0, 1.5)])?;
/// assert!((found.x[0] - 1.0).abs() < 1e-4 && found.x[1] == 1.5);
/// # Ok::<(), thrifty_optim::OptimError>(())
/// ```
///
/// Source: Dennis, Gay & Welsch (1981), NL2SOL; steps in a box by fixing the variables that reach their bound.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StructuredNewton {
    /// Stop when no component of the projected gradient is larger.
    pub gradient_tolerance: f64,
    /// Stop when a step lowers the value, or is predicted to, by less than this times `max(|f|, 1)`.
    pub value_tolerance: f64,
    /// Stop after so many evaluations.
    pub max_evaluations: usize,
    /// Length of the first step at most.
    pub radius: f64,
}

impl Default for StructuredNewton {
    /// The tolerances of [`Lbfgsb`](crate::Lbfgsb), and a first step of at most 2.
    fn default() -> Self {
        Self {
            gradient_tolerance: 1e-5,
            value_tolerance: 2.220_446_049_250_313e-9,
            max_evaluations: 15_000,
            radius: 2.0,
        }
    }
}

impl StructuredNewton {
    /// Minimises from `start` within `bounds` (infinite ones are allowed). A start outside the box moves into it.
    ///
    /// # Errors
    /// [`OptimError`]: lengths that differ, bounds in the wrong order or NaN, a start at which the value or its gradient is not finite, or that has no
    /// curvature.
    pub fn minimize(
        &self,
        objective: &mut impl CurvedObjective,
        start: &[f64],
        bounds: &[(f64, f64)],
    ) -> Result<Minimum, OptimError> {
        let mut at = Iterate::new(objective, projected_start(start, bounds)?)?;
        let (mut radius, mut rejected) = (self.radius, false);
        let termination = loop {
            if projected_gradient_norm(&at.x, &at.gradient, bounds) <= self.gradient_tolerance {
                break Termination::Gradient;
            }
            if at.evaluations >= self.max_evaluations {
                break Termination::Evaluations;
            }
            let step = at.model.step(&at.x, &at.gradient, bounds, radius);
            let (predicted, scale) =
                (at.model.fall(&step, &at.gradient, at.model.uses_gained), at.value.abs().max(1.0));
            // At a point that is not stationary a model without a fall is no model: one that is not finite.
            if predicted <= self.value_tolerance * scale || predicted.is_nan() {
                let is_small = predicted > 0.0 && !rejected;
                break if is_small { Termination::Value } else { Termination::LineSearch };
            }
            let Some(fall) = at.try_step(objective, &step, bounds) else { break Termination::LineSearch };
            if fall < 0.25 * predicted {
                radius = 0.25 * norm(&step);
            } else if fall > 0.75 * predicted && norm(&step) > 0.5 * radius {
                radius *= 2.0;
            }
            rejected = fall <= 0.0;
            if !rejected && fall <= self.value_tolerance * scale {
                break Termination::Value;
            }
            if !rejected {
                at.learn(objective, &step);
            }
        };
        let Iterate { x, value, gradient, iterations, evaluations, .. } = at;
        Ok(Minimum { x, value, gradient, iterations, evaluations, termination })
    }
}

/// The best point so far, with the model there.
struct Iterate {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// Gradient at the last trial; after a step that was taken that before it.
    other: Vec<f64>,
    model: Model,
    iterations: usize,
    evaluations: usize,
}

impl Iterate {
    fn new(objective: &mut impl CurvedObjective, x: Vec<f64>) -> Result<Self, OptimError> {
        let mut gradient = vec![0.0; x.len()];
        let value = objective.value_and_gradient(&x, &mut gradient);
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            return Err(OptimError::NonFiniteValue { value });
        }
        let mut model = Model::new(x.len());
        if !objective.curvature(&mut model.known) {
            return Err(OptimError::NoCurvature);
        }
        Ok(Self { x, value, other: gradient.clone(), gradient, model, iterations: 0, evaluations: 1 })
    }

    /// The fall of the value along a step, which is taken if it is one; minus infinity where there is no value, nothing for a step that
    /// rounding makes none.
    fn try_step(
        &mut self,
        objective: &mut impl CurvedObjective,
        step: &[f64],
        bounds: &[(f64, f64)],
    ) -> Option<f64> {
        let moved = self.x.iter().zip(step).zip(bounds);
        let next: Vec<f64> = moved.map(|((x, s), b)| (x + s).clamp(b.0, b.1)).collect();
        if next == self.x {
            return None;
        }
        let value = objective.value_and_gradient(&next, &mut self.other);
        self.evaluations += 1;
        if !(value.is_finite() && self.other.iter().all(|g| g.is_finite())) {
            return Some(f64::NEG_INFINITY);
        }
        let fall = self.value - value;
        let off = |with_gained| (self.model.fall(step, &self.gradient, with_gained) - fall).abs();
        self.model.uses_gained = off(true) <= off(false);
        if fall > 0.0 {
            (self.x, self.value) = (next, value);
            std::mem::swap(&mut self.gradient, &mut self.other);
            self.iterations += 1;
        }
        Some(fall)
    }

    /// The model at the point that the last step led to.
    fn learn(&mut self, objective: &mut impl CurvedObjective, step: &[f64]) {
        let mut known = self.model.known.clone();
        if objective.curvature(&mut known) {
            self.model.known = known;
        }
        let change: Vec<f64> = self.gradient.iter().zip(&self.other).map(|(new, old)| new - old).collect();
        self.model.learn(step, &change);
    }
}

/// The curvature that is known, and what gradients showed besides.
struct Model {
    size: usize,
    known: Vec<f64>,
    gained: Vec<f64>,
    uses_gained: bool,
}

impl Model {
    fn new(size: usize) -> Self {
        let empty = || vec![0.0; size * size];
        Self { size, known: empty(), gained: empty(), uses_gained: true }
    }

    fn entry(&self, at: usize, with_gained: bool) -> f64 {
        self.known[at] + if with_gained { self.gained[at] } else { 0.0 }
    }

    /// Predicted fall of a step: `-gᵀ s - ½ sᵀ B s`.
    fn fall(&self, step: &[f64], gradient: &[f64], with_gained: bool) -> f64 {
        let n = self.size;
        let bent = |i: usize| (0..n).map(|j| self.entry(i * n + j, with_gained) * step[j]).sum::<f64>();
        -(0..n).map(|i| step[i] * (gradient[i] + 0.5 * bent(i))).sum::<f64>()
    }

    /// The step that minimises the model plus a multiple of the squared length, the smallest tried one that keeps within the radius.
    fn step(&self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)], radius: f64) -> Vec<f64> {
        let n = self.size;
        let largest = (0..n).map(|i| self.known[i * n + i].abs()).fold(norm(gradient) * 1e-8, f64::max);
        let mut shift = 0.0;
        // A shift beyond all numbers is left for a model that is not finite.
        while shift < f64::INFINITY {
            if let Some(step) =
                self.boxed(x, gradient, bounds, shift).filter(|step| norm(step) <= 1.1 * radius)
            {
                return step;
            }
            shift = if shift == 0.0 { 1e-4 * largest.max(f64::MIN_POSITIVE) } else { 2.0 * shift };
        }
        vec![0.0; n]
    }

    /// The minimiser of the model plus `½ shift |s|²` in the box, by fixing the variable that reaches its bound first and freeing the one
    /// that gains most; none for a model that is not convex.
    fn boxed(&self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)], shift: f64) -> Option<Vec<f64>> {
        let n = self.size;
        let entry =
            |i: usize, j: usize| self.entry(i * n + j, self.uses_gained) + if i == j { shift } else { 0.0 };
        let slope = |i: usize, step: &[f64]| gradient[i] + (0..n).map(|j| entry(i, j) * step[j]).sum::<f64>();
        let room: Vec<(f64, f64)> =
            x.iter().zip(bounds).map(|(x, (low, high))| (low - x, high - x)).collect();
        let mut step = vec![0.0; n];
        // What a fixed variable would gain by moving inwards.
        let gain = |i: usize, step: &[f64]| {
            let (down, up) = (step[i] > room[i].0, step[i] < room[i].1);
            let slope = slope(i, step);
            if (slope < 0.0 && up) || (slope > 0.0 && down) { slope.abs() } else { 0.0 }
        };
        let mut free: Vec<usize> = (0..n).filter(|i| gain(*i, &step) > 0.0).collect();
        // Every round lowers the model or ends; a bound on them in case rounding makes it go in circles.
        for _ in 0..10 + 10 * n {
            let matrix = free.iter().flat_map(|&i| free.iter().map(move |&j| entry(i, j))).collect();
            let way = solve_definite(matrix, free.iter().map(|&i| -slope(i, &step)).collect())?;
            let reach = |(&i, w): (&usize, &f64)| {
                let left = if *w > 0.0 { room[i].1 - step[i] } else { room[i].0 - step[i] };
                if *w == 0.0 { f64::INFINITY } else { left / w }
            };
            let reached: Vec<f64> = free.iter().zip(&way).map(reach).collect();
            let share = reached.iter().copied().fold(1.0, f64::min);
            for (&i, w) in free.iter().zip(&way) {
                step[i] = (step[i] + share * w).clamp(room[i].0, room[i].1);
            }
            if share < 1.0 {
                let hit = reached.iter().position(|reach| *reach <= share)?;
                let at = free.remove(hit);
                step[at] = if way[hit] > 0.0 { room[at].1 } else { room[at].0 };
                continue;
            }
            let fixed = (0..n).filter(|i| !free.contains(i) && gain(*i, &step) > 0.0);
            match fixed.max_by(|a, b| gain(*a, &step).total_cmp(&gain(*b, &step))) {
                Some(best) => free.push(best),
                None => break,
            }
        }
        Some(step)
    }

    /// A sized update by a step and the change of the gradient along it, so that the model has that change.
    fn learn(&mut self, step: &[f64], change: &[f64]) {
        let n = self.size;
        let times =
            |matrix: &[f64]| -> Vec<f64> { matrix.chunks_exact(n).map(|row| dot(row, step)).collect() };
        let besides: Vec<f64> = change.iter().zip(times(&self.known)).map(|(y, known)| y - known).collect();
        let before = times(&self.gained);
        let own = dot(step, &before).abs();
        let size = if own > 0.0 { (dot(step, &besides).abs() / own).min(1.0) } else { 1.0 };
        self.gained.iter_mut().for_each(|entry| *entry *= size);
        let along = dot(change, step);
        if along <= 1e-12 * norm(change) * norm(step) {
            return;
        }
        let missing: Vec<f64> = besides.iter().zip(&before).map(|(y, s)| y - size * s).collect();
        let share = dot(&missing, step) / along;
        for i in 0..n {
            for j in 0..n {
                let pair = missing[i] * change[j] + change[i] * missing[j] - share * change[i] * change[j];
                self.gained[i * n + j] += pair / along;
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
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

//! Newton's method in a box with a model of the curvature.

mod box_minimum;
mod model;

use self::model::{CurvatureModel, norm};
use crate::error::projected_start;
use crate::lbfgsb::projected_gradient_norm;
use crate::{Minimum, MultiStart, OptimError, Termination};

/// A model leads to a known minimum if its fall there is the actual one up to this share, and its own minimum lies no lower.
const SHARE: f64 = 0.2;

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
/// Source: Dennis, Gay & Welsch (1981), NL2SOL; steps in a box by an active-set method.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StructuredNewton {
    /// Stop when no component of the projected gradient is larger.
    pub gradient_tolerance: f64,
    /// Stop when a step lowers the value, or is predicted to, by less than this times `max(|f|, 1)`.
    pub value_tolerance: f64,
    /// Stop after this number of evaluations.
    pub max_evaluations: usize,
    /// Length of the first step at most.
    pub radius: f64,
    /// Distance from the value of a known minimum within which a further start ends there if its model leads there; with 0 none does.
    pub known_within: f64,
}

impl Default for StructuredNewton {
    /// The tolerances of [`Lbfgsb`](crate::Lbfgsb), and a first step of at most 2. Every start goes to its own end.
    fn default() -> Self {
        Self {
            gradient_tolerance: 1e-5,
            value_tolerance: 2.220_446_049_250_313e-9,
            max_evaluations: 15_000,
            radius: 2.0,
            known_within: 0.0,
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
        self.search(objective, start, bounds, &[])
    }

    /// Minimises from several starts, each as by [`StructuredNewton::minimize`], one after the other.
    ///
    /// # Errors
    /// [`OptimError::NoCurvature`] as soon as one start shows that there is none; else as [`MultiStart::of`].
    pub fn minimize_from(
        &self,
        objective: &mut impl CurvedObjective,
        starts: &[Vec<f64>],
        bounds: &[(f64, f64)],
    ) -> Result<MultiStart, OptimError> {
        let (mut known, mut results): (Vec<Minimum>, Vec<_>) = (Vec::new(), Vec::new());
        for start in starts {
            let result = self.search(objective, start, bounds, &known);
            if matches!(result, Err(OptimError::NoCurvature)) {
                return Err(OptimError::NoCurvature);
            }
            known.extend(result.iter().filter(|found| found.termination != Termination::Known).cloned());
            results.push(result);
        }
        MultiStart::of(results)
    }

    fn search(
        &self,
        objective: &mut impl CurvedObjective,
        start: &[f64],
        bounds: &[(f64, f64)],
        known: &[Minimum],
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
            let least = self.value_tolerance * at.value.abs().max(1.0);
            let step = at.model.step(&at.x, &at.gradient, bounds, radius);
            let predicted = at.model.predicted_fall(&step, &at.gradient);
            if predicted <= least || predicted.is_nan() {
                // After a step that was no fall a small prediction says that the model is at fault, or the function's precision.
                let is_converged = predicted > 0.0 && !rejected;
                break if is_converged { Termination::Value } else { Termination::LineSearch };
            }
            if let Some(end) = known.iter().find(|end| at.leads_to(end, predicted, self.known_within)) {
                (at.x, at.value, at.gradient) = (end.x.clone(), end.value, end.gradient.clone());
                break Termination::Known;
            }
            let Some(fall) = at.try_step(objective, &step, bounds) else { break Termination::LineSearch };
            if fall < 0.25 * predicted {
                radius = 0.25 * norm(&step);
            } else if fall > 0.75 * predicted && norm(&step) > 0.5 * radius {
                radius *= 2.0;
            }
            rejected = fall <= 0.0;
            if rejected {
                continue;
            }
            if fall <= least {
                break Termination::Value;
            }
            at.learn(objective, &step);
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
    /// Change of the gradient by the last step that was taken.
    change: Vec<f64>,
    model: CurvatureModel,
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
        let mut known = vec![0.0; x.len() * x.len()];
        if !objective.curvature(&mut known) {
            return Err(OptimError::NoCurvature);
        }
        let model = CurvatureModel::new(known, x.len());
        Ok(Self { x, value, gradient, change: Vec::new(), model, iterations: 0, evaluations: 1 })
    }

    /// The fall of the value along a step, which is taken if it is one; minus infinity where there is no value, nothing for a step that
    /// rounding makes none.
    fn try_step(
        &mut self,
        objective: &mut impl CurvedObjective,
        step: &[f64],
        bounds: &[(f64, f64)],
    ) -> Option<f64> {
        // Onto a bound without rounding.
        let moved = |((x, s), (low, high)): ((&f64, &f64), &(f64, f64))| {
            if *s >= high - x {
                *high
            } else if *s <= low - x {
                *low
            } else {
                x + s
            }
        };
        let next: Vec<f64> = self.x.iter().zip(step).zip(bounds).map(moved).collect();
        if next == self.x {
            return None;
        }
        let mut gradient = vec![0.0; next.len()];
        let value = objective.value_and_gradient(&next, &mut gradient);
        self.evaluations += 1;
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            return Some(f64::NEG_INFINITY);
        }
        let fall = self.value - value;
        self.model.judge(step, &self.gradient, fall);
        if fall > 0.0 {
            self.change = gradient.iter().zip(&self.gradient).map(|(new, old)| new - old).collect();
            (self.x, self.value, self.gradient) = (next, value, gradient);
            self.iterations += 1;
        }
        Some(fall)
    }

    /// True if the value is little above that of a known minimum, and the model tells this fall on the way there and hardly more anywhere.
    fn leads_to(&self, known: &Minimum, predicted: f64, within: f64) -> bool {
        let above = self.value - known.value;
        if !(above > 0.0 && above <= within && predicted <= (1.0 + SHARE) * above) {
            return false;
        }
        let way: Vec<f64> = known.x.iter().zip(&self.x).map(|(end, x)| end - x).collect();
        let told = self.model.predicted_fall(&way, &self.gradient);
        (told - above).abs() <= SHARE * above
    }

    /// Learns the curvature where the last step led to.
    fn learn(&mut self, objective: &mut impl CurvedObjective, step: &[f64]) {
        let mut known = vec![0.0; self.x.len() * self.x.len()];
        let known = objective.curvature(&mut known).then_some(known);
        self.model.learn(known, step, &self.change);
    }
}

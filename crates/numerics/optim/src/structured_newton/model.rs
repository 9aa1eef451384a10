//! The quadratic model of a structured quasi-Newton method, and its minimum in a box.

use super::box_minimum::minimum_in_box;
use crate::lbfgsb::dot;

/// The curvature that is known, and what gradients showed besides; row by row.
pub(super) struct CurvatureModel {
    /// Number of variables.
    size: usize,
    known: Vec<f64>,
    gained: Vec<f64>,
    /// False while the known part alone predicts better.
    uses_gained: bool,
}

impl CurvatureModel {
    /// A model of `size` variables, before any gradient.
    pub(super) fn new(known: Vec<f64>, size: usize) -> Self {
        Self { size, gained: vec![0.0; known.len()], known, uses_gained: true }
    }

    fn entry(&self, at: usize, with_gained: bool) -> f64 {
        self.known[at] + if with_gained { self.gained[at] } else { 0.0 }
    }

    /// Predicted fall of a step: `-gᵀ s - ½ sᵀ B s`.
    pub(super) fn predicted_fall(&self, step: &[f64], gradient: &[f64]) -> f64 {
        self.fall(step, gradient, self.uses_gained)
    }

    /// Takes the better of both predictions of a fall from now on.
    pub(super) fn judge(&mut self, step: &[f64], gradient: &[f64], fall: f64) {
        let off = |with_gained| (self.fall(step, gradient, with_gained) - fall).abs();
        self.uses_gained = off(true) <= off(false);
    }

    fn fall(&self, step: &[f64], gradient: &[f64], with_gained: bool) -> f64 {
        let n = self.size;
        let bent = |i: usize| (0..n).map(|j| self.entry(i * n + j, with_gained) * step[j]).sum::<f64>();
        -(0..n).map(|i| step[i] * (gradient[i] + 0.5 * bent(i))).sum::<f64>()
    }

    /// The step that minimises the model in the box plus a multiple of the squared length, the smallest tried one that keeps within the radius.
    pub(super) fn step(&self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)], radius: f64) -> Vec<f64> {
        let n = self.size;
        let mut matrix: Vec<f64> = (0..n * n).map(|at| self.entry(at, self.uses_gained)).collect();
        let limits: Vec<(f64, f64)> = x.iter().zip(bounds).map(|(x, b)| (b.0 - x, b.1 - x)).collect();
        let largest = (0..n).map(|i| self.known[i * n + i].abs()).fold(norm(gradient) * 1e-8, f64::max);
        let (mut shift, mut next) = (0.0, 1e-4 * largest.max(f64::MIN_POSITIVE));
        // A shift beyond all numbers is left for a model that is not finite.
        while shift < f64::INFINITY {
            let step = minimum_in_box(&matrix, gradient, &limits);
            if let Some(step) = step.filter(|step| norm(step) <= 1.1 * radius) {
                return step;
            }
            (0..n).for_each(|i| matrix[i * n + i] += next - shift);
            (shift, next) = (next, 2.0 * next);
        }
        vec![0.0; n]
    }

    /// Takes the known part at the end of a step, if there is one, and updates the other so that the model has the change of the gradient
    /// along the step. The update is sized: what was gained before counts no more than the change needs.
    pub(super) fn learn(&mut self, known: Option<Vec<f64>>, step: &[f64], change: &[f64]) {
        let n = self.size;
        if let Some(known) = known {
            self.known = known;
        }
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

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

//! The quadratic model of a structured quasi-Newton method, and its minimum in a box.

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
    /// A model of so many variables, of which gradients showed nothing yet.
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

    /// The step that minimises the model plus a multiple of the squared length, the smallest tried one that keeps within the radius.
    pub(super) fn step(&self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)], radius: f64) -> Vec<f64> {
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

    /// The minimiser of the model plus `½ shift |s|²` in the box, by fixing the variable that reaches its bound first; none for a model that
    /// is not convex. A variable that starts at a bound and would leave the box stays there.
    fn boxed(&self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)], shift: f64) -> Option<Vec<f64>> {
        let n = self.size;
        let entry =
            |i: usize, j: usize| self.entry(i * n + j, self.uses_gained) + if i == j { shift } else { 0.0 };
        let slope = |i: usize, step: &[f64]| gradient[i] + (0..n).map(|j| entry(i, j) * step[j]).sum::<f64>();
        let held = |i: usize| {
            let (low, high) = bounds[i];
            (x[i] <= low && gradient[i] >= 0.0) || (x[i] >= high && gradient[i] <= 0.0)
        };
        let mut step = vec![0.0; n];
        let mut free: Vec<usize> = (0..n).filter(|i| !held(*i)).collect();
        loop {
            let matrix = free.iter().flat_map(|&i| free.iter().map(move |&j| entry(i, j))).collect();
            let way = solve_definite(matrix, free.iter().map(|&i| -slope(i, &step)).collect())?;
            // The share of the way at which each reaches its bound.
            let reach = |(&i, w): (&usize, &f64)| {
                let bound = if *w > 0.0 { bounds[i].1 } else { bounds[i].0 };
                if *w == 0.0 { f64::INFINITY } else { (bound - x[i] - step[i]) / w }
            };
            let reached: Vec<f64> = free.iter().zip(&way).map(reach).collect();
            let share = reached.iter().copied().fold(1.0, f64::min);
            for (&i, w) in free.iter().zip(&way) {
                step[i] += share * w;
            }
            if share >= 1.0 {
                return Some(step);
            }
            let first = reached.iter().position(|reach| *reach <= share)?;
            let (low, high) = bounds[free[first]];
            let at = free.remove(first);
            step[at] = if way[first] > 0.0 { high } else { low } - x[at];
        }
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

//! Limited-memory quasi-Newton model.

use super::small::SmallLu;

/// The quasi-Newton model `B = θ I - W M Wᵀ` of the last few steps `s` and gradient changes `y`.
///
/// ```text
/// W = [Y  θS],   M⁻¹ = [ -D  Lᵀ ; L  θ SᵀS ],   D = diag(sᵢᵀyᵢ),   L_ij = sᵢᵀyⱼ for i > j
/// ```
///
/// Source: Byrd, Nocedal & Schnabel (1994), eq. 3.15.
pub(super) struct Memory {
    n: usize,
    limit: usize,
    /// Oldest pair first.
    steps: Vec<Vec<f64>>,
    changes: Vec<Vec<f64>>,
    /// `sᵢᵀyⱼ` and `sᵢᵀsⱼ`, row-major with `limit` columns.
    step_change: Vec<f64>,
    step_step: Vec<f64>,
    pub(super) theta: f64,
    middle: SmallLu,
    middle_is_current: bool,
    coefficients: Vec<f64>,
}

impl Memory {
    pub(super) fn new(n: usize, limit: usize) -> Self {
        Self {
            n,
            limit,
            steps: Vec::with_capacity(limit),
            changes: Vec::with_capacity(limit),
            step_change: vec![0.0; limit * limit],
            step_step: vec![0.0; limit * limit],
            theta: 1.0,
            middle: SmallLu::default(),
            middle_is_current: false,
            coefficients: Vec::with_capacity(limit),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.changes.clear();
        self.theta = 1.0;
        self.middle_is_current = false;
    }

    /// Number of pairs; `W` has twice as many columns.
    pub(super) fn pairs(&self) -> usize {
        self.steps.len()
    }

    /// Entry `(i, column)` of `W`.
    pub(super) fn w(&self, i: usize, column: usize) -> f64 {
        let k = self.pairs();
        if column < k { self.changes[column][i] } else { self.theta * self.steps[column - k][i] }
    }

    /// Rows of `W`, one after the other.
    pub(super) fn rows_into(&self, rows: &[usize], out: &mut [f64]) {
        let width = 2 * self.pairs();
        for (&i, row) in rows.iter().zip(out.chunks_exact_mut(width)) {
            let (changes, steps) = row.split_at_mut(self.pairs());
            changes.iter_mut().zip(&self.changes).for_each(|(entry, change)| *entry = change[i]);
            steps.iter_mut().zip(&self.steps).for_each(|(entry, step)| *entry = self.theta * step[i]);
        }
    }

    /// Adds the pair of a step, unless its curvature is too small to keep the model positive definite.
    pub(super) fn update(&mut self, x: &[f64], gradient: &[f64], next: &[f64], next_gradient: &[f64]) {
        if self.limit == 0 {
            return;
        }
        // The vectors of the pair that goes are used again.
        let full = self.pairs() == self.limit;
        let (mut s, mut y) = if full {
            (self.steps.remove(0), self.changes.remove(0))
        } else {
            (vec![0.0; self.n], vec![0.0; self.n])
        };
        for i in 0..self.n {
            s[i] = next[i] - x[i];
            y[i] = next_gradient[i] - gradient[i];
        }
        if full {
            let m = self.limit;
            for table in [&mut self.step_change, &mut self.step_step] {
                for i in 1..m {
                    table.copy_within(i * m + 1..(i + 1) * m, (i - 1) * m);
                }
            }
        }
        self.middle_is_current = false;
        let (curvature, change) = (dot(&s, &y), dot(&y, &y));
        if !(curvature > f64::EPSILON * change && change.is_finite()) {
            return;
        }
        self.theta = change / curvature;
        let (k, m) = (self.pairs(), self.limit);
        for i in 0..k {
            self.step_change[i * m + k] = dot(&self.steps[i], &y);
            self.step_change[k * m + i] = dot(&s, &self.changes[i]);
            let product = dot(&s, &self.steps[i]);
            self.step_step[i * m + k] = product;
            self.step_step[k * m + i] = product;
        }
        self.step_change[k * m + k] = curvature;
        self.step_step[k * m + k] = dot(&s, &s);
        self.steps.push(s);
        self.changes.push(y);
    }

    /// `x - B⁻¹ g` by the two-loop recursion; false without pairs. Source: Nocedal (1980).
    pub(super) fn newton_step_into(&mut self, x: &[f64], gradient: &[f64], out: &mut [f64]) -> bool {
        if self.is_empty() {
            return false;
        }
        let (k, m) = (self.pairs(), self.limit);
        out.copy_from_slice(gradient);
        self.coefficients.clear();
        for i in (0..k).rev() {
            let a = dot(&self.steps[i], out) / self.step_change[i * m + i];
            self.coefficients.push(a);
            add_scaled(out, -a, &self.changes[i]);
        }
        for v in out.iter_mut() {
            *v /= self.theta;
        }
        for i in 0..k {
            let b = dot(&self.changes[i], out) / self.step_change[i * m + i];
            add_scaled(out, self.coefficients[k - 1 - i] - b, &self.steps[i]);
        }
        out.iter_mut().zip(x).for_each(|(v, x)| *v = x - *v);
        true
    }

    /// `M v`, overwriting `v`; the model falls back to `θ I` when `M⁻¹` is singular.
    pub(super) fn multiply_middle(&mut self, v: &mut [f64]) {
        if !self.middle_is_current {
            let (k, m) = (self.pairs(), self.limit);
            let (step_change, step_step, theta) = (&self.step_change, &self.step_step, self.theta);
            let entry = |row: usize, column: usize| match (row < k, column < k) {
                (true, true) if row == column => -step_change[row * m + row],
                // Lᵀ and L: sᵢᵀyⱼ with i > j.
                (true, false) if column - k > row => step_change[(column - k) * m + row],
                (false, true) if row - k > column => step_change[(row - k) * m + column],
                (false, false) => theta * step_step[(row - k) * m + column - k],
                _ => 0.0,
            };
            if !self.middle.factor(2 * k, entry) {
                v.fill(0.0);
                return;
            }
            self.middle_is_current = true;
        }
        self.middle.solve(v);
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn add_scaled(to: &mut [f64], factor: f64, other: &[f64]) {
    for (a, b) in to.iter_mut().zip(other) {
        *a += factor * b;
    }
}

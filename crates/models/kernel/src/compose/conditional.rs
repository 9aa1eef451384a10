//! Kernels on conditional parameters.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};

use crate::error::require_columns;
use crate::hyperparameters::{Hyperparameters, read_correlation};
use crate::kernel::weight_sets;
use crate::{Kernel, KernelError, KernelWorkspace};

/// A kernel on a conditional parameter. It compares the parameter where it is active in both points and ignores the filler
/// of an inactive one.
///
/// ```text
/// k(x, y) = ρ + (1 - ρ) [a(x) = a(y)] · (k'(x, y) if a(x) = 1, else 1)
/// ```
///
/// `a` is the activity column and `k'` a kernel of unit variance on the parameter's own columns. Two points with
/// the parameter inactive agree in it; an active and an inactive one are correlated by ρ. It is the covariance
/// of a shared level plus one of two independent functions, so it is positive semi-definite for every ρ.
/// Parameters: `shared` = ρ, logit scale within `[1e-4, 1 - 1e-4]`; then those of `k'`. It has no random features.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked<K>", bound(deserialize = "K: Kernel + serde::Deserialize<'de>"))]
pub struct Conditional<K> {
    kernel: K,
    columns: Vec<usize>,
    activity: usize,
    shared: Hyperparameters,
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked<K> {
    kernel: K,
    columns: Vec<usize>,
    activity: usize,
    #[serde(deserialize_with = "read_correlation")]
    shared: Hyperparameters,
}

impl<K: Kernel> TryFrom<Unchecked<K>> for Conditional<K> {
    type Error = KernelError;

    fn try_from(file: Unchecked<K>) -> Result<Self, KernelError> {
        let Unchecked { kernel, columns, activity, shared } = file;
        require_columns(&columns, Some(kernel.expected_dim(columns.len())))?;
        Ok(Self { kernel, columns, activity, shared })
    }
}

impl<K: Kernel> Conditional<K> {
    /// The kernel on a parameter's own columns, which count where the column `activity` is at least ½.
    ///
    /// # Errors
    /// [`KernelError`] when columns are missing, repeated or too many, or ρ is not strictly between 0 and 1.
    pub fn new(kernel: K, columns: Vec<usize>, activity: usize, shared: f64) -> Result<Self, KernelError> {
        require_columns(&columns, Some(kernel.expected_dim(columns.len())))?;
        Ok(Self { kernel, columns, activity, shared: Hyperparameters::correlation("shared", shared)? })
    }

    fn is_active(&self, x: &[f64]) -> bool {
        x[self.activity] >= 0.5
    }

    fn select(&self, x: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&c| x[c]).collect()
    }

    /// The points in which the parameter is active.
    fn active(&self, x: PointsRef<'_>) -> Active {
        let mut active = Active { points: Points::new(self.columns.len()), rows: Vec::new() };
        let mut own = vec![0.0; self.columns.len()];
        for (row, point) in x.rows().enumerate().filter(|(_, point)| self.is_active(point)) {
            own.iter_mut().zip(&self.columns).for_each(|(slot, &c)| *slot = point[c]);
            active.points.push(&own);
            active.rows.push(row);
        }
        active
    }

    /// The covariance where the factor of `1 - ρ` is this.
    fn covariance(&self, own: f64) -> f64 {
        let shared = self.shared.value();
        shared + (1.0 - shared) * own
    }

    /// Adds the gradients in a point, for weights of points that are split already.
    fn pull_back_active(&self, x: &[f64], y: &Active, weights: &[f64], grad: &mut [f64]) {
        if !self.is_active(x) {
            return;
        }
        let (point, mut own) = (self.select(x), vec![0.0; self.columns.len()]);
        let weights: Vec<f64> =
            y.rows.iter().map(|&row| weights[row] * (1.0 - self.shared.value())).collect();
        self.kernel.pull_back_input_each(&point, y.points.as_ref(), &weights, &mut own);
        self.columns.iter().zip(own).for_each(|(&c, g)| grad[c] += g);
    }

    /// The factor of `1 - ρ`.
    fn own(&self, x: &[f64], y: &[f64]) -> f64 {
        match (self.is_active(x), self.is_active(y)) {
            (true, true) => self.kernel.eval(&self.select(x), &self.select(y)),
            (false, false) => 1.0,
            _ => 0.0,
        }
    }
}

/// Points in which a parameter is active.
struct Active {
    /// Its own columns.
    points: Points,
    /// The row of each point among all, rising.
    rows: Vec<usize>,
}

impl<K: Kernel> Parameterized for Conditional<K> {
    fn params(&self) -> Vec<Param> {
        let mut params = vec![self.shared.only_param("shared")];
        params.extend(self.kernel.params());
        params
    }

    fn set_params(&mut self, values: &[f64]) {
        self.kernel.set_params(self.shared.take(values));
    }
}

impl<K: Kernel + Clone + 'static> Kernel for Conditional<K> {
    /// `None`: any dimension that has the columns.
    fn dim(&self) -> Option<usize> {
        None
    }

    fn least_dim(&self) -> usize {
        self.columns.iter().fold(self.activity, |last, column| last.max(*column)) + 1
    }

    fn num_params(&self) -> usize {
        1 + self.kernel.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.covariance(self.own(x, y))
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        let active = self.active(x);
        let mut own = vec![0.0; active.rows.len()];
        for (j, y) in y.rows().enumerate() {
            let column = out.column_mut(j);
            if self.is_active(y) {
                column.fill(self.covariance(0.0));
                self.kernel.eval_each(active.points.as_ref(), &self.select(y), &mut own);
                active.rows.iter().zip(&own).for_each(|(&row, own)| column[row] = self.covariance(*own));
            } else {
                column.fill(self.covariance(1.0));
                active.rows.iter().for_each(|&row| column[row] = self.covariance(0.0));
            }
        }
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let active = self.active(x);
        out.fill(self.covariance(1.0));
        for (&row, own) in active.rows.iter().zip(active.points.as_ref().rows()) {
            out[row] = self.covariance(self.kernel.eval(own, own));
        }
    }

    /// Keeps the factors of `1 - ρ` as the values of the workspace.
    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let n = x.len();
        out.resize(n, n);
        workspace.values.resize(n, n);
        let active = self.active(x);
        let (points, mut own) = (active.points.as_ref(), vec![0.0; active.rows.len()]);
        let mut next = 0;
        for j in 0..n {
            let values = &mut workspace.values.column_mut(j)[j..];
            let is_active = active.rows.get(next) == Some(&j);
            values.fill(if is_active { 0.0 } else { 1.0 });
            let below = &active.rows[next..];
            if is_active {
                let own = &mut own[next..];
                self.kernel.eval_each(points.slice(next, points.len()), points.row(next), own);
                below.iter().zip(own).for_each(|(row, own)| values[row - j] = *own);
                next += 1;
            } else {
                below.iter().for_each(|row| values[row - j] = 0.0);
            }
            for (slot, own) in out.column_mut(j)[j..].iter_mut().zip(values) {
                *slot = scale * self.covariance(*own);
            }
        }
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let active = self.active(x);
        let (points, per_own) = (active.points.as_ref(), 1.0 - self.shared.value());
        let (mut total, mut next, mut of_own) = (0.0, 0, Vec::new());
        let (of_shared, of_kernel) = grad.split_at_mut(1);
        for j in 0..x.len() {
            let weights = &weights.column(j)[j..];
            for (w, own) in weights.iter().zip(&workspace.values.column(j)[j..]) {
                total += w * self.covariance(*own);
                of_shared[0] += scale * w * (1.0 - own);
            }
            if active.rows.get(next) == Some(&j) {
                of_own.clear();
                of_own.extend(active.rows[next..].iter().map(|row| scale * weights[row - j] * per_own));
                let below = points.slice(next, points.len());
                self.kernel.pull_back_pairs(below, points.row(next), &of_own, of_kernel);
                next += 1;
            }
        }
        total
    }

    fn has_constant_variance(&self) -> bool {
        self.kernel.has_constant_variance()
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        grad[0] += weight * (1.0 - self.own(x, y));
        if self.is_active(x) && self.is_active(y) {
            let weight = weight * (1.0 - self.shared.value());
            self.kernel.pull_back_pair(&self.select(x), &self.select(y), weight, &mut grad[1..]);
        }
    }

    /// Activity is constant: only the parameter's own columns have derivatives.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        self.pull_back_active(x, &self.active(y), weights, grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let sets = weight_sets(x, y, weights, grad);
        if !x.rows().any(|point| self.is_active(point)) {
            return;
        }
        let active = self.active(y);
        let mut scaled = Vec::new();
        for (c, grad) in grad.chunks_exact_mut(x.dim()).enumerate() {
            scaled.clear();
            scaled.extend(weights.column(c).iter().map(|w| scale * w));
            self.pull_back_active(x.row(c / sets), &active, &scaled, grad);
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

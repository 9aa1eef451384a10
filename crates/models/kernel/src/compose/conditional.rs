//! Kernels on conditional parameters.

use thrifty_domain::PointsRef;
use thrifty_params::{Param, Parameterized};

use crate::error::require_columns;
use crate::hyperparameters::Hyperparameters;
use crate::{Kernel, KernelError};

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
pub struct Conditional<K> {
    kernel: K,
    columns: Vec<usize>,
    activity: usize,
    shared: Hyperparameters,
}

impl<K: Kernel> Conditional<K> {
    /// The kernel on a parameter's own columns, which count where the column `activity` is at least ½.
    ///
    /// # Errors
    /// [`KernelError`] when columns are missing, repeated or too many, or ρ is not strictly between 0 and 1.
    pub fn new(kernel: K, columns: Vec<usize>, activity: usize, shared: f64) -> Result<Self, KernelError> {
        require_columns(&columns, kernel.dim())?;
        Ok(Self { kernel, columns, activity, shared: Hyperparameters::correlation("shared", shared)? })
    }

    fn is_active(&self, x: &[f64]) -> bool {
        x[self.activity] >= 0.5
    }

    fn select(&self, x: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&c| x[c]).collect()
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

    fn num_params(&self) -> usize {
        1 + self.kernel.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let shared = self.shared.value();
        shared + (1.0 - shared) * self.own(x, y)
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
        if !self.is_active(x) {
            return;
        }
        let (point, mut own) = (self.select(x), vec![0.0; self.columns.len()]);
        for (y, w) in y.rows().zip(weights).filter(|(y, _)| self.is_active(y)) {
            let weight = w * (1.0 - self.shared.value());
            self.kernel.pull_back_input(&point, PointsRef::single(&self.select(y)), &[weight], &mut own);
        }
        self.columns.iter().zip(own).for_each(|(&c, g)| grad[c] += g);
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

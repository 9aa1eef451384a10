//! The constant kernel.

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_sampling::Stream;

use crate::features::{Features, Ones};
use crate::{Kernel, KernelWorkspace, WeightedVector};

/// Constant kernel: functions that have one value everywhere.
///
/// ```text
/// k(x, y) = 1
/// ```
///
/// Times a variance, with [`Scaled`](crate::Scaled), it is a bias with that variance. No parameters, any dimension.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Constant;

impl Parameterized for Constant {
    fn params(&self) -> Vec<Param> {
        Vec::new()
    }

    fn set_params(&mut self, values: &[f64]) {
        assert!(values.is_empty(), "a constant kernel has no parameters");
    }
}

impl Kernel for Constant {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        0
    }

    fn eval(&self, _x: &[f64], _y: &[f64]) -> f64 {
        1.0
    }

    fn pull_back_pair(&self, _x: &[f64], _y: &[f64], _weight: f64, _grad: &mut [f64]) {}

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        for j in 0..y.len() {
            out.column_mut(j).fill(1.0);
        }
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, _workspace: &mut KernelWorkspace, out: &mut Matrix) {
        out.resize(x.len(), x.len());
        for j in 0..x.len() {
            out.column_mut(j).fill(scale);
        }
    }

    fn pull_back_params(
        &self,
        _: PointsRef<'_>,
        _: &mut KernelWorkspace,
        weights: &Matrix,
        _: f64,
        _: &mut [f64],
    ) -> f64 {
        (0..weights.cols()).map(|j| weights.column(j)[j..].iter().sum::<f64>()).sum()
    }

    fn derivatives_times(
        &self,
        _x: PointsRef<'_>,
        _workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        _out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        let WeightedVector { weights, vector, .. } = by;
        let Some(weights) = weights else {
            product.fill(vector.iter().sum());
            return true;
        };
        product.fill(0.0);
        for j in 0..weights.cols() {
            product[j] += weights[(j, j)] * vector[j];
            for (i, weight) in weights.column(j).iter().enumerate().skip(j + 1) {
                product[i] += weight * vector[j];
                product[j] += weight * vector[i];
            }
        }
        true
    }

    fn pull_back_input(&self, _x: &[f64], _y: PointsRef<'_>, _weights: &[f64], _grad: &mut [f64]) {}

    fn pull_back_inputs(&self, _: PointsRef<'_>, _: PointsRef<'_>, _: &Matrix, _: f64, _: &mut [f64]) {}

    fn features(&self, count: usize, _rng: &mut Stream) -> Option<Box<dyn Features>> {
        Some(Box::new(Ones(count)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(*self)
    }
}

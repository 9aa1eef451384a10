mod passes;

use std::marker::PhantomData;

use thrifty_domain::PointsRef;
use thrifty_linalg::{LANES, Matrix};
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;

use crate::error::require_positive;
use crate::kernel::weight_sets;
use crate::simd::dispatch;
use crate::{Kernel, KernelError, KernelWorkspace, Radial};
use passes::{Cross, FAR, Forward, PullBack, PullBackInputs};

/// A kernel that depends on the scaled distance of two points alone, one lengthscale per dimension.
///
/// Unit variance; multiply by a variance with [`Scaled`](crate::Scaled).
/// Parameters: `lengthscale[d] > 0`, log scale, in units of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Stationary<R> {
    lengthscales: Vec<f64>,
    bounds: (f64, f64),
    prior: Option<Prior>,
    profile: PhantomData<R>,
}

impl<R: Radial> Stationary<R> {
    /// A kernel with these lengthscales, to be learnt within `[1e-3, 1e3]` without a prior.
    ///
    /// # Errors
    /// [`KernelError`] names a lengthscale that is not positive and finite.
    pub fn new(lengthscales: Vec<f64>) -> Result<Self, KernelError> {
        if lengthscales.is_empty() {
            return Err(KernelError::NoLengthscales);
        }
        for (d, &value) in lengthscales.iter().enumerate() {
            require_positive(|| format!("lengthscale[{d}]"), value)?;
        }
        Ok(Self { lengthscales, bounds: (1e-3, 1e3), prior: None, profile: PhantomData })
    }

    /// The same kernel with other bounds for learning; the lengthscales move into them.
    ///
    /// # Errors
    /// [`KernelError::NotPositive`] when a bound is not positive and finite, or their ratio is below 1.
    pub fn with_bounds(mut self, low: f64, high: f64) -> Result<Self, KernelError> {
        require_positive(|| "lower bound of lengthscales".into(), low)?;
        require_positive(|| "upper bound of lengthscales".into(), high)?;
        require_positive(|| format!("upper bound {high} minus lower bound {low}"), (high - low).next_up())?;
        self.bounds = (low, high);
        self.lengthscales.iter_mut().for_each(|l| *l = l.clamp(low, high));
        Ok(self)
    }

    /// The same kernel with a prior for every lengthscale.
    #[must_use]
    pub fn with_prior(mut self, prior: Prior) -> Self {
        self.prior = Some(prior);
        self
    }

    /// The lengthscales, one a dimension.
    #[must_use]
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales
    }

    /// Writes `x / ℓ` with a column a dimension, padding set to 0.
    fn scale_into(&self, x: PointsRef<'_>, out: &mut Matrix) {
        assert_eq!(x.dim(), self.lengthscales.len(), "points of another dimension than the kernel's");
        out.resize(x.len(), x.dim());
        for (d, l) in self.lengthscales.iter().enumerate() {
            let column = out.padded_column_mut(d);
            let (values, padding) = column.split_at_mut(x.len());
            for (value, coordinate) in values.iter_mut().zip(x.as_flat().iter().skip(d).step_by(x.dim())) {
                *value = *coordinate;
            }
            // On its own, because division is slow and a contiguous loop does several at once.
            for value in values {
                *value /= l;
            }
            padding.fill(0.0);
        }
    }
}

impl<R: Radial> Parameterized for Stationary<R> {
    fn params(&self) -> Vec<Param> {
        let (low, high) = self.bounds;
        let named = |(d, &value): (usize, &f64)| {
            Param::positive(format!("lengthscale[{d}]"), value, low, high).with_prior(self.prior.clone())
        };
        self.lengthscales.iter().enumerate().map(named).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.lengthscales.copy_from_slice(values);
    }
}

impl<R: Radial> Kernel for Stationary<R> {
    fn dim(&self) -> Option<usize> {
        Some(self.lengthscales.len())
    }

    fn num_params(&self) -> usize {
        self.lengthscales.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let q = x.iter().zip(y).zip(&self.lengthscales).map(|((x, y), l)| ((x - y) / l).powi(2)).sum();
        R::value_and_slope::<false>(f64::min(q, FAR)).0
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let mut inputs = Matrix::default();
        self.scale_into(x, &mut inputs);
        out.resize(x.len(), y.len());
        dispatch(Cross::<R> {
            inputs: &inputs,
            y,
            lengthscales: &self.lengthscales,
            out,
            profile: PhantomData,
        });
    }

    fn diagonal_into(&self, _x: PointsRef<'_>, out: &mut [f64]) {
        out.fill(1.0);
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let n = x.len();
        self.scale_into(x, &mut workspace.inputs);
        workspace.values.resize(n, n);
        workspace.slopes.resize(n, n);
        out.resize(n, n);
        dispatch(Forward::<R> { workspace, scale, out, profile: PhantomData });
    }

    fn pull_back_params(
        &self,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let mut sums = vec![[0.0; LANES]; self.lengthscales.len()];
        let total = dispatch(PullBack { workspace, weights, sums: &mut sums });
        for ((slot, lanes), l) in grad.iter_mut().zip(&sums).zip(&self.lengthscales) {
            *slot += scale * lanes.iter().sum::<f64>() / l;
        }
        total
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let column = Matrix::from_fn(weights.len(), 1, |j, _| weights[j]);
        self.pull_back_inputs(PointsRef::single(x), y, &column, 1.0, grad);
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
        let mut inputs = Matrix::default();
        self.scale_into(y, &mut inputs);
        dispatch(PullBackInputs::<R> {
            inputs: &inputs,
            x,
            lengthscales: &self.lengthscales,
            weights,
            sets,
            scale,
            grad,
            profile: PhantomData,
        });
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

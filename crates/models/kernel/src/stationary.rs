mod passes;

use std::marker::PhantomData;

use thrifty_domain::PointsRef;
use thrifty_linalg::{LANES, Matrix};
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Cosines, Features};
use crate::hyper::Hyper;
use crate::kernel::weight_sets;
use crate::radial::ProfileName;
use crate::{Kernel, KernelError, KernelWorkspace, Radial};
use passes::{Cross, FAR, Forward, PullBack, PullBackInputs};
use thrifty_simd::dispatch;

/// A kernel that depends on the scaled distance of two points alone, one lengthscale per dimension.
///
/// Unit variance; multiply by a variance with [`Scaled`](crate::Scaled).
/// Parameters: `lengthscale[d] > 0`, log scale, in units of the input.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(bound = "")]
pub struct Stationary<R: Radial> {
    lengthscales: Hyper,
    profile: ProfileName<R>,
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
        let lengthscales = Hyper::positive("lengthscale", lengthscales, 1e-3, 1e3)?;
        Ok(Self { lengthscales, profile: ProfileName::default() })
    }

    /// The same kernel with other bounds for learning; the lengthscales move into them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { lengthscales: self.lengthscales.with_bounds("lengthscales", low, high)?, ..self })
    }

    /// The same kernel with a prior for every lengthscale.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { lengthscales: self.lengthscales.with_prior(prior), ..self }
    }

    /// The lengthscales, one a dimension.
    #[must_use]
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales.values
    }

    /// Squared scaled distance, cut where every profile has vanished.
    fn squared_distance(&self, x: &[f64], y: &[f64]) -> f64 {
        let q = x.iter().zip(y).zip(self.lengthscales()).map(|((x, y), l)| ((x - y) / l).powi(2)).sum();
        f64::min(q, FAR)
    }

    /// Writes `x / ℓ` with a column a dimension, padding set to 0.
    fn scale_into(&self, x: PointsRef<'_>, out: &mut Matrix) {
        assert_eq!(x.dim(), self.lengthscales().len(), "points of another dimension than the kernel's");
        out.resize(x.len(), x.dim());
        for (d, l) in self.lengthscales().iter().enumerate() {
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
        self.lengthscales.params("lengthscale").collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.lengthscales.take(values);
        assert!(rest.is_empty(), "more values than lengthscales");
    }
}

impl<R: Radial> Kernel for Stationary<R> {
    fn dim(&self) -> Option<usize> {
        Some(self.lengthscales().len())
    }

    fn num_params(&self) -> usize {
        self.lengthscales().len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        R::value_and_slope::<false>(self.squared_distance(x, y)).0
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let (_, slope) = R::value_and_slope::<false>(self.squared_distance(x, y));
        for (((slot, x), y), l) in grad.iter_mut().zip(x).zip(y).zip(self.lengthscales()) {
            let z = (x - y) / l;
            *slot += weight * slope * z * z / l;
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let mut inputs = Matrix::default();
        self.scale_into(x, &mut inputs);
        out.resize(x.len(), y.len());
        dispatch(Cross::<R> {
            inputs: &inputs,
            y,
            lengthscales: self.lengthscales(),
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
        _x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let mut sums = vec![[0.0; LANES]; self.lengthscales().len()];
        let total = dispatch(PullBack { workspace, weights, sums: &mut sums });
        for ((slot, lanes), l) in grad.iter_mut().zip(&sums).zip(self.lengthscales()) {
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
            lengthscales: self.lengthscales(),
            weights,
            sets,
            scale,
            grad,
            profile: PhantomData,
        });
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        Some(Box::new(Cosines::of(self.lengthscales(), count, rng, R::spectral_mixture)))
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

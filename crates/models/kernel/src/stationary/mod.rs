//! Stationary kernels.

mod learnt_profile;
mod matern;
mod pairs;
mod passes;
mod profile;
mod profile_loop;
mod rational_quadratic;
mod squared_exponential;
mod stored;

use thrifty_domain::PointsRef;
use thrifty_linalg::{LANES, Matrix};
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Cosines, Features};
use crate::hyperparameters::Hyperparameters;
use crate::kernel::weight_sets;
use crate::{Kernel, KernelError, KernelWorkspace, WeightedVector};
use learnt_profile::LearntProfile;
pub use matern::{Matern12, Matern12Profile, Matern32, Matern32Profile, Matern52, Matern52Profile};
use pairs::{EvalPairs, PullBackPair, PullBackPairInput};
use passes::{Cross, DerivativesTimes, Forward, PullBack, PullBackInputs, PullBackProfile};
pub use profile::{ProfileParam, StationaryProfile};
pub use profile_loop::ProfileLoop;
pub use rational_quadratic::{RationalQuadratic, RationalQuadraticProfile};
pub use squared_exponential::{SquaredExponential, SquaredExponentialProfile};
use stored::Stored;

/// A kernel that depends on the scaled distance of two points alone, with one lengthscale per dimension or one for all.
///
/// Unit variance; multiply by a variance with [`Scaled`](crate::Scaled). Parameters: `lengthscale[d] > 0`, log scale, in
/// units of the input, or one `lengthscale` of an isotropic kernel; then those of the profile.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(bound = "", try_from = "Stored", into = "Stored")]
pub struct Stationary<R: StationaryProfile> {
    lengthscales: Hyperparameters,
    profile: LearntProfile<R>,
}

impl<R: StationaryProfile> Stationary<R> {
    /// A kernel with these lengthscales, to be learnt within `[1e-3, 1e3]` without a prior.
    ///
    /// # Errors
    /// [`KernelError`] names a lengthscale that is not positive and finite.
    pub fn new(lengthscales: Vec<f64>) -> Result<Self, KernelError> {
        if lengthscales.is_empty() {
            return Err(KernelError::NoLengthscales);
        }
        let lengthscales = Hyperparameters::positive("lengthscale", lengthscales, 1e-3, 1e3)?;
        Ok(Self { lengthscales, profile: LearntProfile::at_start()? })
    }

    /// The isotropic kernel on points of dimension `dim`: one lengthscale for all dimensions, one parameter. To be
    /// learnt within `[1e-3, 1e3]` without a prior.
    ///
    /// ```
    /// use thrifty_kernel::{Kernel, Matern52};
    /// let kernel = Matern52::isotropic(3, 0.5)?;
    /// assert_eq!(kernel.num_params(), 1);
    /// assert_eq!(kernel.lengthscales(), [0.5; 3]);
    /// # Ok::<(), thrifty_kernel::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError`] for no dimensions, or a lengthscale that is not positive and finite.
    pub fn isotropic(dim: usize, lengthscale: f64) -> Result<Self, KernelError> {
        let kernel = Self::new(vec![lengthscale; dim])?;
        Ok(Self { lengthscales: kernel.lengthscales.shared(), ..kernel })
    }

    /// Replaces the bounds for learning; the lengthscales are clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { lengthscales: self.lengthscales.with_bounds("lengthscales", low, high)?, ..self })
    }

    /// Sets a prior for every lengthscale.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { lengthscales: self.lengthscales.with_prior(prior), ..self }
    }

    /// Sets the value of a parameter of the profile.
    ///
    /// # Errors
    /// [`KernelError`] when the value is not positive and finite.
    ///
    /// # Panics
    /// When the profile has no such parameter.
    pub fn with_profile_param(self, name: &str, value: f64) -> Result<Self, KernelError> {
        Ok(Self { profile: self.profile.with_param(name, |hyper| hyper.with_value(name, value))?, ..self })
    }

    /// Replaces the bounds for learning a parameter of the profile, which is clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    ///
    /// # Panics
    /// When the profile has no such parameter.
    pub fn with_profile_bounds(self, name: &str, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self {
            profile: self.profile.with_param(name, |hyper| hyper.with_bounds(name, low, high))?,
            ..self
        })
    }

    /// Sets a prior for a parameter of the profile.
    ///
    /// # Panics
    /// When the profile has no such parameter.
    #[must_use]
    pub fn with_profile_prior(self, name: &str, prior: Prior) -> Self {
        let profile = self.profile.with_param(name, |hyper| Ok(hyper.with_prior(prior)));
        Self {
            profile: profile.unwrap_or_else(|error| unreachable!("a prior is not checked: {error}")),
            ..self
        }
    }

    /// The profile, with its parameters as they are.
    #[must_use]
    pub fn profile(&self) -> &R {
        &self.profile.now
    }

    /// The lengthscales, one per dimension.
    #[must_use]
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales.values
    }

    /// Squared scaled distance, cut at [`StationaryProfile::FAR`].
    fn squared_distance(&self, x: &[f64], y: &[f64]) -> f64 {
        let q = x.iter().zip(y).zip(self.lengthscales()).map(|((x, y), l)| ((x - y) / l).powi(2)).sum();
        f64::min(q, R::FAR)
    }

    /// Writes `x / ℓ` with one column per dimension, padding set to 0.
    fn scale_into(&self, x: PointsRef<'_>, out: &mut Matrix) {
        assert_eq!(x.dim(), self.lengthscales().len(), "points of another dimension than the kernel's");
        out.resize(x.len(), x.dim());
        for (d, l) in self.lengthscales().iter().enumerate() {
            let column = out.padded_column_mut(d);
            let (values, padding) = column.split_at_mut(x.len());
            for (value, row) in values.iter_mut().zip(x.as_flat().chunks_exact(x.dim())) {
                *value = row[d];
            }
            // On its own, because division is slow and a contiguous loop does several at once.
            for value in values {
                *value /= l;
            }
            padding.fill(0.0);
        }
    }
}

impl<R: StationaryProfile> Parameterized for Stationary<R> {
    fn params(&self) -> Vec<Param> {
        self.lengthscales.params("lengthscale").chain(self.profile.params()).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.profile.set_params(self.lengthscales.take(values));
    }
}

impl<R: StationaryProfile> Kernel for Stationary<R> {
    fn dim(&self) -> Option<usize> {
        Some(self.lengthscales().len())
    }

    fn num_params(&self) -> usize {
        self.lengthscales.num_params() + R::PARAMS.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.profile.now.value_and_slope::<false>(self.squared_distance(x, y)).0
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let q = self.squared_distance(x, y);
        let (_, slope) = self.profile.now.value_and_slope::<false>(q);
        let (for_lengthscales, for_profile) = grad.split_at_mut(self.lengthscales.num_params());
        for (d, ((x, y), l)) in x.iter().zip(y).zip(self.lengthscales()).enumerate() {
            let z = (x - y) / l;
            for_lengthscales[self.lengthscales.slot(d)] += weight * slope * z * z / l;
        }
        for (p, slot) in for_profile.iter_mut().enumerate() {
            *slot += weight * self.profile.now.param_slope::<false>(p, q);
        }
    }

    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        match (self.lengthscales(), y) {
            (&[lengthscale], &[y]) => {
                self.profile.now.run(EvalPairs { x: x.as_flat(), y, lengthscale, out }.into());
            }
            _ => out.iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = self.eval(x, y)),
        }
    }

    fn pull_back_pairs(&self, x: PointsRef<'_>, y: &[f64], weights: &[f64], grad: &mut [f64]) {
        match (self.lengthscales(), y, R::PARAMS) {
            (&[lengthscale], &[y], []) => {
                let (x, grad) = (x.as_flat(), &mut grad[0]);
                self.profile.now.run(PullBackPair { x, y, lengthscale, weights, grad }.into());
            }
            _ => x.rows().zip(weights).for_each(|(x, weight)| self.pull_back_pair(x, y, *weight, grad)),
        }
    }

    fn pull_back_input_each(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        match (self.lengthscales(), x) {
            (&[lengthscale], &[x]) => {
                let (y, grad) = (y.as_flat(), &mut grad[0]);
                self.profile.now.run(PullBackPairInput { x, y, lengthscale, weights, grad }.into());
            }
            _ => {
                for (y, weight) in y.rows().zip(weights) {
                    self.pull_back_input(x, PointsRef::single(y), std::slice::from_ref(weight), grad);
                }
            }
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let mut inputs = Matrix::default();
        self.scale_into(x, &mut inputs);
        out.resize(x.len(), y.len());
        self.profile.now.run(Cross { inputs: &inputs, y, lengthscales: self.lengthscales(), out }.into());
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
        self.profile.now.run(Forward { workspace, scale, out }.into());
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
        let total = PullBack { workspace, weights, sums: &mut sums }.total();
        let (for_lengthscales, for_profile) = grad.split_at_mut(self.lengthscales.num_params());
        for (d, (lanes, l)) in sums.iter().zip(self.lengthscales()).enumerate() {
            for_lengthscales[self.lengthscales.slot(d)] += scale * lanes.iter().sum::<f64>() / l;
        }
        if !for_profile.is_empty() {
            let pass = PullBackProfile { workspace, weights, scale, grad: for_profile };
            self.profile.now.run(pass.into());
        }
        total
    }

    fn derivatives_times(
        &self,
        _x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        if !R::PARAMS.is_empty() {
            return false;
        }
        let inverse: Vec<f64> = self.lengthscales().iter().map(|l| by.scale / l).collect();
        let slots: Vec<usize> = (0..inverse.len()).map(|d| self.lengthscales.slot(d)).collect();
        DerivativesTimes { workspace, by, inverse: &inverse, slots: &slots, out, product }.add();
        true
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
        let lengthscales = self.lengthscales();
        let pass = PullBackInputs { inputs: &inputs, x, lengthscales, weights, sets, scale, grad };
        self.profile.now.run(pass.into());
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let mixture = |rng: &mut Stream| self.profile.now.spectral_mixture(rng);
        Some(Box::new(Cosines::of(self.lengthscales(), count, rng, mixture)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

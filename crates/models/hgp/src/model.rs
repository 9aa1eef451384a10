//! Prior hierarchical Gaussian process.

use thrifty_censored::{CensoredGp, Response};
use thrifty_check::length;
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{
    Hierarchical, Inputs, Kernel, KernelError, Matern52, Matern52Profile, Scaled, for_domain,
};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::{HgpError, HgpPosterior};

/// Kernel of a hierarchical process: one kernel for the true loss and one for the deviations of the folds.
pub type FoldKernel = Hierarchical<Box<dyn Kernel>, Box<dyn Kernel>>;

/// A hierarchical process before it is conditioned on data.
#[derive(Clone)]
pub struct Hgp {
    gp: Gp<FoldKernel>,
}

/// The priors of the authors' package, on natural values of a model with standardised targets.
mod prior {
    use super::Prior;

    pub(super) const LENGTHSCALE: Prior = Prior::Gamma { shape: 1.5, rate: 0.65 };
    pub(super) const COMMON: Prior = Prior::LogNormal { mu: 0.0, sigma: 1.0 };
    pub(super) const DEVIATION: Prior = Prior::LogNormal { mu: -1.0, sigma: 2.0 };
    pub(super) const CORRELATION: Prior = Prior::Beta { a: 1.0, b: 5.0 };
    pub(super) const NOISE: Prior = Prior::HalfCauchy { scale: 0.1 };
}

/// Bounds of lengthscales and variances.
const LENGTHSCALES: (f64, f64) = (1e-2, 1e2);
const VARIANCES: (f64, f64) = (1e-6, 1e3);
/// β may vanish: folds then share only f.
const CORRELATIONS: (f64, f64) = (1e-12, 1.0 - 1e-6);

impl Hgp {
    /// Matérn 5/2 for the true loss and for the deviations, each with one lengthscale per dimension, and the priors of the authors'
    /// package: 2d + 5 hyperparameters.
    ///
    /// | | prior | start |
    /// |---|---|---|
    /// | lengthscales | Gamma(3/2, 0.65) | 1 |
    /// | variance of f | log-normal(0, 1) | ln 2 |
    /// | variance of δ | log-normal(-1, 2) | 0.1 |
    /// | β | Beta(1, 5) | 0.2 |
    /// | noise variance, from 1e-6 | half-Cauchy(0.1) | 0.1 |
    /// | mean | normal(0, 1) | 0 |
    ///
    /// Departures: the package draws the start of β at random. It intends this floor of the noise, but uses 1e-4, and evaluates the noise
    /// prior at another value than the noise.
    ///
    /// # Panics
    /// If `dim` is 0.
    #[must_use]
    pub fn matern52(dim: usize) -> Self {
        assert!(dim > 0, "points of no dimension");
        let kernel = || -> Result<Box<dyn Kernel>, KernelError> {
            let kernel = Matern52::new(vec![1.0; dim])?.with_bounds(LENGTHSCALES.0, LENGTHSCALES.1)?;
            Ok(Box::new(kernel.with_prior(prior::LENGTHSCALE)))
        };
        Self::of_unit_kernels(kernel(), kernel())
            .unwrap_or_else(|error| unreachable!("constants are valid: {error}"))
    }

    /// [`Hgp::matern52`] on a domain with categories of any number of levels and conditional variables. See [`for_domain`].
    #[must_use]
    pub fn on_domain(domain: &Domain) -> Self {
        let inputs = || Inputs {
            lengthscale: 1.0,
            bounds: LENGTHSCALES,
            prior: Some(prior::LENGTHSCALE),
            warped: false,
        };
        let kernel = || for_domain::<Matern52Profile>(domain, &inputs());
        Self::of_unit_kernels(kernel(), kernel())
            .unwrap_or_else(|error| unreachable!("constants are valid: {error}"))
    }

    fn of_unit_kernels(
        common: Result<Box<dyn Kernel>, KernelError>,
        deviation: Result<Box<dyn Kernel>, KernelError>,
    ) -> Result<Self, KernelError> {
        let scaled = |kernel, variance: f64, prior| -> Result<Box<dyn Kernel>, KernelError> {
            let kernel = Scaled::new(kernel, variance)?.with_bounds(VARIANCES.0, VARIANCES.1)?;
            Ok(Box::new(kernel.with_prior(prior)))
        };
        let common = scaled(common?, std::f64::consts::LN_2, prior::COMMON)?;
        let deviation = scaled(deviation?, 0.1, prior::DEVIATION)?;
        Self::new(common, deviation, 0.2)
    }

    /// Model with the given kernels for the true loss and the deviations, and the default prior of β.
    ///
    /// # Errors
    /// [`KernelError`] when they take points of different dimension or β is not strictly between 0 and 1.
    pub fn new(
        common: Box<dyn Kernel>,
        deviation: Box<dyn Kernel>,
        correlation: f64,
    ) -> Result<Self, KernelError> {
        let kernel = Hierarchical::new(common, deviation, correlation)?
            .with_correlation_bounds(CORRELATIONS.0, CORRELATIONS.1)?
            .with_correlation_prior(prior::CORRELATION);
        Ok(Self::of_kernel(kernel))
    }

    /// Model with a given kernel, including its bounds and priors, and default settings of noise and mean.
    #[must_use]
    pub fn of_kernel(kernel: FoldKernel) -> Self {
        let noise = Noise::Learned { start: 0.1, floor: 1e-6, ceiling: 10.0, prior: Some(prior::NOISE) };
        let mean = Mean::Normal { mean: 0.0, std_dev: 1.0 };
        let settings = GpSettings { noise, mean, restarts: 3, scout: true, ..GpSettings::default() };
        Self { gp: Gp::new(kernel).with_settings(settings) }
    }

    /// Extends the model to repeated cross-validation. Fold `r folds + j` is fold j of repeat r. The correlation of folds of two repeats is
    /// that of one repeat times ρ. ρ is learnt from 1/2 with a uniform prior.
    ///
    /// # Errors
    /// [`KernelError`] for no folds.
    pub fn with_repeats(self, folds: usize) -> Result<Self, KernelError> {
        let kernel = self.kernel().clone().with_blocks(folds, 0.5, None)?;
        Ok(self.with_kernel(kernel))
    }

    /// Fixes β at (nearly) zero, so that the deviations of two folds are independent.
    ///
    /// # Errors
    /// Never for the kernels of this crate.
    pub fn without_correlation(self) -> Result<Self, KernelError> {
        let kernel = self.kernel().clone().with_correlation_bounds(CORRELATIONS.0, 10.0 * CORRELATIONS.0)?;
        Ok(self.with_kernel(kernel))
    }

    /// Replaces the kernel; settings and warm start stay.
    fn with_kernel(self, kernel: FoldKernel) -> Self {
        let gp = Gp::new(kernel).with_settings(self.settings().clone());
        Self {
            gp: match self.gp.warm_start() {
                Some(warm_start) => gp.warm_started(warm_start.to_vec()),
                None => gp,
            },
        }
    }

    /// Replaces the settings of noise, mean, restarts and target scaling. Inputs are never scaled, since one of their columns is the code
    /// of the fold.
    #[must_use]
    pub fn with_settings(self, settings: GpSettings) -> Self {
        Self { gp: self.gp.with_settings(GpSettings { normalize_inputs: false, ..settings }) }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &GpSettings {
        self.gp.settings()
    }

    /// The kernel before data.
    #[must_use]
    pub fn kernel(&self) -> &FoldKernel {
        self.gp.kernel()
    }

    /// Starts the next fit from hyperparameters of an earlier one. A vector of another length is ignored.
    #[must_use]
    pub fn warm_started(self, hyperparameters: Vec<f64>) -> Self {
        Self { gp: self.gp.warm_started(hyperparameters) }
    }

    /// Learns the hyperparameters by maximum a posteriori from losses of folds, and conditions on them.
    ///
    /// Shapes: `x` n×d, `folds` and `y` n. A fold of a point may be repeated; each observation has its own noise.
    ///
    /// # Errors
    /// [`HgpError`]: empty or mismatched data, anything not finite, numerical breakdown.
    pub fn fit(
        &self,
        x: PointsRef<'_>,
        folds: &[usize],
        y: &[f64],
        rng: &mut Stream,
    ) -> Result<HgpPosterior, HgpError> {
        self.fit_with_noise(x, folds, y, &vec![0.0; y.len()], rng)
    }

    /// [`Hgp::fit`] where each loss has a known noise variance, in squared units of the losses, in addition to the learnt noise.
    ///
    /// # Errors
    /// As [`Hgp::fit`], and for a variance that is negative or not finite.
    pub fn fit_with_noise(
        &self,
        x: PointsRef<'_>,
        folds: &[usize],
        y: &[f64],
        noise_variances: &[f64],
        rng: &mut Stream,
    ) -> Result<HgpPosterior, HgpError> {
        Ok(HgpPosterior::new(self.gp.fit_with_noise(coded(x, folds)?.as_ref(), y, noise_variances, rng)?))
    }

    /// [`Hgp::fit_with_noise`] for responses of which some are bounds, by expectation propagation. With values alone the fit is identical.
    ///
    /// # Errors
    /// As [`Hgp::fit_with_noise`], and for a bound that contradicts the values.
    pub fn fit_censored(
        &self,
        x: PointsRef<'_>,
        folds: &[usize],
        responses: &[Response],
        noise_variances: &[f64],
        rng: &mut Stream,
    ) -> Result<HgpPosterior, HgpError> {
        let coded = coded(x, folds)?;
        let posterior = self.bounded().fit_with_noise(coded.as_ref(), responses, noise_variances, rng)?;
        Ok(HgpPosterior::censored(&posterior))
    }

    /// Process for values and bounds with the same settings and warm start.
    fn bounded(&self) -> CensoredGp<FoldKernel> {
        let process = CensoredGp::new(self.gp.clone());
        match self.gp.warm_start() {
            Some(warm_start) => process.warm_started(warm_start.to_vec()),
            None => process,
        }
    }

    /// Conditions on losses of folds with the current hyperparameters.
    ///
    /// # Errors
    /// As [`Hgp::fit`].
    pub fn condition(&self, x: PointsRef<'_>, folds: &[usize], y: &[f64]) -> Result<HgpPosterior, HgpError> {
        self.condition_with_noise(x, folds, y, &vec![0.0; y.len()])
    }

    /// [`Hgp::condition`] with noise as in [`Hgp::fit_with_noise`].
    ///
    /// # Errors
    /// As [`Hgp::fit_with_noise`].
    pub fn condition_with_noise(
        &self,
        x: PointsRef<'_>,
        folds: &[usize],
        y: &[f64],
        noise_variances: &[f64],
    ) -> Result<HgpPosterior, HgpError> {
        let coded = coded(x, folds)?;
        Ok(HgpPosterior::new(self.gp.condition_with_noise(coded.as_ref(), y, noise_variances)?))
    }

    /// [`Hgp::condition_with_noise`] on responses as in [`Hgp::fit_censored`].
    ///
    /// # Errors
    /// As [`Hgp::fit_censored`].
    pub fn condition_censored(
        &self,
        x: PointsRef<'_>,
        folds: &[usize],
        responses: &[Response],
        noise_variances: &[f64],
    ) -> Result<HgpPosterior, HgpError> {
        let coded = coded(x, folds)?;
        let posterior = self.bounded().condition_with_noise(coded.as_ref(), responses, noise_variances)?;
        Ok(HgpPosterior::censored(&posterior))
    }
}

/// Points with their folds as the last column.
pub(crate) fn coded(x: PointsRef<'_>, folds: &[usize]) -> Result<Points, HgpError> {
    length("folds", folds.len(), x.len())?;
    let mut coded = Points::zeros(x.len(), x.dim() + 1);
    for (i, (row, fold)) in x.rows().zip(folds).enumerate() {
        write(row, *fold as f64, coded.row_mut(i));
    }
    Ok(coded)
}

/// Points that all have the code of one function.
pub(crate) fn coded_alike(x: PointsRef<'_>, code: f64) -> Points {
    let mut coded = Points::zeros(x.len(), x.dim() + 1);
    for (i, row) in x.rows().enumerate() {
        write(row, code, coded.row_mut(i));
    }
    coded
}

fn write(row: &[f64], code: f64, to: &mut [f64]) {
    to[..row.len()].copy_from_slice(row);
    to[row.len()] = code;
}

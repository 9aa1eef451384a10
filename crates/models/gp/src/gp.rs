//! Prior Gaussian process.

use thrifty_check::not_empty;
use thrifty_domain::{Domain, PointsRef, Variable, VariableKind};
use thrifty_kernel::{
    Inputs, Kernel, KernelError, Matern12, Matern32, Matern52, Scaled, SquaredExponential, Stationary,
    StationaryProfile, for_domain,
};
use thrifty_params::SliceSampler;
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::data::{self, ScaledData};
use crate::{GpError, GpPosterior, GpSettings, InputScaling, Mean, Noise, TargetScaling, fit, subset};

/// A Gaussian process before it is conditioned on data: a kernel and the other model assumptions.
#[derive(Debug, Clone)]
pub struct Gp<K> {
    kernel: K,
    settings: GpSettings,
    /// Hyperparameters of an earlier fit, from [`GpPosterior::hyperparameters`].
    warm: Option<Vec<f64>>,
    /// True if a fit maximizes the density on the learning scale, from which samples are drawn; false for the natural scale.
    on_learning_scale: bool,
    /// True if inputs are never scaled, because some columns are codes or are warped on the unit interval.
    keeps_inputs: bool,
}

impl Gp<Scaled<Matern52>> {
    /// Matérn 5/2 kernel: twice differentiable functions; the default. See [`Gp::stationary`].
    #[must_use]
    pub fn matern52(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl Gp<Scaled<Matern32>> {
    /// Matérn 3/2 kernel: once differentiable functions. See [`Gp::stationary`].
    #[must_use]
    pub fn matern32(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl Gp<Scaled<Matern12>> {
    /// Matérn 1/2 kernel: continuous functions. See [`Gp::stationary`].
    #[must_use]
    pub fn matern12(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl Gp<Scaled<SquaredExponential>> {
    /// Squared exponential kernel: infinitely smooth functions. See [`Gp::stationary`].
    #[must_use]
    pub fn squared_exponential(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl<R: StationaryProfile> Gp<Scaled<Stationary<R>>> {
    /// A process on the unit cube with one lengthscale per dimension and default settings.
    ///
    /// Lengthscales: bounds `[0.01, 100]`, start ½√d, prior [`dimension_scaled_prior`](thrifty_kernel::dimension_scaled_prior). Variance of
    /// standardised targets: bounds `[1e-3, 1e3]`, start 1, prior log-normal(0, 1).
    #[must_use]
    pub fn stationary(dim: usize) -> Self {
        Self::new(default_kernel(&Inputs::for_dimension(dim), dim))
    }

    /// [`Gp::stationary`] without any prior, under [`GpSettings::surrogate_training_protocol`].
    #[must_use]
    pub fn by_maximum_likelihood(dim: usize, restarts: usize) -> Self {
        Self::new(default_kernel(&Inputs { prior: None, ..Inputs::for_dimension(dim) }, dim))
            .with_settings(GpSettings::surrogate_training_protocol(restarts))
    }
}

/// True if all variables are unconditional and numeric, so that no column is a code.
pub(crate) fn all_numeric(domain: &Domain) -> bool {
    let is_number = |variable: &Variable| {
        variable.conditions.is_empty()
            && matches!(variable.kind, VariableKind::Continuous | VariableKind::Stepped { .. })
    };
    domain.variables().iter().all(is_number)
}

pub(crate) fn default_kernel<R: StationaryProfile>(inputs: &Inputs, dim: usize) -> Scaled<Stationary<R>> {
    let kernel = || {
        let (low, high) = inputs.bounds;
        let kernel = Stationary::<R>::new(vec![inputs.lengthscale; dim.max(1)])?.with_bounds(low, high)?;
        let scaled = |kernel| Scaled::new(kernel, 1.0)?.with_bounds(1e-3, 1e3);
        match &inputs.prior {
            Some(prior) => Ok(scaled(kernel.with_prior(prior.clone()))?
                .with_prior(Prior::LogNormal { mu: 0.0, sigma: 1.0 })),
            None => scaled(kernel),
        }
    };
    kernel().unwrap_or_else(|error: KernelError| unreachable!("constants are valid: {error}"))
}

impl Gp<Box<dyn Kernel>> {
    /// [`Gp::stationary`] on a domain with numeric, categorical and conditional variables: see [`for_domain`].
    ///
    /// The prior of the lengthscales takes the number of variables with more than one value as the dimension.
    #[must_use]
    pub fn on_domain<R: StationaryProfile>(domain: &Domain) -> Self {
        Self::on_domain_with::<R>(domain, &Inputs::for_dimension(domain.free_variables()))
            .unwrap_or_else(|error| unreachable!("constants are valid: {error}"))
    }

    /// [`Gp::on_domain`] with given inputs. If the lengthscales have no prior, neither has the variance.
    ///
    /// # Errors
    /// [`KernelError`] for invalid lengthscales.
    pub fn on_domain_with<R: StationaryProfile>(
        domain: &Domain,
        inputs: &Inputs,
    ) -> Result<Self, KernelError> {
        let scaled = Scaled::new(for_domain::<R>(domain, inputs)?, 1.0)?.with_bounds(1e-3, 1e3)?;
        let process = Self::new(match inputs.prior {
            Some(_) => scaled.with_prior(Prior::LogNormal { mu: 0.0, sigma: 1.0 }).clone_box(),
            None => scaled.clone_box(),
        });
        Ok(process.keeping_inputs_of(domain, inputs.warped))
    }
}

impl<K: Kernel + Clone> Gp<K> {
    /// A process with default settings.
    #[must_use]
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            settings: GpSettings::default(),
            warm: None,
            on_learning_scale: false,
            keeps_inputs: false,
        }
    }

    /// Replaces the settings. Inputs are not normalized for a process [on a domain](Gp::on_domain) with variables that are categorical or
    /// conditional, or with warped inputs.
    #[must_use]
    pub fn with_settings(mut self, settings: GpSettings) -> Self {
        let normalize_inputs = settings.normalize_inputs && !self.keeps_inputs;
        self.settings = GpSettings { normalize_inputs, ..settings };
        self
    }

    /// Settings of the model and of its fit.
    #[must_use]
    pub fn settings(&self) -> &GpSettings {
        &self.settings
    }

    /// The kernel before data.
    #[must_use]
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// Starts the next fit from hyperparameters of an earlier one, in place of the kernel's own. A vector of another length is ignored;
    /// values outside the bounds are moved to them.
    #[must_use]
    pub fn warm_started(mut self, hyperparameters: Vec<f64>) -> Self {
        self.warm = Some(hyperparameters);
        self
    }

    /// Maximizes the density on the learning scale, from which [`Gp::sample_with_noise`] draws.
    pub(crate) fn maximizing_on_learning_scale(self) -> Self {
        Self { on_learning_scale: true, ..self }
    }

    /// Never scales inputs if some are codes or warped.
    pub(crate) fn keeping_inputs_of(self, domain: &Domain, is_warped: bool) -> Self {
        Self { keeps_inputs: is_warped || !all_numeric(domain), ..self }
    }

    /// Hyperparameters that the next fit starts from; `None` for the kernel's own.
    #[must_use]
    pub fn warm_start(&self) -> Option<&[f64]> {
        self.warm.as_deref()
    }

    /// Number of learnable hyperparameters: those of the kernel, the noise and the mean.
    #[must_use]
    pub fn num_params(&self) -> usize {
        let noise = matches!(self.settings.noise, Noise::Learned { .. });
        let mean = matches!(self.settings.mean, Mean::Learned | Mean::Normal { .. });
        self.kernel.num_params() + usize::from(noise) + usize::from(mean)
    }

    /// Learns the hyperparameters by maximum a posteriori and conditions on the data.
    ///
    /// # Errors
    /// [`GpError`]: empty or mismatched data, anything not finite, a target larger than
    /// [`LARGEST_TARGET`](crate::LARGEST_TARGET), a bad setting, numerical breakdown.
    pub fn fit(&self, x: PointsRef<'_>, y: &[f64], rng: &mut Stream) -> Result<GpPosterior<K>, GpError> {
        self.fit_with_noise(x, y, &vec![0.0; y.len()], rng)
    }

    /// [`Gp::fit`] where each observation has a known noise variance, in squared units of the targets. It adds to the noise of the settings.
    ///
    /// # Errors
    /// As [`Gp::fit`], and for a variance that is negative or not finite.
    pub fn fit_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        rng: &mut Stream,
    ) -> Result<GpPosterior<K>, GpError> {
        let data = self.checked(x, y, variances)?;
        let (kernel, warm) = (&self.kernel, self.warm.as_deref());
        let (learnt, restarts) =
            fit::learn(kernel, &self.settings, &data, warm, self.on_learning_scale, rng)?;
        GpPosterior::new(learnt, data, &self.settings.jitter, restarts)
    }

    /// Posterior processes, one per sample of the hyperparameters from their posterior; noise as in [`Gp::fit_with_noise`].
    ///
    /// `earlier` are samples for nearly the same data, or empty. Samples whose covariance cannot be factored are left out.
    ///
    /// # Errors
    /// As [`Gp::fit_with_noise`], and if no sample is left.
    pub fn sample_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        sampler: &SliceSampler,
        earlier: &[Vec<f64>],
        rng: &mut Stream,
    ) -> Result<Vec<GpPosterior<K>>, GpError> {
        let data = self.checked(x, y, variances)?;
        let samples = fit::sample(&self.kernel, &self.settings, &data, sampler, earlier, rng)?;
        let (mut processes, mut failure) = (Vec::with_capacity(samples.len()), None);
        for learnt in samples {
            match GpPosterior::new(learnt, data.clone(), &self.settings.jitter, Vec::new()) {
                Ok(process) => processes.push(process),
                Err(error) => failure = Some(error),
            }
        }
        if processes.is_empty() {
            return Err(failure.unwrap_or(GpError::NoSample));
        }
        Ok(processes)
    }

    /// Conditions on the data with fixed hyperparameters: those of the kernel and the settings, or those of the warm start.
    ///
    /// # Errors
    /// As [`Gp::fit`].
    pub fn condition(&self, x: PointsRef<'_>, y: &[f64]) -> Result<GpPosterior<K>, GpError> {
        self.condition_with_noise(x, y, &vec![0.0; y.len()])
    }

    /// [`Gp::condition`] with noise as in [`Gp::fit_with_noise`].
    ///
    /// # Errors
    /// As [`Gp::fit_with_noise`].
    pub fn condition_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
    ) -> Result<GpPosterior<K>, GpError> {
        let data = self.checked(x, y, variances)?;
        let learnt = fit::as_given(&self.kernel, &self.settings, &data, self.warm.as_deref())?;
        GpPosterior::new(learnt, data, &self.settings.jitter, Vec::new())
    }

    /// [`Gp::condition_with_noise`] on given scales, in place of those of the data. For targets that represent something else, such as the
    /// pseudo-targets of a likelihood that is not normal.
    ///
    /// # Errors
    /// As [`Gp::fit_with_noise`].
    ///
    /// # Panics
    /// If the scaling of the inputs has another dimension.
    pub fn condition_on_scale(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        inputs: Option<InputScaling>,
        targets: TargetScaling,
    ) -> Result<GpPosterior<K>, GpError> {
        self.check(x, y, variances)?;
        assert!(
            inputs.as_ref().is_none_or(|scaling| scaling.offset.len() == x.dim()),
            "a scaling of the points' dimension"
        );
        let data = ScaledData::on_scale(x, y, variances, inputs, targets);
        data.check_scaled(y, variances)?;
        let learnt = fit::as_given(&self.kernel, &self.settings, &data, self.warm.as_deref())?;
        GpPosterior::new(learnt, data, &self.settings.jitter, Vec::new())
    }

    /// Indices of a representative subset of `size` observations, in rising order; all of them if there are no more.
    ///
    /// A quarter are the newest observations. A quarter are the nearest to the five lowest targets. The other half are spread: each is the
    /// farthest from those chosen before (`gonzalez1985`).
    ///
    /// Distances are those of the kernel, `k(x, x) + k(y, y) - 2 k(x, y)`, with the hyperparameters that [`Gp::condition`] would use.
    /// Beyond the five lowest, target values do not affect the choice. Otherwise an observation that is low by noise would be kept, and its
    /// neighbors would not.
    /// Cost: `size` · n covariances.
    ///
    /// # Errors
    /// As [`Gp::fit`].
    pub fn subset(&self, x: PointsRef<'_>, y: &[f64], size: usize) -> Result<Vec<usize>, GpError> {
        let data = self.checked(x, y, &vec![0.0; y.len()])?;
        let kernel = fit::as_given(&self.kernel, &self.settings, &data, self.warm.as_deref())?.kernel;
        Ok(subset::select(&kernel, data.x.as_ref(), y, size))
    }

    fn check(&self, x: PointsRef<'_>, y: &[f64], variances: &[f64]) -> Result<(), GpError> {
        self.settings.validate()?;
        not_empty("observations", x.len().max(y.len()))?;
        data::check(self.kernel.expected_dim(x.dim()), x, y, variances)
    }

    fn checked(&self, x: PointsRef<'_>, y: &[f64], variances: &[f64]) -> Result<ScaledData, GpError> {
        self.check(x, y, variances)?;
        let data = ScaledData::new(x, y, variances, &self.settings);
        data.check_scaled(y, variances)?;
        Ok(data)
    }
}

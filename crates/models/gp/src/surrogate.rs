//! Gaussian processes as surrogates.

use thrifty_domain::{Domain, PointsRef};
use thrifty_kernel::{
    Inputs, Kernel, KernelError, Matern12Profile, Matern32Profile, Matern52Profile, Scaled,
    SquaredExponentialProfile, Stationary, StationaryProfile, check_on,
};
use thrifty_linalg::JitterLadder;
use thrifty_prob::Prior;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, EarlierFit, FittedSurrogate, Observations, Surrogate, SurrogateError};

use crate::error::{NAME, failed};
use crate::gp::{all_numeric, default_kernel};
use crate::learning::is_default;
use crate::refit::is_surprised;
use crate::training::Training;
use crate::{
    Conditioning, Gp, GpSettings, KernelFactory, KernelFactoryError, KernelFamily, Learning, Mean, Noise,
    Refit, Sampling, Search, Starts,
};

/// Gaussian-process surrogate, with a kernel family or a user-defined kernel.
///
/// The kernel of a family is adapted to the domain: [`Gp::stationary`] if all variables are numbers, [`Gp::on_domain`] if some are
/// categorical or conditional. [`GpSurrogate::with_kernel`] accepts any other kernel: a sum, a product or a user-defined one.
///
/// ```
/// use thrifty_domain::{Domain, Points, Variable};
/// use thrifty_gp::GpSurrogate;
/// use thrifty_kernel::{Kernel, Matern52, Periodic};
/// use thrifty_sampling::Seed;
/// use thrifty_surrogate::{Observations, Surrogate};
/// let surrogate = GpSurrogate::default().with_kernel("trend + season", |domain| {
///     let trend = 1.0 * Matern52::new(vec![0.5; domain.dim()])?;
///     let season = 1.0 * Periodic::new(vec![1.0], 0.3)?.with_fixed_period();
///     Ok((trend + season).clone_box())
/// });
/// let domain = Domain::new(vec![Variable::continuous()])?;
/// let x = Points::from_flat((0..9).map(|i| f64::from(i) / 8.0).collect(), 1);
/// let y: Vec<f64> = x.rows().map(|p| p[0] + (20.0 * p[0]).sin()).collect();
/// let fitted = surrogate.fit(&domain, Observations::new(x.as_ref(), &y), None, &mut Seed(1).stream("fit", 0))?;
/// assert!((fitted.posterior().predict(&[0.5]).mean - y[4]).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpSurrogate {
    /// Kernel family.
    pub family: KernelFamily,
    /// Noise, mean, scaling and fit. Inputs are [normalized](GpSettings::normalize_inputs) only if all variables are unconditional numbers
    /// and are not warped. Without [standardised](GpSettings::standardize_targets) targets, noise, mean and variance are in units of the
    /// targets of the surrogate, such as transformed losses. Settings that a file leaves out have the [default](GpSurrogate::default)
    /// values of the surrogate.
    #[serde(deserialize_with = "SettingsInFile::deserialize")]
    pub settings: GpSettings,
    /// Bounds of the lengthscales; `None` for the default ones. With given bounds, lengthscales have no prior.
    pub lengthscale_bounds: Option<(f64, f64)>,
    /// Point estimate or samples of the hyperparameters.
    #[serde(skip_serializing_if = "is_default")]
    pub learning: Learning,
    /// Schedule for learning hyperparameters again.
    pub refit: Refit,
    /// Observations that the model is conditioned on. If this is a subset, hyperparameters are learnt from half of it.
    #[serde(skip_serializing_if = "is_default")]
    pub conditioning: Conditioning,
    /// Value near which observations matter most, in their units; `None` for the lowest. Optimisers set it for constraints and level sets.
    #[serde(skip)]
    pub near: Option<f64>,
    /// True for a learnt warp of numeric inputs, for functions that vary faster near one end of an axis.
    pub warp_inputs: bool,
    /// User-defined kernel in place of a family; [`GpSurrogate::with_kernel`] sets it.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelFactory>,
}

/// Settings of the process in a file. Serde would fill missing fields from `GpSettings`, whose default differs.
#[derive(serde::Deserialize)]
#[serde(remote = "GpSettings", default = "default_settings", deny_unknown_fields)]
struct SettingsInFile {
    noise: Noise,
    mean: Mean,
    #[serde(rename = "normalise_inputs", alias = "normalize_inputs")]
    normalize_inputs: bool,
    #[serde(rename = "standardise_targets", alias = "standardize_targets")]
    standardize_targets: bool,
    restarts: usize,
    scout: bool,
    search: Search,
    max_evaluations: usize,
    jitter: JitterLadder,
}

fn default_settings() -> GpSettings {
    let prior = Some(Prior::LogNormal { mu: -8.0, sigma: 4.0 });
    let noise = Noise::Learned { start: 1e-4, floor: 1e-12, ceiling: 10.0, prior };
    GpSettings { noise, ..GpSettings::default() }
}

impl Default for GpSurrogate {
    /// Matérn 5/2 and [`GpSettings::default`], except for the noise: its variance has the wide prior log-normal(-8, 4). Most objectives are
    /// repeatable, and a search stops early if the model explains a rugged function as noise.
    fn default() -> Self {
        Self {
            family: KernelFamily::default(),
            settings: default_settings(),
            lengthscale_bounds: None,
            learning: Learning::default(),
            refit: Refit::default(),
            conditioning: Conditioning::default(),
            near: None,
            warp_inputs: false,
            kernel: None,
        }
    }
}

impl GpSurrogate {
    /// Sets a kernel that a closure builds for the domain; `name` identifies it in journals.
    ///
    /// The kernel applies to scaled targets, so a variance near 1 is a good start.
    #[must_use]
    pub fn with_kernel(
        self,
        name: impl Into<String>,
        build: impl Fn(&Domain) -> Result<Box<dyn Kernel>, KernelFactoryError> + Send + Sync + 'static,
    ) -> Self {
        Self { kernel: Some(KernelFactory::new(name, build)), ..self }
    }

    /// The prior Gaussian process for a domain.
    ///
    /// # Errors
    /// [`SurrogateError`] for a closure that fails or a lengthscale out of its range.
    pub fn process(&self, domain: &Domain) -> Result<Gp<Box<dyn Kernel>>, SurrogateError> {
        if let Some(kernel) = &self.kernel {
            let named = format!("kernel \"{}\"", kernel.name());
            let kernel = kernel.build(domain).map_err(|error| SurrogateError::failed(named, error))?;
            return Ok(Gp::new(kernel).keeping_inputs_of(domain, false).with_settings(self.settings.clone()));
        }
        let kernel = match self.family {
            KernelFamily::SquaredExponential => self.kernel_of::<SquaredExponentialProfile>(domain),
            KernelFamily::Matern12 => self.kernel_of::<Matern12Profile>(domain),
            KernelFamily::Matern32 => self.kernel_of::<Matern32Profile>(domain),
            KernelFamily::Matern52 => self.kernel_of::<Matern52Profile>(domain),
        };
        let kernel = kernel.map_err(|error| SurrogateError::failed(NAME, error))?;
        let process = Gp::new(kernel).keeping_inputs_of(domain, self.warp_inputs);
        Ok(process.with_settings(self.settings.clone()))
    }

    /// The Gaussian process for data: as [`GpSurrogate::process`]. A user-defined kernel is checked at up to 32 of the points.
    ///
    /// # Errors
    /// [`SurrogateError`] as [`GpSurrogate::process`], and for a kernel that is NaN, not symmetric, or has a negative variance.
    pub fn process_for(
        &self,
        domain: &Domain,
        x: PointsRef<'_>,
    ) -> Result<Gp<Box<dyn Kernel>>, SurrogateError> {
        let process = self.process(domain)?;
        if let Some(kernel) = &self.kernel {
            let named = || format!("kernel \"{}\"", kernel.name());
            check_on(process.kernel(), x).map_err(|error| SurrogateError::failed(named(), error))?;
        }
        Ok(process)
    }

    /// [`GpSurrogate::process_for`] with the priors of a maximum, independently of [`GpSurrogate::learning`]: for models with their own learning.
    ///
    /// # Errors
    /// As [`GpSurrogate::process_for`].
    pub fn process_for_maximum(
        &self,
        domain: &Domain,
        x: PointsRef<'_>,
    ) -> Result<Gp<Box<dyn Kernel>>, SurrogateError> {
        Self { learning: Learning::MostProbable, ..self.clone() }.process_for(domain, x)
    }

    fn kernel_of<R: StationaryProfile>(&self, domain: &Domain) -> Result<Box<dyn Kernel>, KernelError> {
        // A kernel that is known at compile time is faster.
        let plain = all_numeric(domain) && !self.warp_inputs;
        let on_domain = |inputs: &Inputs| Ok(Gp::on_domain_with::<R>(domain, inputs)?.kernel().clone());
        match self.lengthscale_bounds {
            None => {
                let count = domain.variables().len();
                let defaults = match self.learning {
                    Learning::MostProbable => Inputs::for_dimension(domain.free_variables()),
                    Learning::Sampled(_) => Inputs::for_sampling(domain.free_variables()),
                };
                let inputs = Inputs { warped: self.warp_inputs, ..defaults };
                if plain { Ok(default_kernel::<R>(&inputs, count).clone_box()) } else { on_domain(&inputs) }
            }
            Some((low, high)) if plain => {
                let lengthscales = vec![(low * high).sqrt(); domain.dim()];
                let kernel = Stationary::<R>::new(lengthscales)?.with_bounds(low, high)?;
                Ok(Scaled::new(kernel, 1.0)?.clone_box())
            }
            Some(bounds @ (low, high)) => {
                let lengthscale = (low * high).sqrt();
                on_domain(&Inputs { lengthscale, bounds, prior: None, warped: self.warp_inputs })
            }
        }
    }
}

impl Surrogate for GpSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let process = self.started(domain, data, warm_start)?;
        let training = Training::choose(self.conditioning, &process, data, self.near).map_err(failed)?;
        if let Some(mixture) = self.sampled(&process, &training, warm_start, rng)? {
            return Ok(mixture);
        }
        Ok(Box::new(training.learn(&process, rng).map_err(failed)?))
    }

    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.refit.validate().map_err(failed)?;
        let EarlierFit { hyperparameters, learnt_from } = earlier;
        let process = self.started(domain, data, Some(hyperparameters))?;
        let training = Training::choose(self.conditioning, &process, data, self.near).map_err(failed)?;
        if let Some(mixture) = self.sampled(&process, &training, Some(hyperparameters), rng)? {
            return Ok(mixture);
        }
        // Discard hyperparameters of another model, and those under which the covariance cannot be factored.
        let keep = |learnt_from| {
            let posterior = training.condition(&process, learnt_from).ok()?;
            let is_same = posterior.params().len() == hyperparameters.len();
            let holds = is_same && !is_surprised(&posterior, training.rows_before(learnt_from));
            holds.then(|| training.fitted(posterior, learnt_from))
        };
        let learn = |starts: Starts| {
            let process = process.clone().with_settings(starts.of(process.settings()));
            training.learn(&process, rng).map_err(failed)
        };
        Ok(Box::new(self.refit.plan(learnt_from, data.len()).carry_out(keep, learn)?))
    }

    fn near(&self, value: f64) -> Option<Box<dyn Surrogate>> {
        Some(Box::new(Self { near: Some(value), ..self.clone() }))
    }

    /// This surrogate with [sampled hyperparameters](Self::noisy), so that the evidence decides how much is noise; a fixed noise is kept.
    fn in_pieces(&self) -> Option<Box<dyn Surrogate>> {
        let is_learnt = matches!(self.settings.noise, Noise::Learned { .. });
        let learning = match self.learning {
            Learning::MostProbable if is_learnt => Learning::Sampled(Sampling::default()),
            learning => learning,
        };
        Some(Box::new(Self { learning, ..self.clone() }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

impl GpSurrogate {
    /// The surrogate for evaluations that are known to be noisy. Hyperparameters are sampled, so that the evidence decides how much is noise.
    ///
    /// We found no better configurations than with the default. Its 95 % intervals contain 94 to 96 % of the values of noisy draws; those
    /// of the default contain 78 to 95 %. Source: `run bo/noise`, `run gp/calibration`.
    #[must_use]
    pub fn noisy() -> Self {
        Self::default().with_sampled_hyperparameters(Sampling::default())
    }

    /// The surrogate for evaluations that repeat exactly. The noise variance is 1e-8 of that of the targets, to absorb rounding.
    #[must_use]
    pub fn deterministic() -> Self {
        let settings = GpSettings { noise: Noise::Fixed(1e-8), ..GpSettings::default() };
        Self { settings, ..Self::default() }
    }

    /// Samples hyperparameters from their posterior.
    #[must_use]
    pub fn with_sampled_hyperparameters(self, sampling: Sampling) -> Self {
        Self { learning: Learning::Sampled(sampling), ..self }
    }

    fn started(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
    ) -> Result<Gp<Box<dyn Kernel>>, SurrogateError> {
        let process = self.process_for(domain, data.x)?;
        let process = match self.learning {
            // With too many observations to sample, the maximum of the same density is used. On the natural scale, the priors of the
            // samples would pull lengthscales and noise towards 0.
            Learning::Sampled(sampling) if sampling.sampler(data.len()).is_none() => {
                process.maximizing_on_learning_scale()
            }
            _ => process,
        };
        // Of several samples, take the first.
        let first = warm_start.map(|values| values.get(..process.num_params()).unwrap_or(values));
        Ok(match first {
            Some(first) => process.warm_started(first.to_vec()),
            None => process,
        })
    }
}

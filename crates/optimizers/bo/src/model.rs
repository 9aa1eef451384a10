use thrifty_domain::{Domain, PointsRef, Variable, VariableKind};
use thrifty_gp::{Gp, GpPosterior, GpSettings, LARGEST_TARGET, Noise};
use thrifty_kernel::{
    Inputs, Kernel, Matern12Profile, Matern32Profile, Matern52Profile, Scaled, SquaredExponentialProfile,
    Stationary, StationaryProfile,
};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;
use thrifty_study::{Fingerprint, OptimizerError};
use thrifty_surrogate::Posterior;

/// Any error that crosses the seam between optimiser and model.
pub type ModelError = Box<dyn std::error::Error + Send + Sync>;

/// A value as far out as a model can carry it: larger ones are as good as that to a search, and would be an error to a fit.
pub(crate) fn carried(value: f64) -> f64 {
    value.clamp(-LARGEST_TARGET, LARGEST_TARGET)
}

/// A surrogate chosen at run time.
pub trait Model: Send + Sync {
    /// Learns from points of the domain and their losses; `notes` are those of an earlier fit, to start from.
    ///
    /// # Errors
    /// Whatever keeps the model from learning.
    fn fit(
        &self,
        domain: &Domain,
        x: PointsRef<'_>,
        y: &[f64],
        notes: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError>;

    /// The model's name and everything that its posterior depends on besides data.
    ///
    /// # Errors
    /// [`OptimizerError`] when a setting cannot be written.
    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError>;
}

/// A fitted model: a posterior that can be given imagined observations.
pub trait Fitted: Send + Sync {
    /// What is believed.
    fn posterior(&self) -> &dyn Posterior;

    /// What the next fit may start from.
    fn notes(&self) -> Vec<f64>;

    /// The belief after one more observation, with everything learnt kept.
    ///
    /// # Errors
    /// Numerical breakdown, as when the point is there already.
    fn imagining(&self, x: &[f64], y: f64) -> Result<Box<dyn Fitted>, ModelError>;

    /// Variance of the noise of an observation, on the scale of the posterior; 0 for a model without one.
    fn noise(&self) -> f64 {
        0.0
    }
}

/// Stationary kernels by name, each with one lengthscale a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelFamily {
    /// Infinitely smooth.
    SquaredExponential,
    /// Continuous.
    Matern12,
    /// Once differentiable.
    Matern32,
    /// Twice differentiable.
    #[default]
    Matern52,
}

/// A Gaussian process with the default kernel of its family for the domain: [`Gp::stationary`] where all variables
/// are numbers, [`Gp::on_domain`] where some are categories or conditional.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GpModel {
    /// Which kernel.
    pub family: KernelFamily,
    /// What is assumed and how it is learnt.
    pub settings: GpSettings,
    /// Bounds of the lengthscales, if not the default ones; without a prior then: maximum likelihood.
    pub lengthscale_bounds: Option<(f64, f64)>,
    /// Bend numeric inputs by a learnt warp, for functions that vary faster near one end of an axis.
    #[serde(default)]
    pub warp_inputs: bool,
}

impl Default for GpModel {
    /// Matérn 5/2 and [`GpSettings::default`], but for the noise: it has a wide prior, log-normal(-8, 4). Most that is
    /// optimised is repeatable, and a rugged function taken for noise is a search that stops.
    fn default() -> Self {
        let prior = Some(Prior::LogNormal { mu: -8.0, sigma: 4.0 });
        let noise = Noise::Learned { start: 1e-4, floor: 1e-12, ceiling: 10.0, prior };
        Self {
            family: KernelFamily::default(),
            settings: GpSettings { noise, ..GpSettings::default() },
            lengthscale_bounds: None,
            warp_inputs: false,
        }
    }
}

/// What is done with the process of a model once its kernel is known.
pub(crate) trait WithProcess {
    /// Fits it to something.
    fn fit<K: Kernel + Clone + 'static>(&mut self, process: Gp<K>) -> Result<Box<dyn Fitted>, ModelError>;
}

impl GpModel {
    /// Hands the process for a domain on.
    pub(crate) fn process_for(
        &self,
        domain: &Domain,
        then: &mut impl WithProcess,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        match self.family {
            KernelFamily::SquaredExponential => {
                self.process_of_family::<SquaredExponentialProfile>(domain, then)
            }
            KernelFamily::Matern12 => self.process_of_family::<Matern12Profile>(domain, then),
            KernelFamily::Matern32 => self.process_of_family::<Matern32Profile>(domain, then),
            KernelFamily::Matern52 => self.process_of_family::<Matern52Profile>(domain, then),
        }
    }

    fn process_of_family<R: StationaryProfile>(
        &self,
        domain: &Domain,
        then: &mut impl WithProcess,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        // A kernel known at compile time is the fastest.
        let numeric = |variable: &Variable| {
            variable.conditions.is_empty()
                && matches!(variable.kind, VariableKind::Continuous | VariableKind::Stepped { .. })
        };
        let plain = domain.variables().iter().all(numeric) && !self.warp_inputs;
        let settings = || self.settings.clone();
        let dim = domain.dim();
        match self.lengthscale_bounds {
            None if plain => then.fit(Gp::<Scaled<Stationary<R>>>::stationary(dim).with_settings(settings())),
            None => {
                let defaults = Inputs::for_dimension(domain.variables().len());
                let inputs = Inputs { warped: self.warp_inputs, ..defaults };
                then.fit(Gp::on_domain_with::<R>(domain, &inputs)?.with_settings(settings()))
            }
            Some((low, high)) if plain => {
                let kernel = Stationary::<R>::new(vec![(low * high).sqrt(); dim])?.with_bounds(low, high)?;
                then.fit(Gp::new(Scaled::new(kernel, 1.0)?).with_settings(settings()))
            }
            Some(bounds @ (low, high)) => {
                let lengthscale = (low * high).sqrt();
                let inputs = Inputs { lengthscale, bounds, prior: None, warped: self.warp_inputs };
                then.fit(Gp::on_domain_with::<R>(domain, &inputs)?.with_settings(settings()))
            }
        }
    }
}

/// What an ordinary process is fitted to.
struct ToLosses<'a> {
    x: PointsRef<'a>,
    y: &'a [f64],
    notes: Option<&'a [f64]>,
    rng: &'a mut Stream,
}

impl WithProcess for ToLosses<'_> {
    fn fit<K: Kernel + Clone + 'static>(
        &mut self,
        mut process: Gp<K>,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        if let Some(notes) = self.notes {
            process = process.warm_started(notes.to_vec());
        }
        Ok(Box::new(process.fit(self.x, self.y, self.rng)?))
    }
}

impl Model for GpModel {
    fn fit(
        &self,
        domain: &Domain,
        x: PointsRef<'_>,
        y: &[f64],
        notes: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        self.process_for(domain, &mut ToLosses { x, y, notes, rng })
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("gaussian process").with("model", self)
    }
}

impl<K: Kernel + Clone + 'static> Fitted for GpPosterior<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn notes(&self) -> Vec<f64> {
        self.hyperparameters()
    }

    fn imagining(&self, x: &[f64], y: f64) -> Result<Box<dyn Fitted>, ModelError> {
        Ok(Box::new(self.with_observation(x, y)?))
    }

    fn noise(&self) -> f64 {
        self.noise_variance()
    }
}

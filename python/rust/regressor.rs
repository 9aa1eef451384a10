//! Exact Gaussian-process regression with defaults for regression: no priors, wide bounds, learnt noise.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use thrifty::domain::Points;
use thrifty::gp::{
    ExactLikelihood, Gp, GpPosterior, GpSettings, KernelFamily, Mean, Noise, Search, TargetScaling,
};
use thrifty::kernel::{
    Kernel, KernelError, Matern12Profile, Matern32Profile, Matern52Profile, Scaled,
    SquaredExponentialProfile, Stationary, StationaryProfile,
};
use thrifty::params::{LogLikelihood as _, Param, Parameterized as _};
use thrifty::sampling::Seed;
use thrifty::surrogate::{JointPosterior as _, Posterior as _, sample_jointly};

use crate::boundary::{failed, guarded, invalid};
use crate::expression::Expression;
use crate::method::Keywords;
use crate::pareto::{bytes, floats, points};
use crate::starts;

/// Settings of the regressor.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Family of the kernel, for scaled data with a learnt mean.
    kernel: KernelFamily,
    /// A kernel of Python's in place of it, for data as they are with mean 0.
    #[serde(default)]
    composed: Option<Expression>,
    /// Smallest and largest lengthscale, in ranges of the columns.
    lengthscales: (f64, f64),
    /// Noise variance in units of the targets' variance; learnt without one.
    noise: Option<f64>,
    /// Noise variance of a composed kernel: start, smallest and largest. Without one `noise` is known.
    #[serde(default)]
    white: Option<(f64, f64, f64)>,
    /// Known noise variance of every observation, beside the other.
    #[serde(default)]
    alpha: f64,
    /// Starts beside the first.
    restarts: usize,
    /// Likelihood evaluations of one start.
    max_evaluations: usize,
}

impl Settings {
    fn process(&self, dim: usize) -> Result<Gp<Box<dyn Kernel>>, KernelError> {
        let is_scaled = self.composed.is_none();
        let kernel = match (&self.composed, self.kernel) {
            (Some(expression), _) => expression.kernel(dim),
            (None, KernelFamily::SquaredExponential) => self.kernel::<SquaredExponentialProfile>(dim),
            (None, KernelFamily::Matern12) => self.kernel::<Matern12Profile>(dim),
            (None, KernelFamily::Matern32) => self.kernel::<Matern32Profile>(dim),
            (None, KernelFamily::Matern52) => self.kernel::<Matern52Profile>(dim),
        }?;
        let learnt = |start, floor, ceiling| Noise::Learned { start, floor, ceiling, prior: None };
        let noise = match (self.noise, self.white) {
            (Some(variance), _) => Noise::Fixed(variance),
            (None, Some((start, low, high))) => learnt(start.max(low).min(high), low, high),
            (None, None) => learnt(1e-2, 1e-10, 10.0),
        };
        let settings = GpSettings {
            noise,
            mean: if is_scaled { Mean::Learned } else { Mean::Zero },
            normalize_inputs: is_scaled,
            standardize_targets: is_scaled,
            restarts: self.restarts,
            max_evaluations: self.max_evaluations,
            search: Search::AverageInformation,
            ..GpSettings::default()
        };
        Ok(Gp::new(kernel).with_settings(settings))
    }

    fn kernel<R: StationaryProfile>(&self, dim: usize) -> Result<Box<dyn Kernel>, KernelError> {
        let (low, high) = self.lengthscales;
        // Not `clamp`, which panics where the bounds make no sense: the kernel refuses them.
        let start = (0.5 * (dim as f64).sqrt()).max(low).min(high);
        let kernel = Stationary::<R>::new(vec![start; dim])?.with_bounds(low, high)?;
        Ok(Scaled::new(kernel, 1.0)?.with_bounds(1e-3, 1e5)?.clone_box())
    }
}

/// A fitted process with its data.
#[pyclass(frozen, module = "thrifty._thrifty")]
pub(crate) struct Regressor {
    process: Gp<Box<dyn Kernel>>,
    posterior: GpPosterior<Box<dyn Kernel>>,
    x: Points,
    y: Vec<f64>,
    /// Known noise variance per observation.
    variances: Vec<f64>,
}

type Bytes<'py> = Bound<'py, PyBytes>;

#[pymethods]
impl Regressor {
    /// Fits points of so many columns; with hyperparameters, conditions on the data under them.
    #[new]
    #[pyo3(signature = (x, y, columns, seed, settings_json, hyperparameters=None))]
    fn new(
        py: Python<'_>,
        x: &[u8],
        y: &[u8],
        columns: usize,
        seed: u64,
        settings_json: &str,
        hyperparameters: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let (x, y) = (points(x, columns)?, floats(y)?);
        let settings: Settings =
            Keywords::read("GaussianProcessRegressor", Some(settings_json))?.settings()?;
        guarded(py, || {
            let process = settings.process(columns).map_err(invalid)?;
            let variances = vec![settings.alpha; y.len()];
            let posterior = match hyperparameters {
                None => {
                    let rng = &mut Seed(seed).stream("fit", 0);
                    starts::fit(&process, x.as_ref(), &y, &variances, rng)
                }
                Some(known) => {
                    process.clone().warm_started(known).condition_with_noise(x.as_ref(), &y, &variances)
                }
            };
            Ok(Self { process, posterior: posterior.map_err(invalid)?, x, y, variances })
        })
    }

    /// Means and variances of the latent function.
    fn predict<'py>(&self, py: Python<'py>, x: &[u8]) -> PyResult<(Bytes<'py>, Bytes<'py>)> {
        let x = points(x, self.x.dim())?;
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        guarded(py, || {
            self.posterior.predict_into(x.as_ref(), &mut mean, &mut variance);
            Ok(())
        })?;
        Ok((bytes(py, &mean), bytes(py, &variance)))
    }

    /// Joint covariance of the latent function.
    fn covariance<'py>(&self, py: Python<'py>, x: &[u8]) -> PyResult<Bytes<'py>> {
        let x = points(x, self.x.dim())?;
        let mut out = vec![0.0; x.len() * x.len()];
        guarded(py, || {
            self.posterior.covariance_into(x.as_ref(), &mut out);
            Ok(())
        })?;
        Ok(bytes(py, &out))
    }

    /// Joint samples of the latent function, a row each.
    fn sample<'py>(&self, py: Python<'py>, x: &[u8], count: usize, seed: u64) -> PyResult<Bytes<'py>> {
        let x = points(x, self.x.dim())?;
        let drawn = guarded(py, || {
            sample_jointly(&self.posterior, x.as_ref(), count, &mut Seed(seed).stream("sample", 0))
                .map_err(failed)
        })?;
        Ok(bytes(py, &drawn.concat()))
    }

    /// Hyperparameters: name, value, bounds, and whether they are learnt by their logarithm.
    fn hyperparameters(&self) -> Vec<(String, f64, (f64, f64), bool)> {
        let one = |p: &Param| {
            let is_log = p.transform == thrifty::params::Transform::Log;
            (p.name.clone(), p.value, (p.low, p.high), is_log)
        };
        self.posterior.params().iter().map(one).collect()
    }

    /// Noise variance on the scale of the targets.
    fn noise_variance(&self) -> f64 {
        self.posterior.noise_variance()
    }

    /// Offset and width of the targets before scaling.
    fn scaling(&self) -> (f64, f64) {
        let TargetScaling { offset, width } = self.posterior.target_scaling();
        (offset, width)
    }

    /// Log marginal likelihood of the scaled targets at the fit.
    fn log_likelihood(&self) -> f64 {
        self.posterior.log_likelihood()
    }

    /// The same at other hyperparameters, with the slopes in them; minus infinity where the covariance has no factor.
    fn log_likelihood_at(&self, py: Python<'_>, values: Vec<f64>) -> PyResult<(f64, Vec<f64>)> {
        guarded(py, || {
            let settings = self.process.settings();
            let mut kernel = self.process.kernel().clone();
            let (x, y) = starts::scaled(settings, self.x.as_ref(), &self.y);
            let mut likelihood =
                ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &settings.noise, settings.mean)
                    .with_known_noise(&self.variances);
            let expected = likelihood.params().len();
            if values.len() != expected {
                let found = values.len();
                return Err(invalid(format!("{found} hyperparameters, expected {expected}")));
            }
            likelihood.set_params(&values);
            let mut gradient = vec![0.0; expected];
            Ok(match likelihood.log_likelihood(&mut gradient) {
                Ok(value) => (value, gradient),
                Err(_) => (f64::NEG_INFINITY, vec![0.0; expected]),
            })
        })
    }
}

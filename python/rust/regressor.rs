//! Exact Gaussian-process regression with defaults for regression: no priors, wide bounds, learnt noise.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use thrifty::domain::Points;
use thrifty::gp::{
    ExactLikelihood, Gp, GpPosterior, GpSettings, InputScaling, KernelFamily, Mean, Noise, TargetScaling,
};
use thrifty::kernel::{
    Kernel, KernelError, Matern12Profile, Matern32Profile, Matern52Profile, Scaled,
    SquaredExponentialProfile, Stationary, StationaryProfile,
};
use thrifty::params::{LogLikelihood as _, Param, Parameterized as _};
use thrifty::sampling::Seed;
use thrifty::surrogate::{JointPosterior as _, Posterior as _, sample_jointly};

use crate::boundary::{failed, guarded, invalid};
use crate::pareto::{bytes, floats, points};

/// Settings of the regressor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Family of the kernel.
    kernel: KernelFamily,
    /// Smallest and largest lengthscale, in ranges of the columns.
    lengthscales: (f64, f64),
    /// Noise variance in units of the targets' variance; learnt without one.
    noise: Option<f64>,
    /// Starts beside the first.
    restarts: usize,
    /// Likelihood evaluations of one start.
    max_evaluations: usize,
}

impl Settings {
    fn process(&self, dim: usize) -> Result<Gp<Box<dyn Kernel>>, KernelError> {
        let kernel = match self.kernel {
            KernelFamily::SquaredExponential => self.kernel::<SquaredExponentialProfile>(dim),
            KernelFamily::Matern12 => self.kernel::<Matern12Profile>(dim),
            KernelFamily::Matern32 => self.kernel::<Matern32Profile>(dim),
            KernelFamily::Matern52 => self.kernel::<Matern52Profile>(dim),
        }?;
        let noise = match self.noise {
            Some(variance) => Noise::Fixed(variance),
            None => Noise::Learned { start: 1e-2, floor: 1e-10, ceiling: 10.0, prior: None },
        };
        let settings = GpSettings {
            noise,
            mean: Mean::Learned,
            normalize_inputs: true,
            standardize_targets: true,
            restarts: self.restarts,
            max_evaluations: self.max_evaluations,
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
        let settings: Settings = serde_json::from_str(settings_json).map_err(invalid)?;
        guarded(py, || {
            let process = settings.process(columns).map_err(invalid)?;
            let posterior = match hyperparameters {
                None => process.fit(x.as_ref(), &y, &mut Seed(seed).stream("fit", 0)),
                Some(known) => process.clone().warm_started(known).condition(x.as_ref(), &y),
            };
            Ok(Self { process, posterior: posterior.map_err(invalid)?, x, y })
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
        let settings = self.process.settings();
        let mut kernel = self.process.kernel().clone();
        let x = InputScaling::of(self.x.as_ref()).apply(self.x.as_ref());
        let y = TargetScaling::standardize(&self.y).apply(&self.y);
        guarded(py, || {
            let mut likelihood =
                ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &settings.noise, settings.mean);
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

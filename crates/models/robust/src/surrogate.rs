//! Gaussian processes with Student-t noise as surrogates.

use thrifty_domain::Domain;
use thrifty_gp::{
    Conditioning, GpSettings, GpSurrogate, KernelFactory, KernelFamily, LARGEST_TARGET, Learning, Mean,
    Noise, Refit, Search, Training,
};
use thrifty_kernel::Kernel;
use thrifty_linalg::JitterLadder;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError};

use crate::{RobustError, RobustGp, RobustPosterior, StudentT};

/// Gaussian-process surrogate for evaluations with outliers: failed measurements, diverged trainings, heavy-tailed noise.
///
/// The hyperparameters are learnt in every fit; beyond 1,000 observations from half of a [subset](GpSurrogate::conditioning). Cost: about
/// 10 to 30 times that of a learning [`GpSurrogate`], since each evaluation of the evidence bound sweeps over the weights.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RobustGpSurrogate {
    /// Kernel, settings and conditioning of the process. Its settings for learning and for keeping hyperparameters are not used: every fit
    /// searches for the maximum. Settings that a file leaves out have the [default](RobustGpSurrogate::default) values of this surrogate.
    #[serde(deserialize_with = "ProcessInFile::deserialize")]
    pub process: GpSurrogate,
    /// Noise.
    pub student_t: StudentT,
}

/// The process in a file. Serde would fill missing fields from `GpSurrogate`, whose noise differs.
#[derive(serde::Deserialize)]
#[serde(remote = "GpSurrogate", default = "default_process", deny_unknown_fields)]
struct ProcessInFile {
    family: KernelFamily,
    #[serde(deserialize_with = "SettingsInFile::deserialize")]
    settings: GpSettings,
    lengthscale_bounds: Option<(f64, f64)>,
    learning: Learning,
    refit: Refit,
    conditioning: Conditioning,
    #[serde(skip_deserializing)]
    near: Option<f64>,
    warp_inputs: bool,
    #[serde(skip_deserializing)]
    kernel: Option<KernelFactory>,
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

fn default_process() -> GpSurrogate {
    GpSurrogate { settings: default_settings(), ..GpSurrogate::default() }
}

fn default_settings() -> GpSettings {
    let noise = Noise::Learned { start: 1e-2, floor: 1e-6, ceiling: 10.0, prior: None };
    GpSettings { noise, ..GpSettings::default() }
}

impl Default for RobustGpSurrogate {
    /// Matérn 5/2 kernel and noise with 4 degrees of freedom. The scale has no prior: σ² is within `[1e-6, 10]` of the squared spread of
    /// the targets.
    fn default() -> Self {
        Self { process: default_process(), student_t: StudentT::default() }
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "robust gaussian process";

fn failed(error: RobustError) -> SurrogateError {
    SurrogateError::failed(NAME, error)
}

impl RobustGpSurrogate {
    /// Clamps a target to the largest allowed size if targets are standardised, so that an extreme value is no error.
    fn counted(&self, y: f64) -> f64 {
        let is_scaled = self.process.settings.standardize_targets && y.is_finite();
        if is_scaled { y.clamp(-LARGEST_TARGET, LARGEST_TARGET) } else { y }
    }
}

impl Surrogate for RobustGpSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let mut process = self.process.process_for_maximum(domain, data.x)?;
        // A subset is chosen with the distances of the last hyperparameters.
        if let Some(warm_start) = warm_start {
            process = process.warm_started(warm_start.to_vec());
        }
        let y: Vec<f64> = data.y.iter().map(|y| self.counted(*y)).collect();
        let all = Observations { y: &y, ..data };
        let training = Training::choose(self.process.conditioning, &process, all, self.process.near)
            .map_err(|error| failed(RobustError::Process(error)))?;
        let mut model = RobustGp::new(process.clone()).with_student_t(self.student_t);
        if let Some(warm_start) = warm_start {
            model = model.warm_started(warm_start.to_vec());
        }
        // Those of the half, if hyperparameters are learnt from half of a subset.
        let mut restarts = Vec::new();
        let fitted = training.learn_by(
            &process,
            |data| model.fit_with_noise(data.x, data.y, &data.noise_variances(), rng),
            |learnt, data| {
                restarts = learnt.restarts().to_vec();
                let model = model.clone().warm_started(learnt.hyperparameters());
                let (inputs, targets) =
                    (learnt.process().input_scaling().cloned(), learnt.process().target_scaling());
                model.condition_on_scale(data.x, data.y, &data.noise_variances(), inputs, targets)
            },
        );
        let fitted = fitted.map_err(failed)?;
        let restarts = if restarts.is_empty() { fitted.restarts().to_vec() } else { restarts };
        Ok(Box::new(fitted.of_surrogate(&restarts, self.process.conditioning)))
    }

    fn near(&self, value: f64) -> Option<Box<dyn Surrogate>> {
        let process = GpSurrogate { near: Some(value), ..self.process.clone() };
        Some(Box::new(Self { process, ..self.clone() }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

impl<K: Kernel + Clone + 'static> FittedSurrogate for RobustPosterior<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters()
    }

    /// Includes the tails: the interval of a new observation is that of the Student-t noise.
    fn noise_variance(&self) -> f64 {
        self.observed_noise_variance()
    }

    fn joint_limit(&self) -> usize {
        self.joint_limit()
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(self.with_observation(x, y).map_err(failed)?))
    }
}

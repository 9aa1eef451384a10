//! Censored Gaussian processes as surrogates.

use thrifty_domain::Domain;
use thrifty_gp::{GpSurrogate, Training};
use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError};

use crate::{CensoredError, CensoredGp, CensoredPosterior, Propagation, Response};

/// Gaussian-process surrogate of left-censored responses: a target at or below `floor` is the inequality f(x) + ε ≤ floor.
///
/// The function is as smooth below the floor as above it, and the noise is normal before the cut.
///
/// Use it for level sets. A loss that is cut off above would have to be negated, and an optimiser of losses would then maximise it. For
/// losses of folds, use the setting `limits` of fractional cross-validation. Losses that an optimiser imputes for failures at or below the
/// floor count as bounds too.
///
/// Cost: about 10 passes of O(b³) for b targets at the floor per evaluation of the likelihood, in addition to the O(n³) of [`GpSurrogate`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensoredGpSurrogate {
    /// Smallest response that is observed as a value, in units of the response. An optimiser that transforms losses also transforms the floor.
    pub floor: f64,
    /// Kernel, settings and conditioning of the process. Its settings for learning and for keeping hyperparameters are not used. Every fit
    /// searches for the maximum; beyond 1,000 responses it uses half of a [subset](GpSurrogate::conditioning).
    #[serde(default)]
    pub process: GpSurrogate,
    /// Settings of expectation propagation.
    #[serde(default)]
    pub propagation: Propagation,
}

impl CensoredGpSurrogate {
    /// The default process with a floor.
    #[must_use]
    pub fn above(floor: f64) -> Self {
        Self { floor, process: GpSurrogate::default(), propagation: Propagation::default() }
    }

    fn responses(&self, y: &[f64]) -> Vec<Response> {
        y.iter().map(|y| Response::clipped(*y, self.floor)).collect()
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "censored gaussian process";

pub(crate) fn failed(error: CensoredError) -> SurrogateError {
    SurrogateError::failed(NAME, error)
}

/// Fits a process to the responses that the targets represent, by maximum a posteriori.
pub(crate) fn learn(
    (surrogate, propagation): (&GpSurrogate, Propagation),
    responses: &dyn Fn(&[f64]) -> Vec<Response>,
    (domain, data): (&Domain, Observations<'_>),
    warm_start: Option<&[f64]>,
    rng: &mut Stream,
) -> Result<CensoredPosterior<Box<dyn Kernel>>, SurrogateError> {
    let mut process = surrogate.process_for_maximum(domain, data.x)?;
    // A subset is chosen with the distances of the last hyperparameters.
    if let Some(warm_start) = warm_start {
        process = process.warm_started(warm_start.to_vec());
    }
    let training = Training::choose(surrogate.conditioning, &process, data, surrogate.near)
        .map_err(|error| failed(CensoredError::Process(error)))?;
    let mut model = CensoredGp::new(process.clone()).with_propagation(propagation);
    if let Some(warm_start) = warm_start {
        model = model.warm_started(warm_start.to_vec());
    }
    // Those of the half, if hyperparameters are learnt from half of a subset.
    let mut restarts = Vec::new();
    let fitted = training.learn_by(
        &process,
        |data| model.fit_with_noise(data.x, &responses(data.y), &data.noise_variances(), rng),
        |learnt, data| {
            restarts = learnt.restarts().to_vec();
            let model = model.clone().warm_started(learnt.hyperparameters());
            let (inputs, targets) =
                (learnt.process().input_scaling().cloned(), learnt.process().target_scaling());
            let (responses, noise) = (responses(data.y), data.noise_variances());
            model.condition_on_scale(data.x, &responses, &noise, inputs, targets)
        },
    );
    let fitted = fitted.map_err(failed)?;
    let restarts = if restarts.is_empty() { fitted.restarts().to_vec() } else { restarts };
    Ok(fitted.of_surrogate(&restarts, surrogate.conditioning))
}

impl Surrogate for CensoredGpSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let responses = |y: &[f64]| self.responses(y);
        // For the choice of a subset, all targets at the floor have the same value.
        let y: Vec<f64> = responses(data.y).iter().map(|response| response.number()).collect();
        let data = Observations { y: &y, ..data };
        let learnt = learn((&self.process, self.propagation), &responses, (domain, data), warm_start, rng)?;
        Ok(Box::new(learnt))
    }

    /// The process without a floor. The floor belongs to the objective: constraint values and log costs below it are observed values.
    fn for_other_outputs(&self) -> Option<&dyn Surrogate> {
        Some(&self.process)
    }

    /// The floor is transformed like the responses, so exactly those at the floor remain bounds.
    fn on_scale(&self, scale: &dyn Fn(f64) -> f64) -> Option<Box<dyn Surrogate>> {
        Some(Box::new(Self { floor: scale(self.floor), ..self.clone() }))
    }

    fn near(&self, value: f64) -> Option<Box<dyn Surrogate>> {
        let process = GpSurrogate { near: Some(value), ..self.process.clone() };
        Some(Box::new(Self { process, ..self.clone() }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

impl<K: Kernel + Clone + 'static> FittedSurrogate for CensoredPosterior<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters()
    }

    fn noise_variance(&self) -> f64 {
        self.noise_variance()
    }

    fn joint_limit(&self) -> usize {
        self.joint_limit()
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(self.with_observation(x, y).map_err(failed)?))
    }
}

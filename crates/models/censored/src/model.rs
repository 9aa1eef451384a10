//! Prior Gaussian process for censored responses.

use thrifty_domain::PointsRef;
use thrifty_gp::{
    Gp, GpError, GpSettings, InputScaling, Mean, Noise, Restart, TargetScaling, learn_parameters,
};
use thrifty_kernel::Kernel;
use thrifty_params::{Param, Parameterized, starting_values};
use thrifty_sampling::Stream;

use crate::data::ScaledResponses;
use crate::likelihood::CensoredLikelihood;
use crate::posterior::Convergence;
use crate::{CensoredError, CensoredPosterior, Propagation, Response};

/// A Gaussian process before it is conditioned on values and bounds.
///
/// Kernel and settings are those of a [`Gp`]; its own warm start is not used. Targets are standardised by all numbers, including bounds.
///
/// With signs alone the scale is arbitrary. For probit classification, fix the noise at 1 ([`Noise::Fixed`]) and do not standardise. A
/// learnt mean then stays at 0, because it is searched in the range of the numbers.
#[derive(Debug, Clone)]
pub struct CensoredGp<K> {
    process: Gp<K>,
    propagation: Propagation,
    warm: Option<Vec<f64>>,
}

impl<K: Kernel + Clone> CensoredGp<K> {
    /// A process with the default propagation.
    #[must_use]
    pub fn new(process: Gp<K>) -> Self {
        Self { process, propagation: Propagation::default(), warm: None }
    }

    /// Replaces the propagation.
    #[must_use]
    pub fn with_propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = propagation;
        self
    }

    /// Starts from hyperparameters of an earlier fit ([`CensoredPosterior::hyperparameters`]). A vector of another length is ignored.
    #[must_use]
    pub fn warm_started(mut self, hyperparameters: Vec<f64>) -> Self {
        self.warm = Some(hyperparameters);
        self
    }

    /// The process whose kernel and settings are used.
    #[must_use]
    pub fn process(&self) -> &Gp<K> {
        &self.process
    }

    /// Learns the hyperparameters by maximum a posteriori and conditions on the responses.
    ///
    /// # Errors
    /// [`CensoredError`]: empty or mismatched data, anything not finite, a bad setting, numerical breakdown.
    pub fn fit(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
        rng: &mut Stream,
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        self.fit_with_noise(x, responses, &vec![0.0; responses.len()], rng)
    }

    /// [`CensoredGp::fit`] where each response has a known noise variance, in addition to the common noise. For signs among values this is
    /// the probit's 1.
    ///
    /// # Errors
    /// As [`CensoredGp::fit`], and for a variance that is negative or not finite.
    pub fn fit_with_noise(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
        variances: &[f64],
        rng: &mut Stream,
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        let data = self.checked(x, responses, variances, None)?;
        let (settings, mut kernel) = (self.process.settings(), self.process.kernel().clone());
        let mut likelihood = self.likelihood(&mut kernel, &data);
        let (best, restarts) = learn_parameters(&mut likelihood, settings, self.warm.as_deref(), rng)?;
        self.finish(kernel, &data, x, &best, restarts)
    }

    /// Conditions with fixed hyperparameters: those of the kernel and the settings, or those of the warm start.
    ///
    /// # Errors
    /// As [`CensoredGp::fit`].
    pub fn condition(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        self.condition_with_noise(x, responses, &vec![0.0; responses.len()])
    }

    /// [`CensoredGp::condition`] with noise as in [`CensoredGp::fit_with_noise`].
    ///
    /// # Errors
    /// As [`CensoredGp::fit_with_noise`].
    pub fn condition_with_noise(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
        variances: &[f64],
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        self.conditioned(x, responses, variances, None)
    }

    /// [`CensoredGp::condition_with_noise`] with given scalings of inputs and targets, such as those of an earlier posterior.
    ///
    /// # Errors
    /// As [`CensoredGp::fit_with_noise`].
    ///
    /// # Panics
    /// If the scaling of inputs has another dimension.
    pub fn condition_on_scale(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
        variances: &[f64],
        inputs: Option<InputScaling>,
        targets: TargetScaling,
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        self.conditioned(x, responses, variances, Some((inputs, targets)))
    }

    fn conditioned(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
        variances: &[f64],
        scale: Option<(Option<InputScaling>, TargetScaling)>,
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        let data = self.checked(x, responses, variances, scale)?;
        let mut kernel = self.process.kernel().clone();
        let params = self.likelihood(&mut kernel, &data).params();
        let values = starting_values(&params, self.warm.as_deref()).map_err(GpError::from)?;
        self.finish(kernel, &data, x, &values, Vec::new())
    }

    fn checked(
        &self,
        x: PointsRef<'_>,
        responses: &[Response],
        variances: &[f64],
        scale: Option<(Option<InputScaling>, TargetScaling)>,
    ) -> Result<ScaledResponses, CensoredError> {
        let settings = self.process.settings();
        settings.validate()?;
        self.propagation.validate()?;
        ScaledResponses::new(
            self.process.kernel().expected_dim(x.dim()),
            x,
            responses,
            variances,
            settings,
            scale,
        )
    }

    fn likelihood<'a>(&'a self, kernel: &'a mut K, data: &'a ScaledResponses) -> CensoredLikelihood<'a, K> {
        let GpSettings { noise, mean, .. } = self.process.settings();
        CensoredLikelihood::new(kernel, data, self.propagation, noise, *mean)
    }

    /// Conditions an ordinary process on the pseudo-observations under the given hyperparameters.
    fn finish(
        &self,
        mut kernel: K,
        data: &ScaledResponses,
        x: PointsRef<'_>,
        values: &[f64],
        restarts: Vec<Restart>,
    ) -> Result<CensoredPosterior<K>, CensoredError> {
        let mut likelihood = self.likelihood(&mut kernel, data);
        likelihood.set_params(values);
        let (params, (noise, mean)): (Vec<Param>, _) = (likelihood.params(), likelihood.noise_and_mean());
        let found = data.approximate(&kernel, noise, mean, &self.propagation, None)?;
        let (pseudo, scale) = (found.pseudo, data.targets);
        let settings = GpSettings {
            noise: Noise::Fixed(noise),
            mean: Mean::Fixed(mean),
            ..self.process.settings().clone()
        };
        let mut points = thrifty_domain::Points::new(x.dim());
        pseudo.of.iter().for_each(|i| points.push(x.row(*i)));
        let y: Vec<f64> = pseudo.y.iter().map(|y| scale.offset + scale.width * y).collect();
        let variances: Vec<f64> = pseudo.noise.iter().map(|v| v * scale.width * scale.width).collect();
        let process = Gp::new(kernel).with_settings(settings).condition_on_scale(
            points.as_ref(),
            &y,
            &variances,
            data.inputs.clone(),
            scale,
        )?;
        let account = Convergence {
            log_likelihood: found.log_likelihood,
            sweeps: found.bounds.sweeps,
            converged: found.bounds.converged,
        };
        Ok(CensoredPosterior::new(process, account, params, restarts))
    }
}

//! Prior Gaussian process with Student-t noise.

use thrifty_domain::PointsRef;
use thrifty_gp::{
    Gp, GpError, GpSettings, InputScaling, Mean, Noise, Restart, TargetScaling, learn_parameters,
};
use thrifty_kernel::Kernel;
use thrifty_params::{Param, Parameterized, starting_values};
use thrifty_sampling::Stream;

use crate::data::ScaledObservations;
use crate::likelihood::RobustLikelihood;
use crate::{RobustError, RobustPosterior, StudentT};

/// A Gaussian process with Student-t noise, before it is conditioned on data.
///
/// Kernel and settings are those of a [`Gp`]; its own warm start is not used, and its noise is σ². Targets are scaled by median and median
/// absolute deviation, which are robust to outliers. Do not use a noise prior that favors repeatable evaluations: it contradicts this
/// model.
#[derive(Debug, Clone)]
pub struct RobustGp<K> {
    process: Gp<K>,
    student: StudentT,
    warm: Option<Vec<f64>>,
}

impl<K: Kernel + Clone> RobustGp<K> {
    /// A process with 4 degrees of freedom.
    #[must_use]
    pub fn new(process: Gp<K>) -> Self {
        Self { process, student: StudentT::default(), warm: None }
    }

    /// Replaces the noise.
    #[must_use]
    pub fn with_student_t(mut self, student: StudentT) -> Self {
        self.student = student;
        self
    }

    /// Starts from hyperparameters of an earlier fit ([`RobustPosterior::hyperparameters`]). A vector of another length is ignored.
    #[must_use]
    pub fn warm_started(mut self, hyperparameters: Vec<f64>) -> Self {
        self.warm = Some(hyperparameters);
        self
    }

    /// Learns the hyperparameters by maximizing the evidence bound with priors, and conditions on the observations.
    ///
    /// # Errors
    /// [`RobustError`]: empty or mismatched data, anything not finite, a bad setting, numerical breakdown.
    pub fn fit(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        rng: &mut Stream,
    ) -> Result<RobustPosterior<K>, RobustError> {
        self.fit_with_noise(x, y, &vec![0.0; y.len()], rng)
    }

    /// [`RobustGp::fit`] where each observation has normal noise of known variance, in addition to the Student-t noise.
    ///
    /// # Errors
    /// As [`RobustGp::fit`], and for a variance that is negative or not finite.
    pub fn fit_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        rng: &mut Stream,
    ) -> Result<RobustPosterior<K>, RobustError> {
        let data = self.checked(x, y, variances, None)?;
        let (settings, mut kernel) = (self.process.settings(), self.process.kernel().clone());
        let mut likelihood = self.likelihood(&mut kernel, &data);
        let (best, restarts) = learn_parameters(&mut likelihood, settings, self.warm.as_deref(), rng)?;
        self.finish(kernel, &data, (x, variances), &best, restarts)
    }

    /// Conditions with fixed hyperparameters: those of the kernel and the settings, or those of the warm start.
    ///
    /// # Errors
    /// As [`RobustGp::fit`].
    pub fn condition(&self, x: PointsRef<'_>, y: &[f64]) -> Result<RobustPosterior<K>, RobustError> {
        self.condition_with_noise(x, y, &vec![0.0; y.len()])
    }

    /// [`RobustGp::condition`] with noise as in [`RobustGp::fit_with_noise`].
    ///
    /// # Errors
    /// As [`RobustGp::fit_with_noise`].
    pub fn condition_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
    ) -> Result<RobustPosterior<K>, RobustError> {
        self.conditioned(x, y, variances, None)
    }

    /// [`RobustGp::condition_with_noise`] with given scalings of inputs and targets, such as those of an earlier posterior.
    ///
    /// # Errors
    /// As [`RobustGp::fit_with_noise`].
    ///
    /// # Panics
    /// If the scaling of inputs has another dimension.
    pub fn condition_on_scale(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        inputs: Option<InputScaling>,
        targets: TargetScaling,
    ) -> Result<RobustPosterior<K>, RobustError> {
        self.conditioned(x, y, variances, Some((inputs, targets)))
    }

    fn conditioned(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        scale: Option<(Option<InputScaling>, TargetScaling)>,
    ) -> Result<RobustPosterior<K>, RobustError> {
        let data = self.checked(x, y, variances, scale)?;
        let mut kernel = self.process.kernel().clone();
        let params = self.likelihood(&mut kernel, &data).params();
        let values = starting_values(&params, self.warm.as_deref()).map_err(GpError::from)?;
        self.finish(kernel, &data, (x, variances), &values, Vec::new())
    }

    fn checked(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        scale: Option<(Option<InputScaling>, TargetScaling)>,
    ) -> Result<ScaledObservations, RobustError> {
        let settings = self.process.settings();
        settings.validate()?;
        self.student.validate()?;
        if let Noise::Fixed(value) = settings.noise {
            // The model needs positive noise to weight.
            thrifty_check::positive("noise", value)?;
        }
        let dim = self.process.kernel().expected_dim(x.dim());
        ScaledObservations::new(dim, x, y, variances, settings, scale)
    }

    fn likelihood<'a>(&'a self, kernel: &'a mut K, data: &'a ScaledObservations) -> RobustLikelihood<'a, K> {
        let GpSettings { noise, mean, .. } = self.process.settings();
        RobustLikelihood::new(kernel, data, self.student, noise, *mean)
    }

    /// Conditions an ordinary process in which each observation has the noise of its weight.
    fn finish(
        &self,
        mut kernel: K,
        data: &ScaledObservations,
        (x, variances): (PointsRef<'_>, &[f64]),
        values: &[f64],
        restarts: Vec<Restart>,
    ) -> Result<RobustPosterior<K>, RobustError> {
        let mut likelihood = self.likelihood(&mut kernel, data);
        likelihood.set_params(values);
        // Starts from equal weights, so that the result depends only on data and hyperparameters.
        let jitter = &self.process.settings().jitter;
        let (params, weighting): (Vec<Param>, _) = (likelihood.params(), likelihood.weigh_with(jitter)?);
        let (noise, mean) = likelihood.noise_and_mean();
        // An observation without residual has the smallest noise; the excess of the others counts as known noise.
        let least = noise / self.student.largest_weight();
        let square = data.targets.width * data.targets.width;
        let own = |w: &f64| (noise / w - least).max(0.0) * square;
        let known: Vec<f64> = weighting.weights.iter().zip(variances).map(|(w, v)| own(w) + v).collect();
        let settings = GpSettings {
            noise: Noise::Fixed(least),
            mean: Mean::Fixed(mean),
            ..self.process.settings().clone()
        };
        let process = Gp::new(kernel).with_settings(settings).condition_on_scale(
            x,
            &data.counted,
            &known,
            data.inputs.clone(),
            data.targets,
        )?;
        Ok(RobustPosterior::new(process, &self.student, weighting, params, restarts))
    }
}

//! Trend of a source plus a model of the residuals.

use std::sync::Arc;

use thrifty_domain::PointsRef;
use thrifty_gp::TargetScaling;
use thrifty_sampling::Stream;
use thrifty_surrogate::{
    FittedSurrogate, JointGradient, JointPosterior, PathSampler, Posterior, PosteriorGradient, SamplePath,
    SurrogateError,
};

/// Line through the means of a source: `t(x) = intercept + slope · m(x)`, in units of the new targets.
#[derive(Clone)]
pub(crate) struct Trend {
    source: Arc<dyn FittedSurrogate>,
    pub(crate) intercept: f64,
    pub(crate) slope: f64,
}

/// Weight of the prior assumption that both tasks have the same standardised scale, in squared units of the source's means.
const RIDGE: f64 = 1.0;

/// Line through the means of a source at the observations, in units of the targets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) intercept: f64,
    pub(crate) slope: f64,
}

impl Line {
    /// Ridge regression of the standardised targets z on the means m of the source, with the slope shrunk towards 1 and never negative.
    ///
    /// ```text
    /// slope = max(0, (Σ (m_i - m̄)(z_i - z̄) + λ) / (Σ (m_i - m̄)² + λ)),   intercept = z̄ - slope · m̄,   λ = 1
    /// ```
    pub(crate) fn fit(means: &[f64], y: &[f64]) -> Self {
        let scaling = TargetScaling::standardize(y);
        let z = scaling.apply(y);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (m_mean, z_mean) = (mean(means), mean(&z));
        let with_z: f64 = means.iter().zip(&z).map(|(m, z)| (m - m_mean) * (z - z_mean)).sum();
        let squares: f64 = means.iter().map(|m| (m - m_mean).powi(2)).sum();
        let slope = ((with_z + RIDGE) / (squares + RIDGE)).max(0.0);
        let intercept = scaling.offset + scaling.width * (z_mean - slope * m_mean);
        Self { intercept, slope: slope * scaling.width }
    }

    pub(crate) fn at(self, mean: f64) -> f64 {
        self.intercept + self.slope * mean
    }
}

impl Trend {
    /// The [`Line`] of these means and targets.
    pub(crate) fn fit(source: Arc<dyn FittedSurrogate>, means: &[f64], y: &[f64]) -> Self {
        let Line { intercept, slope } = Line::fit(means, y);
        Self { source, intercept, slope }
    }

    pub(crate) fn of_means(&self, means: &mut [f64]) {
        means.iter_mut().for_each(|m| *m = self.intercept + self.slope * *m);
    }

    /// Values at some points.
    pub(crate) fn values(&self, x: PointsRef<'_>) -> Vec<f64> {
        let mut values = vec![0.0; x.len()];
        self.source.posterior().mean_into(x, &mut values);
        self.of_means(&mut values);
        values
    }

    fn has_gradient(&self) -> bool {
        self.source.posterior().gradient().is_some()
    }

    /// Gradients at m points, m×d and row-major.
    fn gradients(&self, x: PointsRef<'_>) -> Vec<f64> {
        let (n, d) = (x.len(), x.dim());
        let gradient = self.source.posterior().gradient().expect("a source with gradients");
        let (mut mean, mut variance, mut of_variance) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * d]);
        let mut slopes = vec![0.0; n * d];
        gradient.predict_with_gradient_into(x, &mut mean, &mut variance, &mut slopes, &mut of_variance);
        slopes.iter_mut().for_each(|slope| *slope *= self.slope);
        slopes
    }
}

/// Fitted model with a source: its trend plus a model of the residuals. The uncertainty is that of the residuals.
///
/// ```text
/// mean(x) = t(x) + r(x),   cov(x, x') = cov of the residuals
/// ```
pub(crate) struct Trended {
    pub(crate) trend: Trend,
    pub(crate) residual: Box<dyn FittedSurrogate>,
}

impl Trended {
    fn residuals(&self) -> &dyn Posterior {
        self.residual.posterior()
    }

    fn joint_residuals(&self) -> &dyn JointPosterior {
        self.residuals().joint().expect("residuals with joint covariances")
    }

    fn add_trend(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        mean.iter_mut().zip(self.trend.values(x)).for_each(|(mean, trend)| *mean += trend);
    }
}

impl Posterior for Trended {
    fn dim(&self) -> usize {
        self.residuals().dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.residuals().predict_into(x, mean, variance);
        self.add_trend(x, mean);
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        self.residuals().mean_into(x, mean);
        self.add_trend(x, mean);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        (self.trend.has_gradient() && self.residuals().gradient().is_some()).then_some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        self.residuals().joint().map(|_| self as &dyn JointPosterior)
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        (self.trend.has_gradient() && self.residuals().paths().is_some()).then_some(self)
    }
}

impl PosteriorGradient for Trended {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let residuals = self.residuals().gradient().expect("residuals with gradients");
        residuals.predict_with_gradient_into(x, mean, variance, mean_gradient, variance_gradient);
        self.add_trend(x, mean);
        mean_gradient.iter_mut().zip(self.trend.gradients(x)).for_each(|(slot, slope)| *slot += slope);
    }
}

impl JointPosterior for Trended {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.joint_residuals().covariance_into(x, out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        self.joint_residuals().cross_covariance_into(a, b, out);
    }

    fn prior_scale(&self) -> f64 {
        self.joint_residuals().prior_scale()
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        (self.trend.has_gradient() && self.joint_residuals().joint_gradient().is_some()).then_some(self)
    }
}

impl JointGradient for Trended {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let residuals = self.joint_residuals().joint_gradient().expect("residuals with joint gradients");
        residuals.pull_back_joint(x, of_mean, of_covariance, grad);
        let d = x.dim();
        for (i, slope) in self.trend.gradients(x).into_iter().enumerate() {
            grad[i] += of_mean[i / d] * slope;
        }
    }
}

/// Path of the residuals on the trend.
struct TrendedPath {
    trend: Trend,
    path: Box<dyn SamplePath>,
}

impl SamplePath for TrendedPath {
    fn dim(&self) -> usize {
        self.path.dim()
    }

    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.path.values_into(x, out);
        out.iter_mut().zip(self.trend.values(x)).for_each(|(slot, trend)| *slot += trend);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.path.value_with_gradient(x, gradient);
        let point = PointsRef::single(x);
        gradient.iter_mut().zip(self.trend.gradients(point)).for_each(|(slot, slope)| *slot += slope);
        value + self.trend.values(point)[0]
    }
}

impl PathSampler for Trended {
    fn sample_paths(&self, count: usize, rng: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>> {
        let paths = self.residuals().paths()?.sample_paths(count, rng)?;
        let on_trend =
            |path| -> Box<dyn SamplePath> { Box::new(TrendedPath { trend: self.trend.clone(), path }) };
        Some(paths.into_iter().map(on_trend).collect())
    }
}

impl FittedSurrogate for Trended {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.residual.hyperparameters()
    }

    fn learnt_from(&self) -> Option<usize> {
        self.residual.learnt_from()
    }

    fn joint_limit(&self) -> usize {
        self.residual.joint_limit()
    }

    fn noise_variance(&self) -> f64 {
        self.residual.noise_variance()
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let trend = self.trend.values(PointsRef::single(x))[0];
        let residual = self.residual.fantasize(x, y - trend)?;
        Ok(Box::new(Self { trend: self.trend.clone(), residual }))
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::{Domain, Points};
    use thrifty_gp::GpSurrogate;
    use thrifty_sampling::Seed;
    use thrifty_surrogate::{Observations, Surrogate};

    use super::*;

    /// The line passes through both averages, and its slope is the ridge regression's in units of the targets.
    #[test]
    fn the_line_passes_through_the_averages() {
        let x = Points::from_flat(vec![0.1, 0.5, 0.9], 1);
        let data = Observations::new(x.as_ref(), &[-1.0, 0.2, 0.8]);
        let (domain, mut rng) = (Domain::unit_cube(1), Seed(1).stream("fit", 0));
        let source: Arc<dyn FittedSurrogate> =
            Arc::from(GpSurrogate::default().fit(&domain, data, None, &mut rng).unwrap());
        let (means, centred) = ([-1.0, 0.5, 2.0, 2.5], [-2.0, -0.5, 1.0, 1.5]);
        for (scale, offset) in [(1.0, 0.0), (30.0, -700.0), (1e-3, 4.0)] {
            let y = [0.4, -0.2, 1.1, 2.7].map(|y| scale * y + offset);
            let trend = Trend::fit(Arc::clone(&source), &means, &y);
            // The averages of the means and of the targets are both 1.
            let at_average = trend.intercept + trend.slope;
            assert!((at_average - (scale + offset)).abs() < 1e-12 * offset.abs().max(scale), "{at_average}");
            // Products of centred values: 1.2 + 0.6 + 0.1 + 2.55; squares: 4 + 0.25 + 1 + 2.25.
            let width = TargetScaling::standardize(&y).width;
            let products: f64 = centred.iter().zip([-0.6, -1.2, 0.1, 1.7]).map(|(m, y)| m * y * scale).sum();
            let slope = (products + width) / (7.5 + 1.0);
            assert!((trend.slope / slope - 1.0).abs() < 1e-9, "{} {slope}", trend.slope);
        }
    }

    /// Means in the opposite order of the targets: the slope is 0, not negative, and the line is the average of the targets.
    #[test]
    fn a_source_of_the_opposite_order_has_a_flat_line() {
        let x = Points::from_flat(vec![0.1, 0.5, 0.9], 1);
        let data = Observations::new(x.as_ref(), &[-1.0, 0.2, 0.8]);
        let (domain, mut rng) = (Domain::unit_cube(1), Seed(1).stream("fit", 0));
        let source = GpSurrogate::default().fit(&domain, data, None, &mut rng).unwrap();
        let trend = Trend::fit(Arc::from(source), &[3.0, 1.0, -1.0, -3.0], &[10.0, 20.0, 30.0, 60.0]);
        let mut values = [5.0, 0.0, -7.0];
        trend.of_means(&mut values);
        assert!(values.iter().all(|value| (value - 30.0).abs() < 1e-12), "{values:?}");
    }

    /// The noise beside a trend, which is certain: that of the residuals.
    #[test]
    fn the_noise_is_that_of_the_residuals() {
        let x = Points::from_flat(vec![0.1, 0.3, 0.5, 0.7, 0.9], 1);
        let data = Observations::new(x.as_ref(), &[-1.0, 0.9, 0.2, -0.4, 0.8]);
        let (domain, mut rng) = (Domain::unit_cube(1), Seed(1).stream("fit", 0));
        let mut fit = || GpSurrogate::default().fit(&domain, data, None, &mut rng).unwrap();
        let (source, residual) = (fit(), fit());
        let noise = residual.noise_variance();
        let trend = Trend::fit(Arc::from(source), &[0.0, 1.0], &[1.0, 3.0]);
        assert_eq!(Trended { trend, residual }.noise_variance(), noise, "noise of the residuals");
    }
}

use thrifty_domain::PointsRef;
use thrifty_gp::{Gp, GpPosterior, GpSettings};
use thrifty_kernel::{
    Kernel, Matern12Profile, Matern32Profile, Matern52Profile, Radial, SquaredExponentialProfile,
};
use thrifty_sampling::Stream;
use thrifty_surrogate::Posterior;

/// Any error that crosses the seam between optimiser and model.
pub type ModelError = Box<dyn std::error::Error + Send + Sync>;

/// A surrogate chosen at run time.
pub trait Model: Send + Sync {
    /// Learns from points of the unit cube and their losses; `notes` are those of an earlier fit, to start from.
    ///
    /// # Errors
    /// Whatever keeps the model from learning.
    fn fit(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        notes: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError>;

    /// A text that differs whenever the model's settings do.
    fn fingerprint(&self) -> String;
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

/// A Gaussian process on the unit cube with the default kernel of its family.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, Default)]
pub struct GpModel {
    /// Which kernel.
    pub family: KernelFamily,
    /// What is assumed and how it is learnt.
    pub settings: GpSettings,
    /// Bounds of the lengthscales, if not the default ones; without a prior then: maximum likelihood.
    pub lengthscale_bounds: Option<(f64, f64)>,
}

impl GpModel {
    fn fit_family<R: Radial>(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        notes: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        let Some((low, high)) = self.lengthscale_bounds else {
            return finish(
                Gp::<thrifty_kernel::Scaled<thrifty_kernel::Stationary<R>>>::stationary(x.dim()),
                self,
                x,
                y,
                notes,
                rng,
            );
        };
        let middle = (low * high).sqrt();
        let kernel = thrifty_kernel::Stationary::<R>::new(vec![middle; x.dim()])?.with_bounds(low, high)?;
        finish(Gp::new(thrifty_kernel::Scaled::new(kernel, 1.0)?), self, x, y, notes, rng)
    }
}

fn finish<K: Kernel + Clone + 'static>(
    gp: Gp<K>,
    model: &GpModel,
    x: PointsRef<'_>,
    y: &[f64],
    notes: Option<&[f64]>,
    rng: &mut Stream,
) -> Result<Box<dyn Fitted>, ModelError> {
    let mut gp = gp.with_settings(model.settings.clone());
    if let Some(notes) = notes {
        gp = gp.warm_started(notes.to_vec());
    }
    Ok(Box::new(gp.fit(x, y, rng)?))
}

impl Model for GpModel {
    fn fit(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        notes: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        match self.family {
            KernelFamily::SquaredExponential => {
                self.fit_family::<SquaredExponentialProfile>(x, y, notes, rng)
            }
            KernelFamily::Matern12 => self.fit_family::<Matern12Profile>(x, y, notes, rng),
            KernelFamily::Matern32 => self.fit_family::<Matern32Profile>(x, y, notes, rng),
            KernelFamily::Matern52 => self.fit_family::<Matern52Profile>(x, y, notes, rng),
        }
    }

    fn fingerprint(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
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
}

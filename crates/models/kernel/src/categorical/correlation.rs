//! The parameters of categorical kernels.

use thrifty_params::Transform;

/// Correlation of two different levels as a function of the parameter of a categorical kernel.
pub trait CategoricalCorrelation: Send + Sync + Copy + Default + std::fmt::Debug + 'static {
    /// The name of the parameter.
    const NAME: &'static str;

    /// The correlation of two different levels.
    fn correlation(theta: f64) -> f64;

    /// `∂ ln correlation / ∂θ`.
    fn log_slope(theta: f64) -> f64;

    /// Lower and upper bound of the parameter, and the scale on which it is learnt.
    const LEARNT: (f64, f64, Transform);
}

/// Parameterisation by the correlation itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ByCorrelation;

/// Parameterisation by a lengthscale, with a distance of 1 between different levels: `ρ = exp(-1/ℓ)`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ByLengthscale;

impl CategoricalCorrelation for ByCorrelation {
    const NAME: &'static str = "correlation";
    const LEARNT: (f64, f64, Transform) = (1e-4, 1.0 - 1e-4, Transform::Logit);

    fn correlation(theta: f64) -> f64 {
        theta
    }

    fn log_slope(theta: f64) -> f64 {
        1.0 / theta
    }
}

impl CategoricalCorrelation for ByLengthscale {
    const NAME: &'static str = "lengthscale";
    const LEARNT: (f64, f64, Transform) = (0.1, 100.0, Transform::Log);

    fn correlation(theta: f64) -> f64 {
        (-1.0 / theta).exp()
    }

    fn log_slope(theta: f64) -> f64 {
        1.0 / (theta * theta)
    }
}

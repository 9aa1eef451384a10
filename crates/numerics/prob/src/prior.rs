//! Prior densities with derivatives.

mod build;
mod horseshoe;
mod sparse_axis;

use std::f64::consts::FRAC_2_PI;

use libm::lgamma as ln_gamma;

use crate::ProbError;
use crate::normal::LN_SQRT_TAU;

/// Prior of a hyperparameter: a density on its natural scale.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", try_from = "build::Unchecked")]
pub enum Prior {
    /// Normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation, positive.
        sd: f64,
    },
    /// Log-normal: `ln x` is normal.
    LogNormal {
        /// Mean of `ln x`.
        mu: f64,
        /// Standard deviation of `ln x`, positive.
        sigma: f64,
    },
    /// Gamma: `x^(shape-1) exp(-rate·x)`, x > 0.
    Gamma {
        /// Shape, positive.
        shape: f64,
        /// Rate, positive.
        rate: f64,
    },
    /// Inverse gamma: `x^(-shape-1) exp(-scale/x)`, x > 0.
    InverseGamma {
        /// Shape, positive.
        shape: f64,
        /// Scale, positive.
        scale: f64,
    },
    /// Beta: `x^(a-1) (1-x)^(b-1)`, 0 < x < 1.
    Beta {
        /// First shape, positive.
        a: f64,
        /// Second shape, positive.
        b: f64,
    },
    /// Half-Cauchy: `1 / (1 + (x/scale)²)`, x ≥ 0.
    HalfCauchy {
        /// Scale, positive.
        scale: f64,
    },
    /// Horseshoe on x > 0, by the mean of its two bounds: `ln(1 + 4A)/2 + ln(1 + 2A)`, `A = (scale/x)²`.
    Horseshoe {
        /// Scale, positive.
        scale: f64,
    },
    /// Sparse axis of a lengthscale x > 0: `1/x²` is half-Cauchy, so that most axes have no effect and a few have much.
    ///
    /// ```text
    /// p(x) = 4 / (π s x³ (1 + 1/(s x²)²))
    /// ```
    ///
    /// Source: Eriksson & Jankowiak (2021), "High-dimensional Bayesian optimization with sparse axis-aligned subspaces", section 4.1, given the
    /// global shrinkage s, whose scale is 0.1 there.
    SparseAxis {
        /// Scale s of `1/x²`, positive.
        scale: f64,
    },
    /// Uniform.
    Uniform {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

impl Prior {
    /// Checks the parameters: those of priors written as literals have not been.
    ///
    /// # Errors
    /// [`ProbError::InvalidParameter`] names the first that is out of range.
    pub fn validate(&self) -> Result<(), ProbError> {
        let name = self.name();
        let check = |parameter, value: f64, holds: bool, expected| {
            if holds && value.is_finite() {
                Ok(())
            } else {
                Err(ProbError::InvalidParameter { distribution: name, name: parameter, value, expected })
            }
        };
        let finite = |parameter, value| check(parameter, value, true, "a finite number");
        let positive = |parameter, value| check(parameter, value, value > 0.0, "a positive finite number");
        match *self {
            Self::Normal { mean, sd } => finite("mean", mean).and(positive("sd", sd)),
            Self::LogNormal { mu, sigma } => finite("mu", mu).and(positive("sigma", sigma)),
            Self::Gamma { shape, rate } => positive("shape", shape).and(positive("rate", rate)),
            Self::InverseGamma { shape, scale } => positive("shape", shape).and(positive("scale", scale)),
            Self::Beta { a, b } => positive("a", a).and(positive("b", b)),
            Self::HalfCauchy { scale } | Self::Horseshoe { scale } | Self::SparseAxis { scale } => {
                positive("scale", scale)
            }
            Self::Uniform { low, high } => {
                finite("low", low).and(check("high", high, high > low, "a finite number above low"))
            }
        }
    }

    /// The name in files: `log_normal` for [`Prior::LogNormal`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Normal { .. } => "normal",
            Self::LogNormal { .. } => "log_normal",
            Self::Gamma { .. } => "gamma",
            Self::InverseGamma { .. } => "inverse_gamma",
            Self::Beta { .. } => "beta",
            Self::HalfCauchy { .. } => "half_cauchy",
            Self::Horseshoe { .. } => "horseshoe",
            Self::SparseAxis { .. } => "sparse_axis",
            Self::Uniform { .. } => "uniform",
        }
    }

    /// Logarithm of the density; minus infinity outside the support.
    #[must_use]
    pub fn log_density(&self, x: f64) -> f64 {
        if !self.supports(x) {
            return f64::NEG_INFINITY;
        }
        match *self {
            Self::Normal { mean, sd } => -0.5 * ((x - mean) / sd).powi(2) - sd.ln() - LN_SQRT_TAU,
            Self::LogNormal { mu, sigma } => {
                -0.5 * ((x.ln() - mu) / sigma).powi(2) - x.ln() - sigma.ln() - LN_SQRT_TAU
            }
            Self::Gamma { shape, rate } => {
                shape * rate.ln() - ln_gamma(shape) + (shape - 1.0) * x.ln() - rate * x
            }
            Self::InverseGamma { shape, scale } => {
                shape * scale.ln() - ln_gamma(shape) - (shape + 1.0) * x.ln() - scale / x
            }
            Self::Beta { a, b } => {
                (a - 1.0) * x.ln() + (b - 1.0) * (-x).ln_1p() - (ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b))
            }
            Self::HalfCauchy { scale } => FRAC_2_PI.ln() - scale.ln() - ln_1p_square(1.0, x / scale),
            Self::Horseshoe { scale } => horseshoe::log_density(x, scale),
            Self::SparseAxis { scale } => sparse_axis::log_density(x, scale),
            Self::Uniform { low, high } => -(high - low).ln(),
        }
    }

    /// Derivative of the log density; 0 outside the support.
    #[must_use]
    pub fn derivative(&self, x: f64) -> f64 {
        if !self.supports(x) {
            return 0.0;
        }
        match *self {
            Self::Normal { mean, sd } => (mean - x) / sd / sd,
            Self::LogNormal { mu, sigma } => ((mu - x.ln()) / (sigma * sigma) - 1.0) / x,
            Self::Gamma { shape, rate } => (shape - 1.0) / x - rate,
            Self::InverseGamma { shape, scale } => (scale / x - shape - 1.0) / x,
            Self::Beta { a, b } => (a - 1.0) / x - (b - 1.0) / (1.0 - x),
            Self::HalfCauchy { scale } => -2.0 / (x + scale * (scale / x)),
            Self::Horseshoe { scale } => horseshoe::derivative(x, scale),
            Self::SparseAxis { scale } => sparse_axis::derivative(x, scale),
            Self::Uniform { .. } => 0.0,
        }
    }

    fn supports(&self, x: f64) -> bool {
        match *self {
            Self::Normal { .. } => x.is_finite(),
            Self::Beta { .. } => 0.0 < x && x < 1.0,
            Self::HalfCauchy { .. } => x >= 0.0 && x.is_finite(),
            Self::Uniform { low, high } => low <= x && x <= high,
            _ => x > 0.0 && x.is_finite(),
        }
    }
}

/// `ln(1 + c t²)`, also where t² overflows.
fn ln_1p_square(c: f64, t: f64) -> f64 {
    if t < 1e150 { (c * t * t).ln_1p() } else { c.ln() + 2.0 * t.ln() }
}

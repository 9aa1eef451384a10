//! Transforms of hyperparameters to unconstrained scales.

/// Transform from the natural scale θ to the scale u on which an optimiser moves a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Transform {
    /// `u = θ`.
    #[default]
    Identity,
    /// `u = ln θ`, for θ > 0.
    Log,
    /// `u = ln(θ / (1 - θ))`, for 0 < θ < 1.
    Logit,
}

impl Transform {
    /// `u(θ)`.
    #[must_use]
    pub fn forward(self, natural: f64) -> f64 {
        match self {
            Self::Identity => natural,
            Self::Log => natural.ln(),
            Self::Logit => natural.ln() - (-natural).ln_1p(),
        }
    }

    /// `θ(u)`.
    #[must_use]
    pub fn inverse(self, u: f64) -> f64 {
        match self {
            Self::Identity => u,
            Self::Log => u.exp(),
            // Each branch exponentiates a negative number: no overflow, no cancellation.
            Self::Logit if u >= 0.0 => 1.0 / (1.0 + (-u).exp()),
            Self::Logit => u.exp() / (1.0 + u.exp()),
        }
    }

    /// `dθ/du` at a natural value.
    #[must_use]
    pub fn slope(self, natural: f64) -> f64 {
        match self {
            Self::Identity => 1.0,
            Self::Log => natural,
            Self::Logit => natural * (1.0 - natural),
        }
    }

    /// `∂/∂θ ln(dθ/du)` at a natural value: the Jacobian's part in the gradient of a density on the scale of u.
    #[must_use]
    pub fn log_slope_derivative(self, natural: f64) -> f64 {
        match self {
            Self::Identity => 0.0,
            Self::Log => 1.0 / natural,
            Self::Logit => (1.0 - 2.0 * natural) / self.slope(natural),
        }
    }
}

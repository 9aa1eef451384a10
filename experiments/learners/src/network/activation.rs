//! Activation functions.

/// The function of a hidden neuron.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// `tanh z`
    Tanh,
    /// `1 / (1 + e^-z)`
    Sigmoid,
    /// `max(z, 0)`
    Relu,
}

impl Activation {
    /// The value at `z`.
    pub fn value(self, z: f64) -> f64 {
        match self {
            Self::Tanh => z.tanh(),
            Self::Sigmoid => 1.0 / (1.0 + (-z).exp()),
            Self::Relu => z.max(0.0),
        }
    }

    /// The slope where the value is `a`.
    pub fn slope(self, a: f64) -> f64 {
        match self {
            Self::Tanh => 1.0 - a * a,
            Self::Sigmoid => a * (1.0 - a),
            Self::Relu => f64::from(a > 0.0),
        }
    }
}

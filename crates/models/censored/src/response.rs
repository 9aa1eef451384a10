//! Exact and censored responses.

use crate::Side;

/// Observed response of a function f at a point, exact or censored; ε is normal noise.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// f + ε.
    Value(f64),
    /// f + ε ≤ this.
    AtMost(f64),
    /// f + ε ≥ this.
    AtLeast(f64),
}

impl Response {
    /// The sign of f + ε, as in probit classification: P(above) = Φ(f/σ), where σ is the standard deviation of ε.
    #[must_use]
    pub fn sign(above: bool) -> Self {
        if above { Self::AtLeast(0.0) } else { Self::AtMost(0.0) }
    }

    /// Response from an observation of max(f + ε, floor): a value above the floor, else a bound.
    #[must_use]
    pub fn clipped(y: f64, floor: f64) -> Self {
        if y <= floor { Self::AtMost(floor) } else { Self::Value(y) }
    }

    /// Response of -f.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Value(y) => Self::Value(-y),
            Self::AtMost(c) => Self::AtLeast(-c),
            Self::AtLeast(c) => Self::AtMost(-c),
        }
    }

    /// The value or the bound.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Value(c) | Self::AtMost(c) | Self::AtLeast(c) => c,
        }
    }

    /// The allowed side of its number; nothing for a value.
    pub(crate) fn side(self) -> Option<Side> {
        match self {
            Self::Value(_) => None,
            Self::AtMost(_) => Some(Side::Below),
            Self::AtLeast(_) => Some(Side::Above),
        }
    }
}

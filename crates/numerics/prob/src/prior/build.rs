//! Checked constructors of priors.

use super::Prior;
use crate::ProbError;

/// Every way to a prior that has been checked.
impl Prior {
    /// [`Prior::Normal`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn normal(mean: f64, sd: f64) -> Result<Self, ProbError> {
        Self::Normal { mean, sd }.validated()
    }

    /// [`Prior::LogNormal`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn log_normal(mu: f64, sigma: f64) -> Result<Self, ProbError> {
        Self::LogNormal { mu, sigma }.validated()
    }

    /// [`Prior::Gamma`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn gamma(shape: f64, rate: f64) -> Result<Self, ProbError> {
        Self::Gamma { shape, rate }.validated()
    }

    /// [`Prior::InverseGamma`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn inverse_gamma(shape: f64, scale: f64) -> Result<Self, ProbError> {
        Self::InverseGamma { shape, scale }.validated()
    }

    /// [`Prior::Beta`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn beta(a: f64, b: f64) -> Result<Self, ProbError> {
        Self::Beta { a, b }.validated()
    }

    /// [`Prior::HalfCauchy`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn half_cauchy(scale: f64) -> Result<Self, ProbError> {
        Self::HalfCauchy { scale }.validated()
    }

    /// [`Prior::Horseshoe`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn horseshoe(scale: f64) -> Result<Self, ProbError> {
        Self::Horseshoe { scale }.validated()
    }

    /// [`Prior::SparseAxis`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn sparse_axis(scale: f64) -> Result<Self, ProbError> {
        Self::SparseAxis { scale }.validated()
    }

    /// [`Prior::Uniform`], checked.
    ///
    /// # Errors
    /// As [`Prior::validate`].
    pub fn uniform(low: f64, high: f64) -> Result<Self, ProbError> {
        Self::Uniform { low, high }.validated()
    }

    fn validated(self) -> Result<Self, ProbError> {
        self.validate().map(|()| self)
    }
}

/// A prior as it is read, before its parameters are checked.
#[derive(serde::Deserialize)]
#[serde(rename = "Prior", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Unchecked {
    Normal { mean: f64, sd: f64 },
    LogNormal { mu: f64, sigma: f64 },
    Gamma { shape: f64, rate: f64 },
    InverseGamma { shape: f64, scale: f64 },
    Beta { a: f64, b: f64 },
    HalfCauchy { scale: f64 },
    Horseshoe { scale: f64 },
    SparseAxis { scale: f64 },
    Uniform { low: f64, high: f64 },
}

impl TryFrom<Unchecked> for Prior {
    type Error = ProbError;

    fn try_from(read: Unchecked) -> Result<Self, ProbError> {
        match read {
            Unchecked::Normal { mean, sd } => Self::normal(mean, sd),
            Unchecked::LogNormal { mu, sigma } => Self::log_normal(mu, sigma),
            Unchecked::Gamma { shape, rate } => Self::gamma(shape, rate),
            Unchecked::InverseGamma { shape, scale } => Self::inverse_gamma(shape, scale),
            Unchecked::Beta { a, b } => Self::beta(a, b),
            Unchecked::HalfCauchy { scale } => Self::half_cauchy(scale),
            Unchecked::Horseshoe { scale } => Self::horseshoe(scale),
            Unchecked::SparseAxis { scale } => Self::sparse_axis(scale),
            Unchecked::Uniform { low, high } => Self::uniform(low, high),
        }
    }
}

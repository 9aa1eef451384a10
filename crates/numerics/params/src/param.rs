//! Hyperparameters with bounds and priors.

use thrifty_prob::Prior;

use crate::{ParamsError, Transform};

/// One hyperparameter on its natural scale.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Param {
    /// Name, unique within its owner, like `lengthscale[2]`.
    pub name: String,
    /// Value now.
    pub value: f64,
    /// Smallest value allowed.
    pub low: f64,
    /// Largest value allowed; equal to `low`, or to it and the value, when the parameter is not to be learnt.
    pub high: f64,
    /// The scale on which it is learnt.
    pub transform: Transform,
    /// Prior density on the natural scale.
    pub prior: Option<Prior>,
}

impl Param {
    /// A positive parameter, learnt on the log scale within `[low, high]`.
    #[must_use]
    pub fn positive(name: impl Into<String>, value: f64, low: f64, high: f64) -> Self {
        Self { name: name.into(), value, low, high, transform: Transform::Log, prior: None }
    }

    /// Sets the prior.
    #[must_use]
    pub fn with_prior(mut self, prior: Option<Prior>) -> Self {
        self.prior = prior;
        self
    }

    /// Prefixes the name to `prefix.name`, so that the parameters of the parts of a composite stay distinct.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.name = format!("{prefix}.{}", self.name);
        self
    }
}

/// Natural values at which a search starts: the warm start, moved within the bounds, if it fits; else the current values. A warm start
/// fits if it has one finite value per parameter.
///
/// # Errors
/// [`ParamsError::OutOfBounds`] names the parameter to whose bounds a warm start cannot be moved: they are in the wrong order or NaN.
pub fn starting_values(params: &[Param], warm: Option<&[f64]>) -> Result<Vec<f64>, ParamsError> {
    match warm {
        Some(warm) if warm.len() == params.len() && warm.iter().all(|v| v.is_finite()) => {
            let within = |(v, p): (&f64, &Param)| {
                if p.low <= p.high { Ok(v.clamp(p.low, p.high)) } else { Err(ParamsError::out_of_bounds(p)) }
            };
            warm.iter().zip(params).map(within).collect()
        }
        _ => Ok(params.iter().map(|p| p.value).collect()),
    }
}

/// A model with hyperparameters.
pub trait Parameterized {
    /// The parameters in a fixed order. Take this snapshot once a fit: it allocates.
    fn params(&self) -> Vec<Param>;

    /// Gives all parameters new natural values, in the order of [`Parameterized::params`].
    ///
    /// # Panics
    /// When there are more or fewer values than parameters.
    fn set_params(&mut self, values: &[f64]);
}

impl<P: Parameterized + ?Sized> Parameterized for Box<P> {
    fn params(&self) -> Vec<Param> {
        (**self).params()
    }

    fn set_params(&mut self, values: &[f64]) {
        (**self).set_params(values);
    }
}

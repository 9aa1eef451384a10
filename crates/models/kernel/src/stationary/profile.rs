//! A profile with its parameters as they are learnt, and the form of stationary kernels in files.

use thrifty_params::Param;

use crate::hyper::Hyper;
use crate::{KernelError, Radial, Stationary};

/// A profile with values, bounds and priors of its parameters.
#[derive(Debug, Clone)]
pub(super) struct LearntProfile<R> {
    /// The profile at the values.
    pub(super) now: R,
    params: Vec<Hyper>,
}

/// The values decide what the profile is.
impl<R> PartialEq for LearntProfile<R> {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params
    }
}

impl<R: Radial> LearntProfile<R> {
    /// The profile at the values where learning starts.
    pub(super) fn at_start() -> Self {
        let params = R::PARAMS.iter().map(|param| {
            Hyper::positive(param.name, vec![param.start], param.low, param.high)
                .unwrap_or_else(|error| panic!("start of a profile parameter: {error}"))
        });
        Self::of(params.collect())
    }

    fn of(params: Vec<Hyper>) -> Self {
        let values: Vec<f64> = params.iter().map(Hyper::value).collect();
        Self { now: R::from_params(&values), params }
    }

    pub(super) fn params(&self) -> impl Iterator<Item = Param> {
        self.params.iter().zip(R::PARAMS).map(|(hyper, param)| hyper.only_param(param.name))
    }

    /// Takes all values.
    pub(super) fn set_params(&mut self, values: &[f64]) {
        assert_eq!(values.len(), R::PARAMS.len(), "one value per parameter of the profile");
        for (hyper, value) in self.params.iter_mut().zip(values) {
            hyper.take(std::slice::from_ref(value));
        }
        self.now = R::from_params(values);
    }

    /// The same with one parameter changed.
    pub(super) fn with_param(
        mut self,
        name: &str,
        change: impl FnOnce(Hyper) -> Result<Hyper, KernelError>,
    ) -> Result<Self, KernelError> {
        let p = R::PARAMS.iter().position(|param| param.name == name);
        let p = p.unwrap_or_else(|| panic!("profile {} has no parameter {name}", R::NAME));
        self.params[p] = change(self.params[p].clone())?;
        Ok(Self::of(self.params))
    }
}

/// A stationary kernel in a file. The profile's name keeps a kernel from being read back as another one.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Stored {
    lengthscales: Hyper,
    profile: Option<String>,
    /// Parameters of the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shape: Vec<Hyper>,
    /// The parameter of a rational-quadratic kernel in earlier files, which held no profile.
    #[serde(default, skip_serializing)]
    alpha: Option<Hyper>,
}

impl<R: Radial> From<Stationary<R>> for Stored {
    fn from(kernel: Stationary<R>) -> Self {
        let (lengthscales, shape) = (kernel.lengthscales, kernel.profile.params);
        Self { lengthscales, profile: Some(R::NAME.into()), shape, alpha: None }
    }
}

impl<R: Radial> TryFrom<Stored> for Stationary<R> {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let (found, shape) = match (stored.profile, stored.alpha) {
            (None, Some(alpha)) => ("rational_quadratic".into(), vec![alpha]),
            (Some(name), None) => (name, stored.shape),
            _ => return Err("expected a kernel with a profile".into()),
        };
        let (expected, count) = (R::NAME, R::PARAMS.len());
        if found != expected {
            return Err(format!("kernel is {found}, expected {expected}"));
        }
        if shape.len() != count {
            return Err(format!(
                "kernel {expected} has {} profile parameters, expected {count}",
                shape.len()
            ));
        }
        Ok(Self { lengthscales: stored.lengthscales, profile: LearntProfile::of(shape) })
    }
}

//! Profiles with parameters to be learnt.

use thrifty_params::Param;

use crate::hyperparameters::Hyperparameters;
use crate::{KernelError, ProfileParam, StationaryProfile};

/// A profile with values, bounds and priors of its parameters.
#[derive(Debug, Clone)]
pub(super) struct LearntProfile<R> {
    /// The profile at the values.
    pub(super) now: R,
    pub(super) params: Vec<Hyperparameters>,
}

/// Profiles with equal parameters are equal.
impl<R> PartialEq for LearntProfile<R> {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params
    }
}

impl<R: StationaryProfile> LearntProfile<R> {
    /// The profile at the values where learning starts.
    pub(super) fn at_start() -> Result<Self, KernelError> {
        let start = |param: &ProfileParam| {
            Hyperparameters::positive(param.name, vec![param.start], param.low, param.high)
        };
        Ok(Self::of(R::PARAMS.iter().map(start).collect::<Result<_, _>>()?))
    }

    pub(super) fn of(params: Vec<Hyperparameters>) -> Self {
        let values: Vec<f64> = params.iter().map(Hyperparameters::value).collect();
        Self { now: R::from_params(&values), params }
    }

    /// Snapshots of the parameters.
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

    /// Replaces one parameter.
    pub(super) fn with_param(
        mut self,
        name: &str,
        change: impl FnOnce(Hyperparameters) -> Result<Hyperparameters, KernelError>,
    ) -> Result<Self, KernelError> {
        let p = R::PARAMS.iter().position(|param| param.name == name);
        let p = p.unwrap_or_else(|| panic!("profile {} has no parameter {name}", R::NAME));
        self.params[p] = change(self.params[p].clone())?;
        Ok(Self::of(self.params))
    }
}

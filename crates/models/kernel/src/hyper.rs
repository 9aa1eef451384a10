//! The hyperparameters of one kind that a kernel holds: values, bounds for learning, a prior.

use thrifty_params::{Param, Transform};
use thrifty_prob::Prior;

use crate::KernelError;
use crate::error::{require_between_0_and_1, require_positive};

/// The prior of lengthscales on the unit cube of d dimensions: log-normal(√2 + ½ ln d, √3).
///
/// Distances between points of the cube grow with √d, and so does its median `4.1 √d`: the functions it believes
/// in are as hard to learn in 50 dimensions as in 5. With a prior that does not grow, every point looks
/// uncorrelated with every other from some ten dimensions on, and a search goes to the corners.
/// Source: Hvarfner, Hellsten & Nardi (2024), "Vanilla Bayesian optimization performs great in high dimensions".
#[must_use]
pub fn dimension_scaled_prior(dim: usize) -> Prior {
    Prior::LogNormal { mu: 2_f64.sqrt() + 0.5 * (dim.max(1) as f64).ln(), sigma: 3_f64.sqrt() }
}

/// Values of one kind, learnt within the same bounds under the same prior.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Hyper {
    pub(crate) values: Vec<f64>,
    low: f64,
    high: f64,
    transform: Transform,
    prior: Option<Prior>,
    /// One parameter stands for all values.
    #[serde(default, skip_serializing_if = "is_false")]
    shared: bool,
    /// Known, hence not among the parameters.
    #[serde(default, skip_serializing_if = "is_false")]
    fixed: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Hyper {
    /// Values within `(low, high)`, learnt on the scale of the transform, whose range they must lie in.
    pub(crate) fn new(
        name: &str,
        values: Vec<f64>,
        (low, high, transform): (f64, f64, Transform),
    ) -> Result<Self, KernelError> {
        let only = values.len() == 1;
        for (index, &value) in values.iter().enumerate() {
            require_range(transform, || if only { name.into() } else { format!("{name}[{index}]") }, value)?;
        }
        Ok(Self { values, low, high, transform, prior: None, shared: false, fixed: false })
    }

    /// Positive values on the log scale, within `[low, high]`.
    pub(crate) fn positive(name: &str, values: Vec<f64>, low: f64, high: f64) -> Result<Self, KernelError> {
        Self::new(name, values, (low, high, Transform::Log))
    }

    /// One correlation, strictly between 0 and 1, on the logit scale within `[1e-4, 1 - 1e-4]`.
    pub(crate) fn correlation(name: &str, value: f64) -> Result<Self, KernelError> {
        Self::new(name, vec![value], (1e-4, 1.0 - 1e-4, Transform::Logit))
    }

    /// The same with other bounds; the values move into them unless they are fixed.
    pub(crate) fn with_bounds(mut self, name: &str, low: f64, high: f64) -> Result<Self, KernelError> {
        for (which, bound) in [("lower", low), ("upper", high)] {
            require_range(self.transform, || format!("{which} bound of {name}"), bound)?;
        }
        if high < low {
            return Err(KernelError::EmptyBounds { name: name.into(), low, high });
        }
        (self.low, self.high) = (low, high);
        if !self.fixed {
            self.values.iter_mut().for_each(|value| *value = value.clamp(low, high));
        }
        Ok(self)
    }

    /// The same with another value, for a kind with only one.
    pub(crate) fn with_value(mut self, name: &str, value: f64) -> Result<Self, KernelError> {
        require_range(self.transform, || name.into(), value)?;
        self.values.fill(value);
        Ok(self)
    }

    pub(crate) fn with_prior(mut self, prior: Prior) -> Self {
        self.prior = Some(prior);
        self
    }

    /// The same with one parameter for all values, which are equal.
    pub(crate) fn shared(self) -> Self {
        Self { shared: true, ..self }
    }

    /// The same with the values known: they are not among the parameters.
    pub(crate) fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// Number of parameters.
    pub(crate) fn num_params(&self) -> usize {
        match (self.fixed, self.shared) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => self.values.len(),
        }
    }

    /// Which of the parameters value `i` is, where they are learnt.
    pub(crate) fn slot(&self, i: usize) -> usize {
        if self.shared { 0 } else { i }
    }

    /// The first value: that of a kind with only one.
    pub(crate) fn value(&self) -> f64 {
        self.values[0]
    }

    /// Snapshots named `name[i]`, or `name` of a shared value.
    pub(crate) fn params<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Param> + 'a {
        (0..self.num_params()).map(move |i| {
            self.param(if self.shared { name.into() } else { format!("{name}[{i}]") }, self.values[i])
        })
    }

    /// The snapshot of the only value, named `name`.
    pub(crate) fn only_param(&self, name: &str) -> Param {
        self.param(name.into(), self.value())
    }

    /// [`Hyper::only_param`], unless the value is known.
    pub(crate) fn learnt_param(&self, name: &str) -> Option<Param> {
        (!self.fixed).then(|| self.only_param(name))
    }

    fn param(&self, name: String, value: f64) -> Param {
        // A value given outside the bounds stays as it is and widens them.
        let (low, high) = (self.low.min(value), self.high.max(value));
        Param { name, value, low, high, transform: self.transform, prior: self.prior.clone() }
    }

    /// Takes new values from the front of `values` and returns the rest.
    pub(crate) fn take<'a>(&mut self, values: &'a [f64]) -> &'a [f64] {
        let (own, rest) = values.split_at(self.num_params());
        match own {
            [] => {}
            [value] => self.values.fill(*value),
            own => self.values.copy_from_slice(own),
        }
        rest
    }
}

fn require_range(transform: Transform, name: impl Fn() -> String, value: f64) -> Result<(), KernelError> {
    match transform {
        Transform::Identity => Ok(()),
        Transform::Log => require_positive(name, value),
        Transform::Logit => require_between_0_and_1(name, value),
    }
}

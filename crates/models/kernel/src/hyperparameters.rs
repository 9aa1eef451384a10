//! Hyperparameters of kernels.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use thrifty_params::{Param, Transform};
use thrifty_prob::Prior;

use crate::KernelError;
use crate::error::{require_between_0_and_1, require_positive};

/// Hyperparameters of one kind, such as the lengthscales of a kernel: values, bounds for learning and a prior, which are the
/// same for all values.
///
/// A building block for kernels; see [`Linear`](crate::Linear) for a short use of it. A value may be shared by all
/// dimensions, or fixed: then it is not among the parameters.
///
/// ```
/// use thrifty_kernel::Hyperparameters;
/// let mut lengthscales = Hyperparameters::positive("lengthscale", vec![0.5, 2.0], 0.01, 10.0)?;
/// let names: Vec<String> = lengthscales.params("lengthscale").map(|param| param.name).collect();
/// assert_eq!(names, ["lengthscale[0]", "lengthscale[1]"]);
/// assert_eq!(lengthscales.take(&[0.3, 0.4, 7.0]), [7.0]);
/// assert_eq!(lengthscales.values(), [0.3, 0.4]);
/// # Ok::<(), thrifty_kernel::KernelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Hyperparameters {
    pub(crate) values: Vec<f64>,
    low: f64,
    high: f64,
    transform: Transform,
    prior: Option<Prior>,
    /// One parameter stands for all values.
    #[serde(skip_serializing_if = "is_false")]
    shared: bool,
    /// Known, hence not among the parameters.
    #[serde(skip_serializing_if = "is_false")]
    fixed: bool,
}

/// Hyperparameters as they are in a file.
#[derive(serde::Deserialize)]
struct Unchecked {
    values: Vec<f64>,
    low: f64,
    high: f64,
    transform: Transform,
    prior: Option<Prior>,
    #[serde(default)]
    shared: bool,
    #[serde(default)]
    fixed: bool,
}

impl TryFrom<Unchecked> for Hyperparameters {
    type Error = KernelError;

    fn try_from(file: Unchecked) -> Result<Self, KernelError> {
        let Unchecked { values, low, high, transform, prior, shared, fixed } = file;
        let checked = Self::new("hyperparameter", values, (low, high, transform))?;
        check_bounds("hyperparameter", transform, low, high)?;
        if shared && checked.values.is_empty() {
            return Err(KernelError::Hyperparameters {
                problem: "shared hyperparameters without a value".into(),
            });
        }
        Ok(Self { prior, shared, fixed, ..checked })
    }
}

/// Reads hyperparameters that pass a check.
fn read<'de, D: Deserializer<'de>>(
    file: D,
    check: impl FnOnce(&Hyperparameters) -> Result<(), KernelError>,
) -> Result<Hyperparameters, D::Error> {
    let read = Hyperparameters::deserialize(file)?;
    check(&read).map_err(D::Error::custom)?;
    Ok(read)
}

/// Reads a positive hyperparameter of which there is one, and which is learnt.
///
/// # Errors
/// Those of the format, and for another number of values, a fixed one or one on another scale.
pub(crate) fn read_positive<'de, D: Deserializer<'de>>(file: D) -> Result<Hyperparameters, D::Error> {
    read(file, |own| own.require_one().and(own.require_own(Transform::Log, "expected one learnt value")))
}

/// Reads a positive hyperparameter of which there is one, and which may be fixed.
///
/// # Errors
/// Those of the format, and for another number of values or one on another scale.
pub(crate) fn read_known_or_positive<'de, D: Deserializer<'de>>(
    file: D,
) -> Result<Hyperparameters, D::Error> {
    read(file, |own| own.require_one().and(own.require_scale(Transform::Log)))
}

/// Reads a correlation of which there is one, and which is learnt.
///
/// # Errors
/// Those of the format, and for another number of values, a fixed one or one on another scale.
pub(crate) fn read_correlation<'de, D: Deserializer<'de>>(file: D) -> Result<Hyperparameters, D::Error> {
    let expected = "expected one learnt correlation";
    read(file, |own| own.require_one().and(own.require_own(Transform::Logit, expected)))
}

/// Reads positive hyperparameters of which each is learnt for itself.
///
/// # Errors
/// Those of the format, and for values that are shared, fixed or on another scale.
pub(crate) fn read_each_positive<'de, D: Deserializer<'de>>(file: D) -> Result<Hyperparameters, D::Error> {
    read(file, |own| own.require_own(Transform::Log, "expected a learnt value per dimension"))
}

/// Reads lengthscales of which there is one at least, and each is learnt for itself.
///
/// # Errors
/// As [`read_each_positive`], and for none.
pub(crate) fn read_lengthscales<'de, D: Deserializer<'de>>(file: D) -> Result<Hyperparameters, D::Error> {
    let read = read_each_positive(file)?;
    if read.values.is_empty() { Err(D::Error::custom(KernelError::NoLengthscales)) } else { Ok(read) }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Hyperparameters {
    /// Values learnt within `(low, high)` on the scale of the transform, in whose range they lie. Errors call them by
    /// `name`.
    ///
    /// # Errors
    /// [`KernelError`] names a value outside the range of the transform.
    pub fn new(
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

    /// Positive values, learnt on the log scale within `[low, high]`.
    ///
    /// # Errors
    /// [`KernelError::NotPositive`] names a value that is not positive and finite.
    pub fn positive(name: &str, values: Vec<f64>, low: f64, high: f64) -> Result<Self, KernelError> {
        Self::new(name, values, (low, high, Transform::Log))
    }

    /// One correlation, strictly between 0 and 1, learnt on the logit scale within `[1e-4, 1 - 1e-4]`.
    ///
    /// # Errors
    /// [`KernelError::NotBetween0And1`] when it is not.
    pub fn correlation(name: &str, value: f64) -> Result<Self, KernelError> {
        Self::new(name, vec![value], (1e-4, 1.0 - 1e-4, Transform::Logit))
    }

    /// Replaces the bounds; values that are not fixed are clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] for bounds outside the range of the transform or in the wrong order.
    pub fn with_bounds(mut self, name: &str, low: f64, high: f64) -> Result<Self, KernelError> {
        check_bounds(name, self.transform, low, high)?;
        (self.low, self.high) = (low, high);
        if !self.fixed {
            self.values.iter_mut().for_each(|value| *value = value.clamp(low, high));
        }
        Ok(self)
    }

    /// Sets all values to `value`.
    ///
    /// # Errors
    /// [`KernelError`] for a value outside the range of the transform.
    pub fn with_value(mut self, name: &str, value: f64) -> Result<Self, KernelError> {
        require_range(self.transform, || name.into(), value)?;
        self.values.fill(value);
        Ok(self)
    }

    /// Sets a prior for each hyperparameter.
    #[must_use]
    pub fn with_prior(mut self, prior: Prior) -> Self {
        self.prior = Some(prior);
        self
    }

    /// Ties all values to one parameter; they become equal to the first.
    #[must_use]
    pub fn shared(mut self) -> Self {
        let first = self.value();
        self.values.fill(first);
        Self { shared: true, ..self }
    }

    /// Fixes the values: they are not among the parameters.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// Number of parameters: one per value, one if it is shared, none if it is fixed.
    #[must_use]
    pub fn num_params(&self) -> usize {
        match (self.fixed, self.shared) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => self.values.len(),
        }
    }

    /// The index of the parameter that value `i` belongs to, unless it is fixed.
    #[must_use]
    pub fn slot(&self, i: usize) -> usize {
        if self.shared { 0 } else { i }
    }

    /// Checks values from a file that a kernel takes on one scale, each a parameter of its own: `expected` names these.
    pub(crate) fn require_own(&self, transform: Transform, expected: &str) -> Result<(), KernelError> {
        if self.shared || self.fixed {
            let problem = format!("hyperparameters that are shared or fixed, {expected}");
            return Err(KernelError::Hyperparameters { problem });
        }
        self.require_scale(transform)
    }

    /// Checks values from a file that a kernel takes on one scale, and of which one may stand for all: `expected` names these.
    pub(crate) fn require_learnt(&self, transform: Transform, expected: &str) -> Result<(), KernelError> {
        if self.fixed {
            let problem = format!("hyperparameters that are fixed, {expected}");
            return Err(KernelError::Hyperparameters { problem });
        }
        self.require_scale(transform)
    }

    fn require_one(&self) -> Result<(), KernelError> {
        match self.values.len() {
            1 => Ok(()),
            count => {
                let problem = format!("{count} values of a hyperparameter, expected 1");
                Err(KernelError::Hyperparameters { problem })
            }
        }
    }

    fn require_scale(&self, transform: Transform) -> Result<(), KernelError> {
        if self.transform == transform {
            return Ok(());
        }
        let problem = format!("hyperparameters with transform {:?}, expected {transform:?}", self.transform);
        Err(KernelError::Hyperparameters { problem })
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The first value, for a kind with a single value.
    ///
    /// # Panics
    /// For no values.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.values[0]
    }

    /// Snapshots of the parameters, named `name[i]`, or `name` if they are shared.
    pub fn params<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Param> + 'a {
        (0..self.num_params()).map(move |i| {
            self.param(if self.shared { name.into() } else { format!("{name}[{i}]") }, self.values[i])
        })
    }

    /// Snapshot of the first value, named `name`.
    pub(crate) fn only_param(&self, name: &str) -> Param {
        self.param(name.into(), self.value())
    }

    /// Snapshot of the first value, named `name`, for a kind with a single value; `None` if it is fixed.
    #[must_use]
    pub fn learnt_param(&self, name: &str) -> Option<Param> {
        (!self.fixed).then(|| self.only_param(name))
    }

    fn param(&self, name: String, value: f64) -> Param {
        // A value given outside the bounds stays as it is and widens them.
        let (low, high) = (self.low.min(value), self.high.max(value));
        Param { name, value, low, high, transform: self.transform, prior: self.prior.clone() }
    }

    /// Takes new values from the front of `values`, one per parameter, and returns the rest.
    ///
    /// # Panics
    /// For fewer values than parameters.
    pub fn take<'a>(&mut self, values: &'a [f64]) -> &'a [f64] {
        let (own, rest) = values.split_at(self.num_params());
        match own {
            [] => {}
            [value] => self.values.fill(*value),
            own => self.values.copy_from_slice(own),
        }
        rest
    }
}

/// Refuses bounds outside the range of the transform or in the wrong order.
fn check_bounds(name: &str, transform: Transform, low: f64, high: f64) -> Result<(), KernelError> {
    for (which, bound) in [("lower", low), ("upper", high)] {
        require_range(transform, || format!("{which} bound of {name}"), bound)?;
    }
    if high < low {
        return Err(KernelError::EmptyBounds { name: name.into(), low, high });
    }
    Ok(())
}

fn require_range(transform: Transform, name: impl Fn() -> String, value: f64) -> Result<(), KernelError> {
    match transform {
        Transform::Identity => Ok(()),
        Transform::Log => require_positive(name, value),
        Transform::Logit => require_between_0_and_1(name, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(hyperparameters: &Hyperparameters) -> Vec<String> {
        hyperparameters.params("l").map(|param| param.name).collect()
    }

    #[test]
    fn shared_values_are_one_parameter_and_fixed_ones_none() {
        let own = Hyperparameters::positive("l", vec![2.0, 3.0], 0.1, 10.0).unwrap();
        assert_eq!((names(&own), own.num_params()), (vec!["l[0]".into(), "l[1]".into()], 2));
        let mut shared = own.clone().shared();
        assert_eq!((names(&shared), shared.values()), (vec!["l".into()], [2.0, 2.0].as_slice()));
        assert_eq!(shared.take(&[5.0, 7.0]), [7.0]);
        assert_eq!((shared.values(), shared.slot(1)), ([5.0, 5.0].as_slice(), 0));
        let mut fixed = own.fixed();
        assert_eq!((names(&fixed), fixed.num_params(), fixed.learnt_param("l")), (Vec::new(), 0, None));
        assert_eq!(fixed.take(&[5.0, 7.0]), [5.0, 7.0]);
        assert_eq!(fixed.with_bounds("l", 4.0, 5.0).unwrap().values(), [2.0, 3.0]);
    }

    #[test]
    fn bounds_are_held_to_the_range_of_the_transform() {
        let correlation = Hyperparameters::correlation("c", 0.5).unwrap();
        assert_eq!(correlation.clone().with_bounds("c", 0.6, 0.9).unwrap().value(), 0.6);
        let error = correlation.clone().with_bounds("c", 0.1, 1.5).unwrap_err();
        assert_eq!(error, KernelError::NotBetween0And1 { name: "upper bound of c".into(), value: 1.5 });
        assert!(correlation.with_bounds("c", 0.9, 0.1).is_err());
        assert!(Hyperparameters::correlation("c", 1.0).is_err());
        let any = Hyperparameters::new("x", vec![-3.0], (-5.0, 5.0, Transform::Identity)).unwrap();
        assert_eq!(any.with_bounds("x", -2.0, 2.0).unwrap().value(), -2.0);
    }
}

//! The seam between models and optimisers.

use std::sync::Arc;

use thrifty_domain::{Domain, Points};
use thrifty_sampling::Stream;

use crate::{Description, InputError, Member, Observations, Posterior, Prediction};

/// A model that is fitted to data and predicts: the seam between models and optimisers.
///
/// Object-safe, so that an optimiser takes any: a Gaussian process with a kernel of one's own, a random forest, a network. Fitting
/// reads the settings only, so one surrogate serves several outputs at a time. An implementation is tested with
/// [`contract::surrogate`](crate::contract::surrogate).
pub trait Surrogate: Send + Sync {
    /// Fits the model to observations on a domain.
    ///
    /// `warm_start` are the [hyperparameters](FittedSurrogate::hyperparameters) of an earlier fit; a model may start
    /// from them or ignore them. All randomness comes from `rng`.
    ///
    /// # Errors
    /// [`SurrogateError`]: data that no model can use, or a fit that fails.
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError>;

    /// Fits the model where an earlier fit to the beginning of the data is known.
    ///
    /// A model whose hyperparameters are dear may keep those of the earlier fit as long as the new observations agree with them. Unless
    /// it says otherwise it fits anew, from them.
    ///
    /// # Errors
    /// As [`Surrogate::fit`].
    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.fit(domain, data, Some(earlier.hyperparameters), rng)
    }

    /// Surrogate of outputs other than the objective: constraints and the cost. Nothing if it is this one.
    ///
    /// A surrogate that holds knowledge about the objective alone, such as data of earlier tasks or a floor, names another.
    fn for_other_outputs(&self) -> Option<&dyn Surrogate> {
        None
    }

    /// True for a surrogate that has learnt the objective from other data than the observations, such as earlier tasks.
    ///
    /// An optimiser may begin with a shorter initial design.
    fn has_earlier_data(&self) -> bool {
        false
    }

    /// This surrogate for observations on another scale. Nothing if it has no number in units of the observations.
    ///
    /// `scale` is an increasing map. An optimiser that transforms losses fits the surrogate on their scale. A surrogate with a number in units of
    /// the observations, such as a floor, maps the number. One whose numbers are in units of the scale on which it is fitted has none to map.
    fn on_scale(&self, _scale: &dyn Fn(f64) -> f64) -> Option<Box<dyn Surrogate>> {
        None
    }

    /// This surrogate for an output that matters most near a value, such as a constraint near 0. Nothing if it has no use for it.
    ///
    /// A surrogate that keeps a part of many observations keeps those near the value, instead of the lowest. The value is in units of the
    /// observations.
    fn near(&self, _value: f64) -> Option<Box<dyn Surrogate>> {
        None
    }

    /// This surrogate for observations of a function that is constant in pieces, such as one of a number that is rounded. Nothing if it has no use
    /// for it.
    ///
    /// Observations have no noise there; the steps that a smooth model cannot follow are noise to this one.
    fn in_pieces(&self) -> Option<Box<dyn Surrogate>> {
        None
    }

    /// Name and settings: all that the posterior depends on besides data and random numbers.
    ///
    /// # Errors
    /// [`SurrogateError`] for settings that cannot be written.
    fn describe(&self) -> Result<Description, SurrogateError>;
}

/// Hyperparameters of an earlier fit, and the number of observations that they were learnt from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlierFit<'a> {
    /// Values of [`FittedSurrogate::hyperparameters`].
    pub hyperparameters: &'a [f64],
    /// Value of [`FittedSurrogate::learnt_from`]; nothing if the model does not say.
    pub learnt_from: Option<usize>,
}

/// Number of points up to which joint distributions are cheap beside a fit.
pub const JOINT_LIMIT: usize = 1000;

/// A surrogate after data.
pub trait FittedSurrogate: Send + Sync {
    /// Posterior of the latent function, without noise.
    fn posterior(&self) -> &dyn Posterior;

    /// Hyperparameters, from which the next fit may start. Empty for a model without any.
    fn hyperparameters(&self) -> Vec<f64>;

    /// Number of observations that the hyperparameters were learnt from, which may be fewer than those that the model is conditioned on;
    /// nothing for a model that learns them in every fit.
    fn learnt_from(&self) -> Option<usize> {
        None
    }

    /// Members of a mixture, of which the posterior has the moments; none for a single model.
    ///
    /// A utility that is no function of two moments is averaged over them.
    fn members(&self) -> &[Member] {
        &[]
    }

    /// Number of members that could not be conditioned on the data and are left out; 0 for a single model.
    fn lost_members(&self) -> usize {
        0
    }

    /// Largest number of observed points of which joint distributions are to be computed, which costs its cube; 1,000 unless the model bounds
    /// its own observations by another number.
    fn joint_limit(&self) -> usize {
        JOINT_LIMIT
    }

    /// Variance of the noise of a new observation, in squared units of the targets; 0 for a model without noise.
    fn noise_variance(&self) -> f64 {
        0.0
    }

    /// Mean and variance of a new observation at a point: those of the latent function, plus
    /// [`noise_variance`](FittedSurrogate::noise_variance).
    fn predict_observed(&self, x: &[f64]) -> Prediction {
        self.posterior().predict(x).with_noise(self.noise_variance())
    }

    /// Mean and variance of each observation, predicted from all others with the hyperparameters as they are and with the noise in the
    /// variance, in the order of the data; nothing for a model without a formula for it.
    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        None
    }

    /// Changes of the means of [`leave_one_out`](Self::leave_one_out) where the observations change by these, in their order, with the
    /// hyperparameters as they are; nothing for a model without a formula for it.
    fn leave_one_out_change(&self, _change: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// The model conditioned on one more observation, with the hyperparameters as they are.
    ///
    /// # Errors
    /// [`SurrogateError`]: numerical breakdown, as at a point that is already among the data.
    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError>;
}

/// Surrogates behind a pointer.
macro_rules! forward {
    ($pointer:ident) => {
        impl<S: Surrogate + ?Sized> Surrogate for $pointer<S> {
            fn fit(
                &self,
                domain: &Domain,
                data: Observations<'_>,
                warm_start: Option<&[f64]>,
                rng: &mut Stream,
            ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
                (**self).fit(domain, data, warm_start, rng)
            }

            fn update(
                &self,
                domain: &Domain,
                data: Observations<'_>,
                earlier: EarlierFit<'_>,
                rng: &mut Stream,
            ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
                (**self).update(domain, data, earlier, rng)
            }

            fn for_other_outputs(&self) -> Option<&dyn Surrogate> {
                (**self).for_other_outputs()
            }

            fn has_earlier_data(&self) -> bool {
                (**self).has_earlier_data()
            }

            fn on_scale(&self, scale: &dyn Fn(f64) -> f64) -> Option<Box<dyn Surrogate>> {
                (**self).on_scale(scale)
            }

            fn near(&self, value: f64) -> Option<Box<dyn Surrogate>> {
                (**self).near(value)
            }

            fn in_pieces(&self) -> Option<Box<dyn Surrogate>> {
                (**self).in_pieces()
            }

            fn describe(&self) -> Result<Description, SurrogateError> {
                (**self).describe()
            }
        }
    };
}

forward!(Box);
forward!(Arc);

/// A surrogate that could not be fitted, conditioned or described, or whose predictions are invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SurrogateError {
    /// Data that no model can use.
    #[error(transparent)]
    Observations(#[from] InputError),
    /// A model failed for a reason of its own.
    #[error("{surrogate}: {source}")]
    Failed {
        /// Name of the surrogate.
        surrogate: String,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A posterior of another dimension than the domain.
    #[error("{surrogate}: posterior of dimension {found} on a domain of dimension {expected}")]
    Dimension {
        /// Name of the surrogate.
        surrogate: String,
        /// Dimension of the posterior.
        found: usize,
        /// Dimension of the domain.
        expected: usize,
    },
    /// A prediction outside its range.
    #[error("{surrogate}: {quantity} {value} at {point:?}, expected {expected}")]
    InvalidPrediction {
        /// Name of the surrogate.
        surrogate: String,
        /// `mean`, `variance` or `noise variance`.
        quantity: &'static str,
        /// The value.
        value: f64,
        /// The point.
        point: Vec<f64>,
        /// The range.
        expected: &'static str,
    },
}

impl SurrogateError {
    /// A failure of a named surrogate.
    pub fn failed(
        surrogate: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { surrogate: surrogate.into(), source: source.into() }
    }
}

/// Largest number of points at which [`fit_checked`] predicts.
const CHECKED: usize = 32;

/// Fits a surrogate, from an earlier fit if there is one, and checks what it returns: the dimension of the posterior, and finite means and non-negative variances at
/// up to 32 points of the data.
///
/// Optimisers fit through this function, so that a defect of a model is an error that names the model and the point, not a
/// strange suggestion. Cost: 32 predictions.
///
/// # Errors
/// [`SurrogateError`]: those of [`Surrogate::update`], [`SurrogateError::Dimension`] and [`SurrogateError::InvalidPrediction`].
pub fn fit_checked(
    surrogate: &dyn Surrogate,
    domain: &Domain,
    data: Observations<'_>,
    earlier: Option<EarlierFit<'_>>,
    rng: &mut Stream,
) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
    data.check(domain.dim())?;
    let fitted = match earlier {
        Some(earlier) => surrogate.update(domain, data, earlier, rng)?,
        None => surrogate.fit(domain, data, None, rng)?,
    };
    let name = || surrogate.describe().map_or_else(|_| "surrogate".to_owned(), |found| found.name);
    let (found, expected) = (fitted.posterior().dim(), domain.dim());
    if found != expected {
        return Err(SurrogateError::Dimension { surrogate: name(), found, expected });
    }
    let invalid = |quantity, value, point: &[f64], expected| SurrogateError::InvalidPrediction {
        surrogate: name(),
        quantity,
        value,
        point: point.to_vec(),
        expected,
    };
    let noise = fitted.noise_variance();
    if !(noise >= 0.0 && noise.is_finite()) {
        return Err(invalid("noise variance", noise, data.x.row(0), "a finite number from 0"));
    }
    let mut points = Points::new(expected);
    data.x.rows().step_by(data.len().div_ceil(CHECKED)).for_each(|row| points.push(row));
    let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    fitted.posterior().predict_into(points.as_ref(), &mut mean, &mut variance);
    for (i, point) in points.rows().enumerate() {
        if !mean[i].is_finite() {
            return Err(invalid("mean", mean[i], point, "a finite number"));
        }
        if !(variance[i] >= 0.0 && variance[i].is_finite()) {
            return Err(invalid("variance", variance[i], point, "a finite number from 0"));
        }
    }
    Ok(fitted)
}

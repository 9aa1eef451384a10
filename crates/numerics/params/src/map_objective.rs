//! Maximum a posteriori objective of hyperparameters.

use crate::{Param, Parameterized};

/// A model with a log likelihood in its hyperparameters.
pub trait LogLikelihood: Parameterized {
    /// Error of a likelihood that cannot be computed.
    type Error;

    /// The log likelihood at the current parameters; overwrites `gradient` with its derivatives with respect to
    /// the natural values, in the order of [`Parameterized::params`].
    ///
    /// # Errors
    /// Numerical breakdown, such as a covariance that is not positive definite.
    ///
    /// # Panics
    /// When the gradient is not as long as there are parameters.
    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, Self::Error>;

    /// The log likelihood alone, where that costs less; equal to that with its gradient but for rounding.
    ///
    /// # Errors
    /// As [`LogLikelihood::log_likelihood`].
    fn log_likelihood_value(&mut self) -> Result<f64, Self::Error> {
        let mut gradient = vec![0.0; self.params().len()];
        self.log_likelihood(&mut gradient)
    }

    /// A model of the curvature of minus the log likelihood where its gradient was last computed: positive semi-definite, row by row, for
    /// the natural values. False where there is none.
    fn information(&mut self, out: &mut [f64]) -> bool {
        let _ = out;
        false
    }
}

/// Error of hyperparameters that cannot be fitted.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ParamsError {
    /// A value lies outside its bounds, or a bound outside the range of its transform.
    #[error("parameter {name} is {value}, expected a value in [{low}, {high}] for transform {transform:?}")]
    OutOfBounds {
        /// The parameter.
        name: String,
        /// Its value.
        value: f64,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
        /// Its transform.
        transform: crate::Transform,
    },
    /// A prior makes no sense.
    #[error("prior of parameter {name}: {problem}")]
    InvalidPrior {
        /// The parameter.
        name: String,
        /// The problem with the prior.
        problem: thrifty_prob::ProbError,
    },
}

impl ParamsError {
    pub(crate) fn out_of_bounds(p: &Param) -> Self {
        let (name, transform) = (p.name.clone(), p.transform);
        Self::OutOfBounds { name, value: p.value, low: p.low, high: p.high, transform }
    }
}

/// Checks that values lie within their bounds, bounds within the range of their transforms, and that priors make sense.
pub(crate) fn check_params(params: &[Param]) -> Result<(), ParamsError> {
    for p in params {
        let valid = |v: f64| p.transform.forward(v).is_finite();
        if !(p.low <= p.value && p.value <= p.high && valid(p.low) && valid(p.high)) {
            return Err(ParamsError::out_of_bounds(p));
        }
    }
    for p in params {
        if let Some(Err(problem)) = p.prior.as_ref().map(thrifty_prob::Prior::validate) {
            return Err(ParamsError::InvalidPrior { name: p.name.clone(), problem });
        }
    }
    Ok(())
}

/// The negative log posterior on the optimiser's scale: minimise it for the maximum a posteriori.
///
/// ```text
/// J(u) = -log p(y | θ(u)) - Σ log π(θ_i(u)),   ∂J/∂u_i = ∂J/∂θ_i · dθ_i/du_i
/// ```
///
/// Without priors this is maximum likelihood. A likelihood that fails has the value infinity, which line
/// searches reject.
pub struct MapObjective<'a, L> {
    likelihood: &'a mut L,
    params: Vec<Param>,
    natural: Vec<f64>,
}

impl<'a, L: LogLikelihood> MapObjective<'a, L> {
    /// The objective of a likelihood.
    ///
    /// # Errors
    /// [`ParamsError`] names a parameter whose value, bounds or prior make no sense.
    pub fn new(likelihood: &'a mut L) -> Result<Self, ParamsError> {
        let params = likelihood.params();
        check_params(&params)?;
        let natural = vec![0.0; params.len()];
        Ok(Self { likelihood, params, natural })
    }

    /// The parameters as they were at the start.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Bounds on the optimiser's scale.
    #[must_use]
    pub fn bounds(&self) -> Vec<(f64, f64)> {
        self.params.iter().map(|p| (p.transform.forward(p.low), p.transform.forward(p.high))).collect()
    }

    /// The starting values on the optimiser's scale.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.params.iter().map(|p| p.transform.forward(p.value)).collect()
    }

    /// Natural values of a point on the optimiser's scale, clamped against rounding.
    #[must_use]
    pub fn natural(&self, u: &[f64]) -> Vec<f64> {
        self.params.iter().zip(u).map(|(p, &u)| p.transform.inverse(u).clamp(p.low, p.high)).collect()
    }

    /// `J(u)`, overwriting `gradient` with `∂J/∂u`; infinity where the likelihood fails.
    pub fn value_and_gradient(&mut self, u: &[f64], gradient: &mut [f64]) -> f64 {
        for ((natural, p), &u) in self.natural.iter_mut().zip(&self.params).zip(u) {
            *natural = p.transform.inverse(u).clamp(p.low, p.high);
        }
        self.likelihood.set_params(&self.natural);
        let Ok(mut posterior) = self.likelihood.log_likelihood(gradient) else { return f64::INFINITY };
        for ((slot, p), &natural) in gradient.iter_mut().zip(&self.params).zip(&self.natural) {
            if let Some(prior) = &p.prior {
                posterior += prior.log_density(natural);
                *slot += prior.derivative(natural);
            }
            *slot *= -p.transform.slope(natural);
        }
        -posterior
    }

    /// A model of the curvature of J in u where its gradient was last computed, row by row: `dθ_i/du_i I_ij dθ_j/du_j` of the
    /// likelihood's [information](LogLikelihood::information). Priors are not in it. False where there is none.
    pub fn curvature(&mut self, out: &mut [f64]) -> bool {
        if self.params.is_empty() {
            return true;
        }
        if !self.likelihood.information(out) {
            return false;
        }
        let slopes: Vec<f64> =
            self.params.iter().zip(&self.natural).map(|(p, natural)| p.transform.slope(*natural)).collect();
        for (row, of_row) in out.chunks_exact_mut(slopes.len()).zip(&slopes) {
            row.iter_mut().zip(&slopes).for_each(|(entry, of_column)| *entry *= of_row * of_column);
        }
        true
    }
}

//! Cost weights, optionally with cooling.

use crate::{AcquisitionError, Utility};
use thrifty_check::number;

/// Logarithm of one over the expected cost of an evaluation, from a posterior of the log cost.
///
/// ```text
/// -η ln E[cost] = -η (μ + σ²/2),   ln cost ~ N(μ, σ²)
/// ```
///
/// Used as a weight in [`Weighted`](crate::Weighted), it gives any utility per unit of cost. η = 1 counts the cost fully, η = 0 not at all;
/// lowering η as the budget runs out is cost cooling. Costs are positive: model their logarithm.
/// Source: Snoek et al. (2012), section 3.2; cooling: Lee et al. (2020); departure: the mean of the log-normal cost, while they use the
/// cost at the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogInverseCost {
    exponent: f64,
}

impl LogInverseCost {
    /// A weight with exponent η ≥ 0.
    ///
    /// # Errors
    /// [`InputError::Number`](thrifty_check::InputError::Number) when it is negative or not finite.
    pub fn new(exponent: f64) -> Result<Self, AcquisitionError> {
        Ok(Self { exponent: number("cost exponent", exponent, exponent >= 0.0, "a finite number from 0")? })
    }

    /// Weight whose exponent is the unspent share of a budget: `η = (total - spent)/(total - initial)`, between 0 and
    /// 1.
    ///
    /// # Errors
    /// [`InputError::Number`](thrifty_check::InputError::Number) for a total not above the initial cost, or a number that is not finite.
    pub fn cooled(total: f64, initial: f64, spent: f64) -> Result<Self, AcquisitionError> {
        number("initial cost", initial, initial >= 0.0, "a finite number from 0")?;
        number("budget", total, total > initial, "more than the initial cost")?;
        number("cost spent", spent, spent >= 0.0, "a finite number from 0")?;
        Self::new(((total - spent) / (total - initial)).clamp(0.0, 1.0))
    }

    /// η.
    #[must_use]
    pub fn exponent(&self) -> f64 {
        self.exponent
    }
}

impl Default for LogInverseCost {
    /// η = 1.
    fn default() -> Self {
        Self { exponent: 1.0 }
    }
}

impl Utility for LogInverseCost {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        -self.exponent * (mean + 0.5 * std_dev * std_dev)
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        (self.value(mean, std_dev), -self.exponent, -self.exponent * std_dev)
    }
}

//! Confidence bounds with schedules of their width.

use std::f64::consts::PI;

use thrifty_check::{InputError, number};
use thrifty_surrogate::Description;

use crate::factory::described;
use crate::{Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, Utility, UtilityScale};

/// Optimistic confidence bound `-(μ - √β σ)`. For a loss this is the negative lower confidence bound; for a negated score it is the upper one.
///
/// β multiplies the variance, as in Srinivas et al. (2010). The width in `brofos2014` and the κ of other sources is √β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceBound {
    /// β ≥ 0.
    pub beta: f64,
}

impl Utility for ConfidenceBound {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.beta.sqrt() * std_dev - mean
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        (self.value(mean, std_dev), -1.0, self.beta.sqrt())
    }

    fn has_unit(&self) -> bool {
        true
    }
}

/// Schedule of β over the number t of the evaluation, from 1.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Constant β.
    Constant {
        /// β ≥ 0.
        beta: f64,
    },
    /// `β_t = 2 ln(|D| t² π² / 6δ)` for a finite domain. Source: Srinivas et al. (2010), theorem 1.
    SrinivasFinite {
        /// |D|, the number of points.
        points: f64,
        /// δ, the probability of failure, in (0, 1).
        delta: f64,
    },
    /// `β_t = 2 ln(t^(d/2+2) π² / 3δ)`. Source: Brochu, Cora & de Freitas (2010), section 2.3.1.
    Brochu {
        /// d, the dimension.
        dim: usize,
        /// δ, the probability of failure, in (0, 1).
        delta: f64,
    },
    /// `β_t = c ln(t + 1)`: it grows like the bounds with proofs, but without their constants, which are too wide in practice.
    Logarithmic {
        /// c ≥ 0.
        scale: f64,
    },
}

impl Schedule {
    /// β at evaluation `t`, from 1; never negative.
    ///
    /// # Errors
    /// [`InputError`] names the invalid setting.
    pub fn beta(&self, t: usize) -> Result<f64, InputError> {
        let t = t.max(1) as f64;
        let probability = |delta| number("delta", delta, delta > 0.0 && delta < 1.0, "a number in (0, 1)");
        match *self {
            Self::Constant { beta } => number("beta", beta, beta >= 0.0, "a finite number from 0"),
            Self::SrinivasFinite { points, delta } => {
                let points = number("points", points, points >= 1.0, "a finite number from 1")?;
                Ok((2.0 * (points.ln() + (t * t * PI * PI / (6.0 * probability(delta)?)).ln())).max(0.0))
            }
            Self::Brochu { dim, delta } => {
                let exponent = dim as f64 / 2.0 + 2.0;
                Ok((2.0 * (exponent * t.ln() + (PI * PI / (3.0 * probability(delta)?)).ln())).max(0.0))
            }
            Self::Logarithmic { scale } => {
                Ok(number("scale", scale, scale >= 0.0, "a finite number from 0")? * (t + 1.0).ln())
            }
        }
    }
}

impl AcquisitionFactory for Schedule {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let beta = self.beta(context.t)?;
        Ok(Box::new(Analytic::new(context.posterior, ConfidenceBound { beta })))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Signed
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("confidence bound", self)
    }

    fn is_averaged(&self) -> bool {
        false
    }
}

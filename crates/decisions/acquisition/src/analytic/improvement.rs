//! Probability of improvement, expected improvement and its logarithm.

use thrifty_prob::{cdf, h, inverse_mills, log_cdf, log_h, log_h_derivative, pdf};

use thrifty_surrogate::Description;

use crate::factory::described;
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, ImprovementTarget, Utility,
    UtilityScale,
};

/// Probability of improvement: the probability of a value below the target τ.
///
/// ```text
/// PI = Φ(z),   z = (τ - μ)/σ
/// ```
///
/// At σ = 0 it is 1 below the target, else 0. Source: Kushner (1964); `brofos2014`, eqs. 2 and 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbabilityOfImprovement {
    /// τ.
    pub target: f64,
}

/// Logarithm of [`ProbabilityOfImprovement`]; it has a gradient where the probability underflows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogProbabilityOfImprovement {
    /// τ.
    pub target: f64,
}

/// Expected improvement: the expected amount by which the value falls below the target τ.
///
/// ```text
/// EI = E[max(τ - f, 0)] = σ h(z),   z = (τ - μ)/σ,   h(z) = φ(z) + z Φ(z)
/// ∂EI/∂μ = -Φ(z),   ∂EI/∂σ = φ(z)
/// ```
///
/// At σ = 0 it is max(τ - μ, 0). Source: Jones, Schonlau & Welch (1998), eq. 15; `brofos2014`, eq. 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedImprovement {
    /// τ.
    pub target: f64,
}

/// Logarithm of [`ExpectedImprovement`]. It has the same maximiser, and a gradient where the improvement underflows.
///
/// ```text
/// ln EI = ln σ + ln h(z);   ∂/∂μ = -(Φ/h)/σ,   ∂/∂σ = (1 - z Φ/h)/σ
/// ```
///
/// Source: Ament et al. (2023).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogExpectedImprovement {
    /// τ.
    pub target: f64,
}

/// `z`; a difference of 0 at σ = 0 counts as no improvement.
fn standardized(target: f64, mean: f64, std_dev: f64) -> f64 {
    let gain = target - mean;
    if std_dev > 0.0 {
        gain / std_dev
    } else if gain > 0.0 {
        f64::INFINITY
    } else {
        f64::NEG_INFINITY
    }
}

impl Utility for ProbabilityOfImprovement {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        cdf(standardized(self.target, mean, std_dev))
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(self.target, mean, std_dev);
        if z.is_infinite() {
            return (cdf(z), 0.0, 0.0);
        }
        let density = pdf(z) / std_dev;
        (cdf(z), -density, -z * density)
    }
}

impl Utility for LogProbabilityOfImprovement {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        log_cdf(standardized(self.target, mean, std_dev))
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(self.target, mean, std_dev);
        if z.is_infinite() {
            return (log_cdf(z), 0.0, 0.0);
        }
        // φ/Φ is the hazard of the other tail.
        let slope = inverse_mills(-z) / std_dev;
        (log_cdf(z), -slope, -z * slope)
    }
}

impl Utility for ExpectedImprovement {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        if std_dev > 0.0 {
            std_dev * h(standardized(self.target, mean, std_dev))
        } else {
            (self.target - mean).max(0.0)
        }
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(self.target, mean, std_dev);
        (self.value(mean, std_dev), -cdf(z), pdf(z))
    }

    fn has_unit(&self) -> bool {
        true
    }
}

impl Utility for LogExpectedImprovement {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        if std_dev > 0.0 {
            std_dev.ln() + log_h(standardized(self.target, mean, std_dev))
        } else {
            (self.target - mean).max(0.0).ln()
        }
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let value = self.value(mean, std_dev);
        if std_dev <= 0.0 {
            let gain = self.target - mean;
            return (value, if gain > 0.0 { -1.0 / gain } else { 0.0 }, 0.0);
        }
        let z = standardized(self.target, mean, std_dev);
        let ratio = log_h_derivative(z);
        // 1 - zΦ/h = φ/h, in this form where both are large. For z far below 0, φ/h tends to z², and the other form keeps the digits of the ratio.
        let by_std_dev = if z > -1.0 { pdf(z) / h(z) } else { 1.0 - z * ratio };
        (value, -ratio / std_dev, by_std_dev / std_dev)
    }
}

/// Factory of the analytic improvements on a target: probability of improvement, expected improvement, and their logarithms.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ImprovementFactory {
    target: ImprovementTarget,
    /// True for expected improvement, false for its probability.
    expected: bool,
    logarithm: bool,
}

impl ImprovementFactory {
    /// Factory of [`ProbabilityOfImprovement`].
    #[must_use]
    pub fn probability(target: ImprovementTarget) -> Self {
        Self { target, expected: false, logarithm: false }
    }

    /// Factory of [`LogProbabilityOfImprovement`].
    #[must_use]
    pub fn log_probability(target: ImprovementTarget) -> Self {
        Self { target, expected: false, logarithm: true }
    }

    /// Factory of [`ExpectedImprovement`].
    #[must_use]
    pub fn expected(target: ImprovementTarget) -> Self {
        Self { target, expected: true, logarithm: false }
    }

    /// Factory of [`LogExpectedImprovement`].
    #[must_use]
    pub fn log_expected(target: ImprovementTarget) -> Self {
        Self { target, expected: true, logarithm: true }
    }
}

impl AcquisitionFactory for ImprovementFactory {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let (posterior, target) = (context.posterior, context.target);
        Ok(match (self.expected, self.logarithm) {
            (false, false) => Box::new(Analytic::new(posterior, ProbabilityOfImprovement { target })),
            (false, true) => Box::new(Analytic::new(posterior, LogProbabilityOfImprovement { target })),
            (true, false) => Box::new(Analytic::new(posterior, ExpectedImprovement { target })),
            (true, true) => Box::new(Analytic::new(posterior, LogExpectedImprovement { target })),
        })
    }

    fn scale(&self) -> UtilityScale {
        if self.logarithm { UtilityScale::Log } else { UtilityScale::NonNegative }
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("improvement", self)
    }

    fn target(&self) -> ImprovementTarget {
        self.target
    }

    fn improvement(&self, target: f64) -> Option<Box<dyn Utility>> {
        Some(match (self.expected, self.logarithm) {
            (false, false) => Box::new(ProbabilityOfImprovement { target }),
            (false, true) => Box::new(LogProbabilityOfImprovement { target }),
            (true, false) => Box::new(ExpectedImprovement { target }),
            (true, true) => Box::new(LogExpectedImprovement { target }),
        })
    }

    fn is_expected_improvement(&self) -> bool {
        self.expected
    }
}

//! Errors of Parzen estimators.

use thrifty_check::counted;

/// Error of a Parzen estimator or its settings.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum TpeError {
    /// Bounds that are equal, inverted or not finite.
    #[error("bounds [{low}, {high}] are not an interval")]
    InvalidBounds {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// A logarithmic axis that reaches 0.
    #[error("a logarithmic axis from {low} has no logarithm there")]
    NonPositiveLog {
        /// Lower bound.
        low: f64,
    },
    /// A step that is not positive or larger than the range.
    #[error("step {step} does not fit a range of {range}")]
    InvalidStep {
        /// The step.
        step: f64,
        /// Upper less lower bound.
        range: f64,
    },
    /// A prior whose mean is not finite or whose standard deviation is not positive.
    #[error("a normal prior with mean {mean} and deviation {std_dev} does not exist")]
    InvalidNormal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        std_dev: f64,
    },
    /// A categorical parameter without choices.
    #[error("a categorical parameter needs at least one choice")]
    NoChoices,
    /// Probabilities of choices that are no distribution.
    #[error("probabilities {probabilities:?} are negative somewhere or do not sum to 1")]
    InvalidProbabilities {
        /// The probabilities.
        probabilities: Vec<f64>,
    },
    /// A matrix of distances that is not square, not symmetric, negative or has no zero diagonal.
    #[error("distances of {choices} choices: {problem}")]
    InvalidDistances {
        /// Number of choices.
        choices: usize,
        /// The problem.
        problem: &'static str,
    },
    /// A prior for a parameter that the space does not have, or of the other sort.
    #[error("prior of {name:?}: {problem}")]
    InvalidPrior {
        /// Name of the parameter.
        name: String,
        /// The problem.
        problem: String,
    },
    /// A setting outside its range.
    #[error("{name} is {value}, expected {expected}")]
    InvalidSetting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Range that is expected.
        expected: &'static str,
    },
    /// A trial whose number of objectives is not that of the trials before it.
    #[error("trial {trial} has {}, those before it {expected}", counted(*found, "objectives"))]
    ObjectiveCount {
        /// Its number.
        trial: u64,
        /// Its objectives.
        found: usize,
        /// Those of the others.
        expected: usize,
    },
    /// A split at a target where there are several objectives: trials are ranked by fronts, which have no loss.
    #[error("split has a target loss of {loss}, expected another split with {objectives} objectives")]
    TargetOfMany {
        /// The target.
        loss: f64,
        /// Number of objectives.
        objectives: usize,
    },
    /// A trial whose number of constraints is not that of the trials before it.
    #[error("trial {trial} has {}, those before it {expected}", counted(*found, "constraints"))]
    ConstraintCount {
        /// Its number.
        trial: u64,
        /// Its constraints.
        found: usize,
        /// Those of the others.
        expected: usize,
    },
}

//! Errors of Bayesian optimisation with several objectives.

/// Error of Bayesian optimisation with several objectives.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum MultiObjectiveError {
    /// The number of coordinates of the reference point differs from the number of objectives.
    #[error("the reference point has {found} coordinates, expected {expected}, one an objective")]
    ReferenceMismatch {
        /// Number found.
        found: usize,
        /// Number of objectives.
        expected: usize,
    },
    /// The rule for noise needs joint posteriors, which the surrogate does not have.
    #[error("the model of {what} knows points one by one and not jointly; use the rule without noise")]
    NotJoint {
        /// Name of the objective or constraint.
        what: String,
    },
    /// A surrogate with knowledge about one objective, such as data of earlier tasks or the floor of censored responses.
    #[error(
        "the surrogate is of one objective (earlier tasks, a floor), expected one that serves every objective"
    )]
    OneObjective,
    /// Joint draws failed.
    #[error(transparent)]
    Draws(thrifty_acquisition::AcquisitionError),
    /// The front or reference point is invalid.
    #[error(transparent)]
    Front(thrifty_pareto::ParetoError),
}

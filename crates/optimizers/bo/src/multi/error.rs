/// Why trials with several objectives cannot be learnt from.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum MultiObjectiveError {
    /// A measurement has another number of objectives or constraints than the first.
    #[error("the measurement has {found} {what}, expected {expected} as in trial {first}")]
    MeasurementMismatch {
        /// Objectives or constraints.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
        /// The trial that says so.
        first: u64,
    },
    /// The reference point has another number of coordinates than there are objectives.
    #[error("the reference point has {found} coordinates, expected {expected}, one an objective")]
    ReferenceMismatch {
        /// How many it has.
        found: usize,
        /// How many objectives there are.
        expected: usize,
    },
    /// The noisy rule needs functions drawn from the posterior, which the model does not have on this domain.
    #[error("the model of {what} draws no functions on this domain; use the rule without noise")]
    NoPaths {
        /// Which objective.
        what: String,
    },
}

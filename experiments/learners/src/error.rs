//! Errors of learners.

/// Errors of setting up, training and asking a learner.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// A learner of classes was given numbers, or a learner of numbers classes.
    #[error("{learner} was given {found} as targets")]
    Targets {
        /// The learner and what it learns.
        learner: &'static str,
        /// Kind of the targets.
        found: &'static str,
    },
    /// A layer that does not fit what comes in.
    #[error("{message}")]
    Layer {
        /// The layer, its input, and what was expected.
        message: String,
    },
    /// Trees could not be grown or evaluated.
    #[error(transparent)]
    Trees(#[from] thrifty_trees::TreesError),
    /// A configuration without a value that a learner needs.
    #[error(transparent)]
    Space(#[from] thrifty_space::SpaceError),
}

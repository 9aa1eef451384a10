//! Errors of training under a budget.

use thrifty_check::InputError;

/// Error of a training problem or a value function.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AutoBctError {
    /// A number or length that makes no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A control outside of the unit cube, or of another dimension.
    #[error("control {index} is {control:?}, expected {dim} numbers from 0 to 1")]
    Control {
        /// Index of the control.
        index: usize,
        /// The control.
        control: Vec<f64>,
        /// Number of coordinates expected.
        dim: usize,
    },
    /// A map that was built for another problem.
    #[error("the map is for another problem: {what} is {found} there, expected {expected}")]
    Map {
        /// Name of the part that does not agree.
        what: &'static str,
        /// Value in the value function.
        found: String,
        /// Value in the decision.
        expected: String,
    },
    /// A look-ahead that would not come to an end.
    #[error(
        "the plan looks {depth} trainings ahead with {evaluations} evaluations, expected at most {most}: take a value map, fewer \
         controls (`grid`, `later_grid`), or `Plan::Relaxed` with a depth of 2"
    )]
    LookAhead {
        /// Trainings looked ahead.
        depth: usize,
        /// Evaluations that they take; the largest number for more than it.
        evaluations: u64,
        /// Most evaluations.
        most: u64,
    },
    /// A file that is no map.
    #[error("no value map: {reason}")]
    File {
        /// The reason.
        reason: String,
    },
    /// Trees that could not be grown.
    #[error(transparent)]
    Trees(#[from] thrifty_trees::TreesError),
    /// Beliefs about score or cost that do not fit the basis.
    #[error(transparent)]
    Linear(#[from] thrifty_linear::LinearError),
}

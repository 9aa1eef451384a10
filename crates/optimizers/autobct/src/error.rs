/// Why a training problem makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AutoBctError {
    /// A number that makes no sense.
    #[error("{what} is {value}, expected {expected}")]
    Number {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// A control outside of the unit cube, or of another dimension.
    #[error("control {index} is {control:?}, expected {dim} numbers from 0 to 1")]
    Control {
        /// Which.
        index: usize,
        /// What it is.
        control: Vec<f64>,
        /// How many numbers it should have.
        dim: usize,
    },
    /// No controls to choose from.
    #[error("no controls to choose from")]
    NoControls,
    /// Beliefs about score or cost that do not fit the basis.
    #[error(transparent)]
    Linear(#[from] thrifty_linear::LinearError),
}

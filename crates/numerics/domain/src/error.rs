//! Errors of points and domains.

/// Error of building points or a domain.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum DomainError {
    /// A row does not have the dimension of the others.
    #[error("point {index} has {found} coordinates, expected {expected}")]
    DimensionMismatch {
        /// Position of the row.
        index: usize,
        /// Its length.
        found: usize,
        /// The dimension of the list.
        expected: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {column} of point {index} is {value}, expected a finite number")]
    NonFinite {
        /// Position of the row.
        index: usize,
        /// Position in the row.
        column: usize,
        /// The coordinate.
        value: f64,
    },
    /// A discrete variable has no level.
    #[error("variable {variable} has no levels, expected at least 1")]
    NoLevels {
        /// Position of the variable.
        variable: usize,
    },
    /// A logarithmic grid whose first level cannot be given a lower cell edge above 0.
    #[error("variable {variable}: first level {first} (in steps) of a log grid must be finite and above 0.5")]
    InvalidLogGrid {
        /// Position of the variable.
        variable: usize,
        /// First level divided by the step.
        first: f64,
    },
    /// A condition refers to a variable that does not come earlier or is not discrete.
    #[error("variable {variable} depends on {parent}, expected an earlier discrete variable")]
    InvalidParent {
        /// Position of the conditional variable.
        variable: usize,
        /// The parent that it names.
        parent: usize,
    },
    /// A condition allows a level that its parent does not have, or none at all.
    #[error("variable {variable}: a condition on {parent} allows levels {levels:?}, the parent has {count}")]
    InvalidLevels {
        /// Position of the conditional variable.
        variable: usize,
        /// Position of its parent.
        parent: usize,
        /// The levels asked for.
        levels: Vec<u64>,
        /// Number of levels of the parent.
        count: u64,
    },
}

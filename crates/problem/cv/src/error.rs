//! Errors of splits.

/// Error of splitting data into folds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// Fewer than two folds, or more than there are rows.
    #[error("{folds} folds of {rows} rows: expected from 2 folds to as many as rows")]
    FoldCount {
        /// Folds asked for.
        folds: usize,
        /// Rows of the data.
        rows: usize,
    },
    /// Fewer groups than folds.
    #[error("{groups} groups for {folds} folds: a group stays together, so there must be as many")]
    TooFewGroups {
        /// Different groups.
        groups: usize,
        /// Folds asked for.
        folds: usize,
    },
    /// No repeats.
    #[error("0 repeats, expected at least 1")]
    NoRepeats,
}

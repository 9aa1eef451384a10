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
    /// Fewer than two given folds.
    #[error("repeat {repeat} has {folds} folds, expected at least 2")]
    TooFewFolds {
        /// The repeat.
        repeat: usize,
        /// Its folds.
        folds: usize,
    },
    /// A repeat with another number of folds than the first.
    #[error("repeat {repeat} has {folds} folds, expected {expected} as in repeat 0")]
    UnequalFolds {
        /// The repeat.
        repeat: usize,
        /// Its folds.
        folds: usize,
        /// Folds of the first repeat.
        expected: usize,
    },
    /// A fold with nothing to train or to test on.
    #[error("fold {fold} of repeat {repeat} has no rows to {part} on")]
    EmptyPart {
        /// The repeat.
        repeat: usize,
        /// The fold.
        fold: usize,
        /// `train` or `test`.
        part: &'static str,
    },
    /// A row that is trained and tested on in the same fold.
    #[error("row {row} is on both sides of fold {fold} of repeat {repeat}")]
    Overlap {
        /// The repeat.
        repeat: usize,
        /// The fold.
        fold: usize,
        /// The row.
        row: usize,
    },
    /// No repeats.
    #[error("0 repeats, expected at least 1")]
    NoRepeats,
}

//! Errors of tables.

/// A table that could not be built or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A query that has no JSON form.
    #[error("trial {trial}: its query cannot be written: {source}")]
    Query {
        /// Number of the trial.
        trial: u64,
        /// The reason.
        source: serde_json::Error,
    },
    /// A writer of CSV that failed.
    #[error("writing CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A writer of JSON that failed.
    #[error("writing JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A writer that failed to flush.
    #[error("writing a table: {0}")]
    Write(#[from] std::io::Error),
}

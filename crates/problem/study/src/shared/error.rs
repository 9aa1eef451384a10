//! Errors of shared logs.

use crate::{Difference, TrialId};

/// Error of a shared log. The log is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The store does not respond, currently or within its time limit. A retry may succeed.
    #[error("{store} cannot be reached: {message}")]
    Unavailable {
        /// The store.
        store: String,
        /// The reason, in the words of the store.
        message: String,
    },
    /// The store is out of space. A retry may succeed after space is freed.
    #[error("{store} is out of space: {message}")]
    Full {
        /// The store.
        store: String,
        /// The reason, in the words of the store.
        message: String,
    },
    /// The store cannot be written.
    #[error("{store} is read-only: {message}")]
    ReadOnly {
        /// The store.
        store: String,
        /// The reason, in the words of the store.
        message: String,
    },
    /// The store was written by another version, and this version cannot migrate it.
    #[error("{store} has schema version {found}, this program knows version {known}: use a newer program")]
    Schema {
        /// The store.
        store: String,
        /// Version of its tables.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// The store contains something else, or credentials or address are rejected.
    #[error("{store} cannot be used: {message}")]
    Refused {
        /// The store.
        store: String,
        /// The reason.
        message: String,
    },
    /// Any other error of the store.
    #[error("{store}: {message}")]
    Failed {
        /// The store.
        store: String,
        /// The reason, in the words of the store.
        message: String,
    },
    /// The log has no such study.
    #[error("{store} has no trials yet")]
    Empty {
        /// The store.
        store: String,
    },
    /// An entry that is missing, unreadable or in contradiction to earlier ones.
    #[error("{store}, entry {seq}: {message}")]
    Corrupt {
        /// The store.
        store: String,
        /// The entry, from 0.
        seq: u64,
        /// Its defect.
        message: String,
    },
    /// The log belongs to a study with another seed or schedule, or has another format.
    #[error("{store} has {what} {found}, this study has {expected}")]
    Mismatch {
        /// The store.
        store: String,
        /// The property that differs.
        what: &'static str,
        /// Its value in the log.
        found: String,
        /// Its value in this study.
        expected: String,
    },
    /// The log belongs to a study with another space, method or settings.
    #[error("{store} is of another study: {}", list(.differences))]
    Settings {
        /// The store.
        store: String,
        /// Every parameter and setting that differs.
        differences: Vec<Difference>,
    },
    /// A suggestion in the log differs from the optimiser's suggestion for the same entries.
    #[error("{store}: trial {} is {found}, from the first {seen} entries it would be {expected}", .id.0)]
    Replay {
        /// The store.
        store: String,
        /// The trial.
        id: TrialId,
        /// Number of entries that the suggestion was based on.
        seen: u64,
        /// The suggestion in the log, as JSON.
        found: String,
        /// The repeated suggestion, as JSON, or another answer of the optimiser.
        expected: String,
    },
}

impl LogError {
    /// True if a repeated call may succeed without a change of the study.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Full { .. })
    }
}

fn list(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Reason for a failed append, which changed nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The log has more entries than its writer has read: read on and try again.
    #[error("the log has changed since it was read")]
    Conflict,
    /// The trial of the lease was claimed again.
    #[error("the trial was claimed again since")]
    Fenced,
    /// The store failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

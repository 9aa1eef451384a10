//! Errors of shared logs.

use crate::{Difference, TrialId};

/// Error of a shared log. The log is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The store does not answer, now or within its time limit. It may be worth trying again.
    #[error("{store} cannot be reached: {message}")]
    Unavailable {
        /// The store.
        store: String,
        /// The reason, in the words of the store.
        message: String,
    },
    /// The store is out of space. It may be worth trying again once there is some.
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
    /// The store was written by another version, to which there is no migration from here.
    #[error("{store} has schema version {found}, this program knows version {known}: use a newer program")]
    Schema {
        /// The store.
        store: String,
        /// Version of its tables.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// The store holds something else, or credentials or address are refused.
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
    /// An entry that is missing, cannot be read or contradicts those before it.
    #[error("{store}, entry {seq}: {message}")]
    Corrupt {
        /// The store.
        store: String,
        /// The entry, from 0.
        seq: u64,
        /// Its defect.
        message: String,
    },
    /// The log is of a study with another seed or schedule, or of another format.
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
    /// The log is of a study with another space, method or settings.
    #[error("{store} is of another study: {}", list(.differences))]
    Settings {
        /// The store.
        store: String,
        /// Every parameter and setting that differs.
        differences: Vec<Difference>,
    },
    /// A suggestion of the log is not what the optimiser suggests from the same entries.
    #[error("{store}: trial {} is {found}, from the first {seen} entries it would be {expected}", .id.0)]
    Replay {
        /// The store.
        store: String,
        /// The trial.
        id: TrialId,
        /// Number of entries that the suggestion was made from.
        seen: u64,
        /// The suggestion in the log, as JSON.
        found: String,
        /// The suggestion now, as JSON; or what the optimiser answered instead.
        expected: String,
    },
}

impl LogError {
    /// True if the same call may succeed later without anybody changing the study.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Full { .. })
    }
}

fn list(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Reason for an append that changed nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The log has another number of entries than its writer has read: read on and try again.
    #[error("the log has changed since it was read")]
    Conflict,
    /// The trial of the lease was claimed again.
    #[error("the trial was claimed again since")]
    Fenced,
    /// The store failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

//! Errors of SQLite as errors of the log.

use std::path::Path;

use rusqlite::ErrorCode;
use thrifty_study::shared::LogError;

/// Name of a store.
pub(super) fn name(path: &Path) -> String {
    format!("store sqlite://{}", path.display())
}

/// An error of SQLite as one of the log.
pub(super) fn failure(path: &Path, error: &rusqlite::Error) -> LogError {
    let (store, message) = (name(path), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LogError::Unavailable { store, message },
        Some(ErrorCode::DiskFull) => LogError::Full { store, message },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => LogError::ReadOnly { store, message },
        Some(ErrorCode::CannotOpen | ErrorCode::NotADatabase) => LogError::Refused { store, message },
        _ => LogError::Failed { store, message },
    }
}

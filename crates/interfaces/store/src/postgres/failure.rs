//! Errors of PostgreSQL as errors of the log.

use postgres::Error;
use postgres::error::SqlState;
use thrifty_study::shared::LogError;

use super::settings::chain;

/// An error of the server or the connection in one sentence.
pub(super) fn failure(store: &str, error: &Error) -> LogError {
    let store = store.to_owned();
    let Some(server) = error.as_db_error() else {
        // Without an answer of the server the connection is the problem.
        return LogError::Unavailable { store, message: chain(error) };
    };
    let (code, message) = (server.code(), server.message().to_owned());
    if *code == SqlState::DISK_FULL {
        return LogError::Full { store, message };
    }
    if [SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::INSUFFICIENT_PRIVILEGE].contains(code) {
        return LogError::ReadOnly { store, message };
    }
    // Classes of codes: connection, roll-back, resources, the operator's intervention; authorisation, no such database.
    match code.code().get(..2) {
        Some("08" | "40" | "53" | "57" | "58") => LogError::Unavailable { store, message },
        Some("28" | "3D") => LogError::Refused { store, message },
        _ => LogError::Failed { store, message },
    }
}

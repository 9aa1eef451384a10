//! Addresses of stores.

use std::path::PathBuf;

use thrifty_study::shared::{EventLog, LogError};

use crate::SqliteLog;

/// A store named by an address.
enum Address {
    /// A file.
    Sqlite(PathBuf),
    /// A server.
    Postgres(String),
}

/// Connects to the log of a study; store and study are created if they are not there.
///
/// Addresses are `sqlite://path` (`sqlite:///path` from the root) and `postgres://user@host/database`. A password is better
/// given by the usual environment variables.
///
/// # Errors
/// [`LogError`]: an address that is not one of these, or a store that cannot be used.
pub fn open(address: &str, study: &str) -> Result<Box<dyn EventLog>, LogError> {
    match parse(address)? {
        Address::Sqlite(path) => Ok(Box::new(SqliteLog::open(path, study)?)),
        Address::Postgres(address) => postgres(&address, study, false),
    }
}

/// Connects to the log of a study to read it; nothing is created.
///
/// # Errors
/// As [`open`], and [`LogError::Empty`] if there is no such store or study.
pub fn open_read_only(address: &str, study: &str) -> Result<Box<dyn EventLog>, LogError> {
    match parse(address)? {
        Address::Sqlite(path) => Ok(Box::new(SqliteLog::open_read_only(path, study)?)),
        Address::Postgres(address) => postgres(&address, study, true),
    }
}

fn parse(address: &str) -> Result<Address, LogError> {
    if let Some(path) = address.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        if !path.is_empty() {
            return Ok(Address::Sqlite(path.into()));
        }
    }
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return Ok(Address::Postgres(address.into()));
    }
    // The address may hold a password, so that only its scheme is named.
    let scheme = address.split(':').next().unwrap_or_default();
    let message = "expected an address as sqlite://path or postgres://user@host/database".into();
    Err(LogError::Refused { store: format!("the store {scheme}:…"), message })
}

#[cfg(feature = "postgres")]
fn postgres(address: &str, study: &str, is_read_only: bool) -> Result<Box<dyn EventLog>, LogError> {
    let log = if is_read_only {
        crate::PostgresLog::open_read_only(address, study)
    } else {
        crate::PostgresLog::open(address, study)
    };
    Ok(Box::new(log?))
}

#[cfg(not(feature = "postgres"))]
fn postgres(_: &str, _: &str, _: bool) -> Result<Box<dyn EventLog>, LogError> {
    let message = "this program was built without the feature postgres".into();
    Err(LogError::Refused { store: "the PostgreSQL store".into(), message })
}

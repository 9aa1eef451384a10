//! Tables of an SQLite store.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};
use thrifty_study::shared::LogError;

use super::PATIENCE;
use super::failure::{failure, name};

/// Time between two attempts to get a lock for which SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(5);

/// Statements that lead from schema version i to i + 1.
pub(super) const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE studies (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE events (
        study INTEGER NOT NULL REFERENCES studies (id), seq INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (study, seq)
    ) WITHOUT ROWID;
    CREATE TABLE leases (
        study INTEGER NOT NULL REFERENCES studies (id), trial INTEGER NOT NULL,
        owner TEXT NOT NULL, fence INTEGER NOT NULL, expires_at REAL NOT NULL,
        PRIMARY KEY (study, trial)
    ) WITHOUT ROWID;
"];

/// Marks a file as a store of this program (`Thrf`).
const APPLICATION: i64 = 0x5468_7266;

/// The schema version of a file; 0 for an empty one.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<i64, LogError> {
    let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let read = || {
        // In one transaction: otherwise another process may make the tables between two of the numbers.
        let _snapshot = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
        Ok((number("application_id")?, number("user_version")?, number("schema_version")?))
    };
    match read().map_err(|error| failure(path, &error))? {
        (APPLICATION, found, _) => Ok(found),
        (0, 0, 0) => Ok(0),
        _ => Err(LogError::Refused {
            store: name(path),
            message: "it is a database of another program".into(),
        }),
    }
}

/// Brings a file to the latest schema.
pub(super) fn migrate(connection: &mut Connection, path: &Path, migrations: &[&str]) -> Result<(), LogError> {
    let known = migrations.len() as i64;
    let is_latest = |found: i64| match found {
        _ if found > known => Err(LogError::Schema { store: name(path), found, known }),
        _ => Ok(found == known),
    };
    if is_latest(version(connection, path)?)? {
        return Ok(());
    }
    let failed = |error| failure(path, &error);
    write_ahead(connection).map_err(failed)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    let found = version(&transaction, path)?;
    if !is_latest(found)? {
        let run = || -> rusqlite::Result<()> {
            migrations.iter().skip(found as usize).try_for_each(|sql| transaction.execute_batch(sql))?;
            transaction.pragma_update(None, "application_id", Value::Integer(APPLICATION))?;
            transaction.pragma_update(None, "user_version", Value::Integer(known))
        };
        run().map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// Switches a file to write-ahead mode. SQLite does not wait for other connections there, so this waits.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let started_at = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started_at.elapsed() < PATIENCE =>
            {
                std::thread::sleep(PAUSE);
            }
            result => return result,
        }
    }
}

pub(super) fn find(connection: &Connection, study: &str) -> rusqlite::Result<Option<i64>> {
    connection.query_row("SELECT id FROM studies WHERE name = ?1", [study], |row| row.get(0)).optional()
}

pub(super) fn add(connection: &Connection, study: &str) -> rusqlite::Result<i64> {
    connection.execute("INSERT INTO studies (name) VALUES (?1) ON CONFLICT DO NOTHING", [study])?;
    connection.query_row("SELECT id FROM studies WHERE name = ?1", [study], |row| row.get(0))
}

//! Tables of a PostgreSQL store.

use postgres::{Client, Error};
use thrifty_study::shared::LogError;

use super::failure::failure;

/// Statements that lead from schema version i to i + 1.
pub(super) const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE thrifty.studies (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL UNIQUE, created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE thrifty.events (
        study bigint NOT NULL REFERENCES thrifty.studies, seq bigint NOT NULL, body text NOT NULL,
        PRIMARY KEY (study, seq)
    );
    CREATE TABLE thrifty.leases (
        study bigint NOT NULL REFERENCES thrifty.studies, trial bigint NOT NULL,
        owner text NOT NULL, fence bigint NOT NULL, expires_at timestamptz NOT NULL,
        PRIMARY KEY (study, trial)
    );
"];

/// Lock that migrations take, so that only one process at a time makes tables (`Thrf`).
const LOCK: i64 = 0x5468_7266;

/// The schema version of a database; nothing without a store.
pub(super) fn version(client: &mut Client) -> Result<Option<i64>, Error> {
    // A query of the catalogue sees tables that another process made a moment ago; a lookup by name may not.
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
        WHERE schemaname = 'thrifty' AND tablename = 'schema_version')";
    let exists = client.query_one(exists, &[])?;
    if !exists.get::<_, bool>(0) {
        return Ok(None);
    }
    client.query_opt("SELECT version FROM thrifty.schema_version", &[]).map(|row| row.map(|row| row.get(0)))
}

/// Brings a database to the latest schema.
pub(super) fn migrate(client: &mut Client, store: &str, migrations: &[&str]) -> Result<(), LogError> {
    let failed = |error| failure(store, &error);
    let known = migrations.len() as i64;
    if is_latest(store, version(client).map_err(failed)?, known)? {
        return Ok(());
    }
    client.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})")).map_err(failed)?;
    let result = migrate_locked(client, store, migrations);
    // After an error there is nothing to keep, and the error is the one to be shown.
    let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = client.batch_execute(end).map_err(failed);
    result.and(ended)
}

fn migrate_locked(client: &mut Client, store: &str, migrations: &[&str]) -> Result<(), LogError> {
    let failed = |error| failure(store, &error);
    // Another process may have been faster.
    let found = version(client).map_err(failed)?;
    if is_latest(store, found, migrations.len() as i64)? {
        return Ok(());
    }
    if found.is_none() {
        let begin = "CREATE SCHEMA IF NOT EXISTS thrifty; CREATE TABLE thrifty.schema_version (version bigint NOT NULL);
            INSERT INTO thrifty.schema_version VALUES (0)";
        client.batch_execute(begin).map_err(failed)?;
    }
    for migration in migrations.iter().skip(found.unwrap_or(0) as usize) {
        client.batch_execute(migration).map_err(failed)?;
        client.batch_execute("UPDATE thrifty.schema_version SET version = version + 1").map_err(failed)?;
    }
    Ok(())
}

/// True for the latest schema.
///
/// # Errors
/// [`LogError::Schema`] for a newer one.
pub(super) fn is_latest(store: &str, found: Option<i64>, known: i64) -> Result<bool, LogError> {
    match found {
        Some(found) if found > known => Err(LogError::Schema { store: store.into(), found, known }),
        found => Ok(found == Some(known)),
    }
}

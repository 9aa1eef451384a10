//! Shared logs in an SQLite file, for the processes of one machine.

mod failure;
mod schema;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};
use thrifty_study::TrialId;
use thrifty_study::shared::{AppendError, Entry, EventLog, Lease, LogError, poll};

use failure::{failure, name};
use schema::{MIGRATIONS, add, find, migrate, version};

/// Time for which a call waits for the write lock of another process.
const PATIENCE: Duration = Duration::from_secs(30);

/// Seconds since 1970 by the clock of the machine, in SQL.
const NOW: &str = "unixepoch('subsec')";

/// Log of one study in an SQLite file.
///
/// The file is written ahead (WAL), so that readers never wait. It must not lie on a network file system: several machines need
/// PostgreSQL. A commit survives the end of any process; a power failure may lose the last ones.
#[derive(Debug)]
pub struct SqliteLog {
    connection: Connection,
    path: PathBuf,
    study: i64,
    name: String,
}

impl SqliteLog {
    /// Opens the log of a study in a file; both are created if they are not there. Older schemas are migrated.
    ///
    /// # Errors
    /// [`LogError`]: no file that can be written, no store, or the store of a newer program.
    pub fn open(path: impl AsRef<Path>, study: &str) -> Result<Self, LogError> {
        let path = path.as_ref();
        let mut connection =
            connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        migrate(&mut connection, path, &MIGRATIONS)?;
        let failed = |error| failure(path, &error);
        let id = find(&connection, study).map_err(failed)?;
        let id = id.map_or_else(|| add(&connection, study), Ok).map_err(failed)?;
        Ok(Self { connection, path: path.into(), study: id, name: study.into() })
    }

    /// Opens the log of a study to read it; nothing is created or migrated.
    ///
    /// # Errors
    /// [`LogError`]: no file that can be read, no store, another schema version, or [`LogError::Empty`] without the tables or the study.
    pub fn open_read_only(path: impl AsRef<Path>, study: &str) -> Result<Self, LogError> {
        let path = path.as_ref();
        let store = name(path);
        if !path.exists() {
            return Err(LogError::Empty { store });
        }
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let (known, found) = (MIGRATIONS.len() as i64, version(&connection, path)?);
        if found == 0 {
            return Err(LogError::Empty { store });
        }
        if found != known {
            return Err(LogError::Schema { store, found, known });
        }
        let id = find(&connection, study).map_err(|error| failure(path, &error))?;
        let id = id.ok_or(LogError::Empty { store: format!("{store}, study {study}") })?;
        Ok(Self { connection, path: path.into(), study: id, name: study.into() })
    }

    fn failure(&self, error: &rusqlite::Error) -> LogError {
        failure(&self.path, error)
    }

    fn try_append(
        &mut self,
        expected: u64,
        bodies: &[String],
        lease: Option<&Lease>,
    ) -> rusqlite::Result<Result<(), AppendError>> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some(lease) = lease {
            let mut held = transaction.prepare_cached(
                "SELECT 1 FROM leases WHERE study = ?1 AND trial = ?2 AND fence = ?3 AND owner = ?4",
            )?;
            if !held.exists(params![self.study, signed(lease.trial.0), signed(lease.fence), lease.owner])? {
                return Ok(Err(AppendError::Fenced));
            }
        }
        let length: i64 = transaction
            .prepare_cached("SELECT coalesce(max(seq) + 1, 0) FROM events WHERE study = ?1")?
            .query_row([self.study], |row| row.get(0))?;
        if length != signed(expected) {
            return Ok(Err(AppendError::Conflict));
        }
        let mut insert =
            transaction.prepare_cached("INSERT INTO events (study, seq, body) VALUES (?1, ?2, ?3)")?;
        for (body, seq) in bodies.iter().zip(length..) {
            insert.execute(params![self.study, seq, body])?;
        }
        drop(insert);
        transaction.commit()?;
        Ok(Ok(()))
    }
}

impl EventLog for SqliteLog {
    fn name(&self) -> String {
        format!("{}, study {}", name(&self.path), self.name)
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        let read = || -> rusqlite::Result<Vec<Entry>> {
            let mut statement = self
                .connection
                .prepare_cached("SELECT seq, body FROM events WHERE study = ?1 AND seq >= ?2 ORDER BY seq")?;
            let rows = statement.query_map(params![self.study, signed(seq)], |row| {
                Ok(Entry { seq: row.get::<_, i64>(0)?.unsigned_abs(), body: row.get(1)? })
            })?;
            rows.collect()
        };
        read().map_err(|error| self.failure(&error))
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        self.try_append(expected, bodies, lease).map_err(|error| self.failure(&error))?
    }

    fn wait(&mut self, seq: u64, timeout: Duration) -> Result<(), LogError> {
        let is_there = || -> rusqlite::Result<bool> {
            self.connection
                .prepare_cached("SELECT 1 FROM events WHERE study = ?1 AND seq >= ?2 LIMIT 1")?
                .exists(params![self.study, signed(seq)])
        };
        poll(timeout, || is_there().map_err(|error| self.failure(&error)))
    }

    fn claim(&mut self, trial: TrialId, owner: &str, duration: Duration) -> Result<Option<Lease>, LogError> {
        // One statement: granted to nobody else, or run out.
        let text = format!(
            "INSERT INTO leases (study, trial, owner, fence, expires_at) VALUES (?1, ?2, ?3, 1, {NOW} + ?4)
             ON CONFLICT (study, trial) DO UPDATE SET
                 fence = fence + (owner <> excluded.owner), owner = excluded.owner, expires_at = excluded.expires_at
             WHERE owner = excluded.owner OR expires_at <= {NOW}
             RETURNING fence"
        );
        let values = params![self.study, signed(trial.0), owner, duration.as_secs_f64()];
        // Read to its end, where it is committed: a row alone is no claim yet.
        let fences = self.connection.prepare_cached(&text).and_then(|mut statement| {
            let rows = statement.query_map(values, |row| row.get::<_, i64>(0))?;
            rows.collect::<rusqlite::Result<Vec<i64>>>()
        });
        let fences = fences.map_err(|error| self.failure(&error))?;
        Ok(fences.first().map(|fence| Lease { trial, owner: owner.into(), fence: fence.unsigned_abs() }))
    }

    fn heartbeat(&mut self, lease: &Lease, duration: Duration) -> Result<bool, LogError> {
        let text = format!(
            "UPDATE leases SET expires_at = {NOW} + ?5 WHERE study = ?1 AND trial = ?2 AND fence = ?3 AND owner = ?4"
        );
        let values = params![
            self.study,
            signed(lease.trial.0),
            signed(lease.fence),
            lease.owner,
            duration.as_secs_f64()
        ];
        let changed =
            self.connection.prepare_cached(&text).and_then(|mut statement| statement.execute(values));
        Ok(changed.map_err(|error| self.failure(&error))? > 0)
    }

    fn release(&mut self, lease: &Lease) -> Result<(), LogError> {
        self.heartbeat(lease, Duration::ZERO).map(drop)
    }

    fn unclaimed(&mut self, trials: &[TrialId]) -> Result<Vec<TrialId>, LogError> {
        let text = format!("SELECT 1 FROM leases WHERE study = ?1 AND trial = ?2 AND expires_at > {NOW}");
        let free = || -> rusqlite::Result<Vec<TrialId>> {
            let mut statement = self.connection.prepare_cached(&text)?;
            let mut free = Vec::new();
            for trial in trials {
                if !statement.exists(params![self.study, signed(trial.0)])? {
                    free.push(*trial);
                }
            }
            Ok(free)
        };
        free().map_err(|error| self.failure(&error))
    }
}

/// A number as SQL has it; those beyond its range are at no place of any log.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, LogError> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(PATIENCE)?;
        // In write-ahead mode a commit without waiting for the disk cannot damage the file.
        connection.pragma_update(None, "synchronous", "normal")?;
        Ok(connection)
    };
    open().map_err(|error| failure(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: impl std::fmt::Display) -> String {
        error.to_string()
    }

    #[test]
    fn older_schemas_are_migrated_and_newer_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("studies.db");
        let mut log = SqliteLog::open(&path, "one").unwrap();
        log.append(0, &["{}".into()], None).unwrap();
        migrate(&mut log.connection, &path, &[MIGRATIONS[0], "ALTER TABLE studies ADD COLUMN owner TEXT"])
            .unwrap();
        log.connection.prepare("SELECT owner FROM studies").unwrap();
        assert_eq!(log.read_from(0).unwrap().len(), 1);
        for error in [SqliteLog::open(&path, "one"), SqliteLog::open_read_only(&path, "one")] {
            let error = text(error.unwrap_err());
            assert!(error.contains("has schema version 2, this program knows version 1"), "{error}");
        }
    }

    #[test]
    fn a_full_store_loses_nothing_and_goes_on_with_space() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = SqliteLog::open(folder.path().join("studies.db"), "one").unwrap();
        log.append(0, &["{}".into()], None).unwrap();
        let set = |log: &SqliteLog, pages: i64| {
            log.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
        };
        set(&log, 1);
        let long = vec![format!("\"{}\"", "x".repeat(100_000))];
        let Err(AppendError::Log(error)) = log.append(1, &long, None) else { panic!("a full store") };
        assert!(error.is_temporary() && text(&error).contains("is out of space"), "{error}");
        assert_eq!(log.read_from(0).unwrap().len(), 1);
        set(&log, 1 << 30);
        log.append(1, &long, None).unwrap();
    }

    /// A claim that is not committed is none: its worker would ask for a trial that it does not hold, again and again.
    #[test]
    fn a_claim_that_cannot_be_committed_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("studies.db");
        let mut log = SqliteLog::open(&path, "one").unwrap();
        log.append(0, &["{}".into()], None).unwrap();
        // Without a write-ahead log a reader keeps others from committing, as a full disk does.
        log.connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).unwrap();
        log.connection.busy_timeout(Duration::from_millis(20)).unwrap();
        let reader = SqliteLog::open(&path, "one").unwrap();
        reader.connection.execute_batch("BEGIN; SELECT count(*) FROM events").unwrap();
        let claimed = log.claim(TrialId(0), "a", Duration::from_secs(60));
        assert!(claimed.as_ref().is_err_and(LogError::is_temporary), "{claimed:?}");
        reader.connection.execute_batch("ROLLBACK").unwrap();
        assert!(log.claim(TrialId(0), "a", Duration::from_secs(60)).unwrap().is_some());
    }

    #[test]
    fn a_store_that_stays_locked_is_unavailable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("studies.db");
        let (one, mut other) =
            (SqliteLog::open(&path, "one").unwrap(), SqliteLog::open(&path, "one").unwrap());
        one.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        other.connection.busy_timeout(Duration::from_millis(20)).unwrap();
        let Err(AppendError::Log(error)) = other.append(0, &["{}".into()], None) else {
            panic!("a locked store")
        };
        assert!(error.is_temporary() && text(&error).contains("cannot be reached"), "{error}");
        one.connection.execute_batch("ROLLBACK").unwrap();
        other.append(0, &["{}".into()], None).unwrap();
    }
}

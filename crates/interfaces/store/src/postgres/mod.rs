//! Shared logs on a PostgreSQL server, for any number of machines.

mod connection;
mod failure;
mod schema;
mod settings;
mod tls;

use std::time::{Duration, Instant};

use fallible_iterator::FallibleIterator;
use postgres::error::SqlState;
use postgres::{Client, Row};
use thrifty_study::TrialId;
use thrifty_study::shared::{AppendError, Entry, EventLog, Lease, LogError};

use connection::Connection;
use failure::failure;
use schema::MIGRATIONS;
use settings::Settings;

/// Log of one study on a PostgreSQL server.
///
/// Tables are in the schema `thrifty`. Workers are woken by LISTEN and NOTIFY, which need a direct connection or a pooler in
/// session mode. A connection that breaks is opened again with the next call. Leases run by the server's clock.
pub struct PostgresLog {
    settings: Settings,
    connection: Option<Connection>,
    study: i64,
    name: String,
    is_read_only: bool,
}

impl PostgresLog {
    /// Opens the log of a study; tables and study are created if they are not there. Older schemas are migrated.
    ///
    /// The address is `postgres://user@host:port/database?sslmode=…`. What it leaves out is taken from `PGHOST`, `PGPORT`, `PGUSER`,
    /// `PGPASSWORD`, `PGPASSFILE`, `PGDATABASE`, `PGSSLMODE` and `PGSSLROOTCERT`. `sslmode` is `disable`, `prefer`, `require` or
    /// `verify-full`.
    ///
    /// # Errors
    /// [`LogError`]: no server, no right to use it, or the store of a newer program.
    pub fn open(address: &str, study: &str) -> Result<Self, LogError> {
        let mut log = Self::new(address, study, false)?;
        let (store, mut client) = (log.settings.name(), log.connect()?);
        schema::migrate(&mut client, &store, &MIGRATIONS)?;
        let failed = |error| failure(&store, &error);
        let add = "INSERT INTO thrifty.studies (name) SELECT $1 WHERE NOT EXISTS
            (SELECT 1 FROM thrifty.studies WHERE name = $1) ON CONFLICT DO NOTHING";
        client.execute(add, &[&study]).map_err(failed)?;
        let id =
            client.query_one("SELECT id FROM thrifty.studies WHERE name = $1", &[&study]).map_err(failed)?;
        log.study = id.get(0);
        log.connection = Some(Connection::prepare(client).map_err(failed)?);
        Ok(log)
    }

    /// Opens the log of a study to read it; nothing is created or migrated.
    ///
    /// # Errors
    /// As [`PostgresLog::open`], and [`LogError::Empty`] without the store or the study.
    pub fn open_read_only(address: &str, study: &str) -> Result<Self, LogError> {
        let mut log = Self::new(address, study, true)?;
        let (store, mut client) = (log.settings.name(), log.connect()?);
        let failed = |error| failure(&store, &error);
        let known = MIGRATIONS.len() as i64;
        match schema::version(&mut client).map_err(failed)? {
            None => return Err(LogError::Empty { store }),
            found @ Some(version) if !schema::is_latest(&store, found, known)? => {
                return Err(LogError::Schema { store, found: version, known });
            }
            Some(_) => {}
        }
        let id =
            client.query_opt("SELECT id FROM thrifty.studies WHERE name = $1", &[&study]).map_err(failed)?;
        let Some(id) = id else { return Err(LogError::Empty { store: log.name() }) };
        log.study = id.get(0);
        log.connection = Some(Connection::prepare(client).map_err(failed)?);
        Ok(log)
    }

    fn new(address: &str, study: &str, is_read_only: bool) -> Result<Self, LogError> {
        let settings = Settings::new(address, &|name| std::env::var(name).ok());
        let settings = settings
            .map_err(|message| LogError::Refused { store: "the PostgreSQL store".into(), message })?;
        Ok(Self { settings, connection: None, study: 0, name: study.into(), is_read_only })
    }

    fn connect(&self) -> Result<Client, LogError> {
        let store = self.settings.name();
        let connector = tls::connector(&self.settings)
            .map_err(|message| LogError::Refused { store: store.clone(), message })?;
        let failed = |error| failure(&store, &error);
        let mut client = self.settings.config.connect(connector).map_err(failed)?;
        if self.is_read_only {
            client.batch_execute("SET default_transaction_read_only = on").map_err(failed)?;
        }
        Ok(client)
    }

    /// Calls the server, on a new connection if the last one broke.
    fn call<T>(
        &mut self,
        run: impl FnOnce(&mut Connection, i64) -> Result<T, postgres::Error>,
    ) -> Result<Result<T, postgres::Error>, LogError> {
        let is_open = self.connection.as_ref().is_some_and(|connection| !connection.client.is_closed());
        if !is_open {
            let client = self.connect()?;
            let prepared = Connection::prepare(client).map_err(|error| self.failure(&error))?;
            self.connection = Some(prepared);
        }
        let study = self.study;
        let Some(connection) = self.connection.as_mut() else {
            let message = "there is no connection".into();
            return Err(LogError::Unavailable { store: self.settings.name(), message });
        };
        Ok(run(connection, study))
    }

    fn failure(&self, error: &postgres::Error) -> LogError {
        failure(&self.settings.name(), error)
    }

    fn query<T>(
        &mut self,
        run: impl FnOnce(&mut Connection, i64) -> Result<T, postgres::Error>,
    ) -> Result<T, LogError> {
        self.call(run)?.map_err(|error| self.failure(&error))
    }
}

impl EventLog for PostgresLog {
    fn name(&self) -> String {
        format!("{}, study {}", self.settings.name(), self.name)
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        let seq = signed(seq);
        let rows = self.query(|at, study| at.client.query(&at.read, &[&study, &seq]))?;
        let entry = |row: &Row| Entry { seq: row.get::<_, i64>(0).unsigned_abs(), body: row.get(1) };
        Ok(rows.iter().map(entry).collect())
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        let (place, trial) = (signed(expected), lease.map(|lease| signed(lease.trial.0)));
        let (fence, owner) =
            (lease.map(|lease| signed(lease.fence)), lease.map(|lease| lease.owner.as_str()));
        let result = self.call(|at, study| {
            at.client.query_one(&at.append, &[&study, &place, &bodies, &trial, &fence, &owner])
        })?;
        match result {
            Ok(row) if !row.get::<_, bool>(0) => Err(AppendError::Fenced),
            Ok(row) if row.get::<_, i64>(1) == bodies.len() as i64 => Ok(()),
            Ok(_) => Err(AppendError::Conflict),
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => Err(AppendError::Conflict),
            Err(error) => Err(self.failure(&error).into()),
        }
    }

    fn wait(&mut self, seq: u64, timeout: Duration) -> Result<(), LogError> {
        let started_at = Instant::now();
        let seq = signed(seq);
        loop {
            let row = self.query(|at, study| at.client.query_one(&at.exists, &[&study, &seq]))?;
            let left = || timeout.saturating_sub(started_at.elapsed());
            if row.get(0) || left().is_zero() {
                return Ok(());
            }
            self.query(|at, study| {
                let study = study.to_string();
                let mut notifications = at.client.notifications();
                // The time begins anew with every iterator: news of other studies do not prolong it.
                while let Some(news) = notifications.timeout_iter(left()).next()? {
                    if news.payload() == study {
                        break;
                    }
                }
                Ok(())
            })?;
        }
    }

    fn claim(&mut self, trial: TrialId, owner: &str, duration: Duration) -> Result<Option<Lease>, LogError> {
        let (number, seconds) = (signed(trial.0), seconds(duration));
        let row =
            self.query(|at, study| at.client.query_opt(&at.claim, &[&study, &number, &owner, &seconds]))?;
        Ok(row.map(|row| Lease { trial, owner: owner.into(), fence: row.get::<_, i64>(0).unsigned_abs() }))
    }

    fn heartbeat(&mut self, lease: &Lease, duration: Duration) -> Result<bool, LogError> {
        let (trial, fence, seconds) = (signed(lease.trial.0), signed(lease.fence), seconds(duration));
        let changed = self.query(|at, study| {
            at.client.execute(&at.heartbeat, &[&study, &trial, &fence, &lease.owner, &seconds])
        })?;
        Ok(changed > 0)
    }

    fn release(&mut self, lease: &Lease) -> Result<(), LogError> {
        self.heartbeat(lease, Duration::ZERO).map(drop)
    }

    fn now(&mut self) -> Result<f64, LogError> {
        let row = self.query(|at, _| {
            at.client.query_one("SELECT extract(epoch FROM clock_timestamp())::float8", &[])
        })?;
        Ok(row.get(0))
    }

    fn unclaimed(&mut self, trials: &[TrialId]) -> Result<Vec<TrialId>, LogError> {
        let numbers: Vec<i64> = trials.iter().map(|trial| signed(trial.0)).collect();
        let rows = self.query(|at, study| at.client.query(&at.unclaimed, &[&study, &numbers]))?;
        Ok(rows.iter().map(|row| TrialId(row.get::<_, i64>(0).unsigned_abs())).collect())
    }
}

/// Longest time of a lease, in seconds: 3,000 years, after which the server still has dates.
const LONGEST: f64 = 1e11;

/// Time of a lease in seconds.
fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64().min(LONGEST)
}

/// A number as SQL has it; those beyond its range are at no place of any log.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

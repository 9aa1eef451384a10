//! Stores of shared studies: event logs in SQLite and, with the feature `postgres`, in PostgreSQL.
//!
//! A store keeps the logs of any number of studies by name. [`open`] connects to one by its address.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! let address = format!("sqlite://{}", folder.path().join("studies.db").display());
//! let mut log = thrifty_store::open(&address, "my study")?;
//! assert_eq!(log.read_from(0)?, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

pub use address::{open, open_read_only};
pub use sqlite::SqliteLog;

#[cfg(feature = "postgres")]
pub use postgres::PostgresLog;

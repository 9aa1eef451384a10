//! Stores of shared studies: event logs in SQLite and, with the feature `postgres`, in PostgreSQL.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A store keeps the logs of any number of studies by name. [`open`] connects to one by its address.

mod address;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

pub use address::{open, open_read_only};
pub use sqlite::SqliteLog;

#[cfg(feature = "postgres")]
pub use postgres::PostgresLog;

//! Tables of the trials of a study: a row per trial, typed columns, as CSV, JSON or plain text; and back.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`from_csv`], [`from_optuna`], [`from_table`] (either of these) and [`from_hyperopt`] read trials made elsewhere, for
//! [`Study::with_known`](thrifty_study::Study::with_known). [`quoted`] and [`Number`] read JSON with numbers that are not finite.
//!
//! [`Table::of`] has a row per trial and [`Table::of_reports`] a row per intermediate value. Both need nothing of the optimiser: a journal
//! that was read with [`History::read`](thrifty_study::History::read) will do.

mod cell;
mod column;
mod error;
mod import;
mod number;
mod read;
mod table;
mod trials;
mod write;

pub use column::{Column, Values};
pub use error::ResultsError;
pub use import::{ImportError, KnownTrials, from_hyperopt, from_optuna};
pub use number::{Number, quoted};
pub use read::{from_csv, from_table};
pub use table::Table;

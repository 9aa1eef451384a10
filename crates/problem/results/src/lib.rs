//! Tables of the trials of a study: a row per trial, typed columns, as CSV, JSON or plain text; and back.
//!
//! ```
//! use thrifty_results::Table;
//! use thrifty_sampling::Seed;
//! use thrifty_search::RandomSearch;
//! use thrifty_space::{Config, Space};
//! use thrifty_study::{MaxTrials, Study};
//!
//! let space = Space::builder().log_float("rate", 1e-4, 1.0).categorical("solver", ["sgd", "adam"]).build()?;
//! let mut study = Study::new(RandomSearch::new(space), Seed(1)).with_stop(MaxTrials(3));
//! study.run(|config: &Config, _| config.float("rate").map_or(f64::NAN, |rate| (rate.log10() + 2.0).powi(2)))?;
//!
//! let table = Table::of(study.history())?;
//! assert_eq!(table.names().take(5).collect::<Vec<_>>(), ["trial", "state", "objective", "rate", "solver"]);
//! let mut csv = Vec::new();
//! table.write_csv(&mut csv)?;
//! assert!(csv.starts_with(b"trial,state,objective,rate,solver,"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`from_csv`], [`from_optuna`] and [`from_hyperopt`] read trials made elsewhere, for
//! [`Study::with_known`](thrifty_study::Study::with_known).
//!
//! [`Table::of`] has a row per trial and [`Table::of_reports`] a row per intermediate value. Both need nothing of the optimiser: a journal
//! that was read with [`History::read`](thrifty_study::History::read) will do.

mod cell;
mod column;
mod error;
mod import;
mod read;
mod table;
mod trials;
mod write;

pub use column::{Column, Values};
pub use error::ResultsError;
pub use import::{ImportError, KnownTrials, from_hyperopt, from_optuna};
pub use read::from_csv;
pub use table::Table;

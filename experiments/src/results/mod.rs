//! Tables of the results pages, written from checked-in CSV files.
//!
//! A page of `docs/src/results` keeps its prose by hand and marks each table by a comment that names a CSV file below
//! `experiments/runs`. `build` writes the tables, `build --check` finds those that differ, `accept` takes the CSV files of a run.

mod accept;
mod build;
mod claims;
pub mod command;
mod error;
mod files;
mod marker;
mod page;
mod prose;
mod selection;
mod studies;

pub use self::command::ResultsCommand;
pub use self::error::ResultsError;

#[cfg(test)]
mod tests;

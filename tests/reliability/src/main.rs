//! Reliability of studies, measured by one command:
//! `cargo run --release -p thrifty-reliability -- all [--quick]`.
//!
//! Each row of the table is a kind of damage, done to every optimiser: how often, how many outcomes had been acknowledged
//! before, how many of them were lost, how many studies went on otherwise than without it, and how often the damage went
//! unnoticed. The command succeeds only if the last three are 0 everywhere. A run that was interrupted goes on where it
//! was: finished units are in `--out`.

#![allow(unreachable_pub)] // a binary has no outside; `pub` says what a module offers the others

#[cfg(unix)]
mod conditioned;
#[cfg(unix)]
mod damage;
#[cfg(unix)]
mod earlier;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod places;
#[cfg(unix)]
mod roster;
#[cfg(unix)]
mod rows;
#[cfg(unix)]
mod sitting;
#[cfg(unix)]
mod tally;
#[cfg(unix)]
mod trace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Seed of every study.
#[cfg(unix)]
const SEED: u64 = 11;

/// Trials of every study.
#[cfg(unix)]
const TRIALS: usize = 14;

/// Reason why a row could not be filled.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
enum ReliabilityError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Csv(#[from] csv::Error),
    #[error(transparent)]
    Study(#[from] thrifty::study::StudyError),
    #[error("there is no optimiser {0}")]
    Subject(String),
    #[error("a process could not be watched")]
    Pipe,
    #[error("a process failed: {0}")]
    Child(String),
}

/// Measures what a study survives.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every row of the table.
    All {
        /// A reduced number of damages: at most ten minutes on two cores.
        #[arg(long)]
        quick: bool,
        /// Only rows whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Folder of finished units.
        #[arg(long, default_value = "out/reliability")]
        out: PathBuf,
    },
    /// Writes the journals of one format: see tests/journals.
    #[command(hide = true)]
    WriteJournals {
        /// Folder to write to.
        folder: PathBuf,
    },
    /// A study to be killed.
    #[cfg(unix)]
    #[command(hide = true)]
    Child {
        /// The optimiser.
        subject: String,
        /// Mode of the loop.
        mode: sitting::Mode,
        /// Its journal.
        journal: PathBuf,
    },
    /// A study on a full disk.
    #[command(hide = true)]
    FullDiskChild {
        /// The optimiser.
        subject: String,
        /// Its journal.
        journal: PathBuf,
        /// Bytes that a file may have.
        limit: u64,
    },
}

#[cfg(unix)]
fn run(cli: Cli) -> Result<bool, ReliabilityError> {
    match cli.command {
        Command::All { quick, only, out } => rows::all(quick, only.as_deref(), &out),
        Command::WriteJournals { folder } => earlier::write(&folder).map(|()| true),
        Command::Child { subject, mode, journal } => rows::child(&subject, mode, &journal).map(|()| true),
        Command::FullDiskChild { subject, journal, limit } => {
            places::full_disk_child(&subject, &journal, limit).map(|()| true)
        }
    }
}

#[cfg(not(unix))]
fn run(_: Cli) -> Result<bool, ReliabilityError> {
    Err(ReliabilityError::Child("signals and file-size limits are those of Unix".into()))
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

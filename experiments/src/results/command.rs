//! The commands `results build` and `results accept`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::files::Root;
use super::{accept, build};
use crate::error::ExperimentError;
use crate::registry::{all, find};

/// The repository of a command.
#[derive(Args)]
pub struct Place {
    /// Folder of the repository; the one that this program was built from without it.
    #[arg(long)]
    root: Option<PathBuf>,
}

/// Actions on the results pages of the book.
#[derive(Subcommand)]
pub enum ResultsCommand {
    /// Write every marked table anew from its CSV file, and the page of claims.
    Build {
        /// Write nothing, and fail where a page differs from its CSV files or has a table without a mark.
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Take the tables that pages print, and the verdicts, from the folder of a run.
    Accept {
        /// Folder that --out of the run named.
        out: PathBuf,
        /// The ids of experiments.
        #[arg(required = true)]
        ids: Vec<String>,
        /// Take a run of another design, or with other columns.
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        place: Place,
    },
}

impl Place {
    pub(super) fn root(&self) -> Root {
        Root(self.root.clone().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("..")))
    }
}

impl ResultsCommand {
    /// Runs the command; false if a check found a difference.
    pub fn run(&self) -> Result<bool, ExperimentError> {
        match self {
            Self::Build { check, place } => {
                let root = place.root();
                let (pages, differences) = build::build(&root, &all())?;
                if *check {
                    differences.iter().for_each(|difference| println!("docs/src/results/{difference}"));
                    println!("{} pages, {} differences", pages.len(), differences.len());
                    return Ok(differences.is_empty());
                }
                let written = build::write(&root, &pages)?;
                written.iter().for_each(|name| println!("docs/src/results/{name} is written"));
                println!("{} of {} pages changed", written.len(), pages.len());
                Ok(true)
            }
            Self::Accept { out, ids, replace, place } => {
                let ids: Vec<&'static str> =
                    ids.iter().map(|id| find(id).map(|found| found.id)).collect::<Result<_, _>>()?;
                for accepted in accept::accept(&place.root(), out, &ids, *replace)? {
                    let line = &accepted.line;
                    println!("{}: {} ({}, n = {})", line.experiment, line.verdict, line.design, line.n);
                    accepted.files().for_each(|file| println!("  experiments/runs/{file}"));
                    for file in &accepted.by_hand {
                        println!("  experiments/runs/{file} was put together by hand: renew it by hand");
                    }
                }
                println!("`results build` writes the pages");
                Ok(true)
            }
        }
    }
}

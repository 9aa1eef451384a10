//! The commands `data list`, `data get` and `data check`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use super::error::DataError;
use super::get::{Getter, Got, OPENML};
use super::set::DataSet;
use super::transfer::{RealDisk, Transfer, agent};
use super::{Folder, all, check, find, list, sum};

/// The data folder of a command.
#[derive(Args)]
pub struct Place {
    /// Folder with the data sets; the data folder of the platform without it.
    #[arg(long, env = "THRIFTY_DATA")]
    data: Option<PathBuf>,
}

/// Actions on data sets.
#[derive(Subcommand)]
pub enum DataCommand {
    /// Name every data set: content, source, licence, size, sum, address.
    List {
        /// Only these sets.
        names: Vec<String>,
    },
    /// Download data sets, convert and check them; goes on where a transfer broke off.
    Get {
        /// Names of the sets.
        #[arg(required = true)]
        names: Vec<String>,
        /// A file or folder on this machine instead of a download.
        #[arg(long)]
        from: Option<PathBuf>,
        /// SHA-256 of a download that the catalog has no sum of, as an earlier `get` printed it.
        #[arg(long)]
        accept: Vec<String>,
        #[command(flatten)]
        place: Place,
    },
    /// Compare the data folder with the catalog: sums, columns, classes.
    Check {
        /// Only these sets, which must then be there.
        names: Vec<String>,
        #[command(flatten)]
        place: Place,
    },
}

impl DataCommand {
    /// Runs the command; false if a check found something wrong.
    pub fn run(&self) -> Result<bool, DataError> {
        match self {
            Self::List { names } => {
                print!("{}", list::describe(&chosen(names)?));
                Ok(true)
            }
            Self::Get { names, from, accept, place } => get(&chosen(names)?, from.as_deref(), accept, place),
            Self::Check { names, place } => {
                let folder = place.folder()?;
                let (report, well) = check::report(&folder, &chosen(names)?, !names.is_empty())?;
                print!("{}\n{report}", folder.display());
                Ok(well)
            }
        }
    }
}

impl Place {
    fn folder(&self) -> Result<PathBuf, DataError> {
        Folder::find(self.data.as_deref()).map(|folder| folder.path).ok_or(DataError::NoFolder)
    }
}

/// The sets of these names, all without one.
fn chosen(names: &[String]) -> Result<Vec<&'static DataSet>, DataError> {
    if names.is_empty() { Ok(all()) } else { names.iter().map(|name| find(name)).collect() }
}

fn get(sets: &[&DataSet], from: Option<&Path>, accept: &[String], place: &Place) -> Result<bool, DataError> {
    if let Some(bad) = accept.iter().find(|text| !sum::is_sum(text)) {
        return Err(DataError::malformed(Path::new("--accept"), format!("{bad} is no SHA-256 sum")));
    }
    let folder = place.folder()?;
    let bar = ProgressBar::no_length();
    if let Ok(style) =
        ProgressStyle::with_template("{msg} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left")
    {
        bar.set_style(style);
    }
    let progress = |file: &str, have: u64, total: Option<u64>| {
        bar.set_message(file.to_owned());
        total.into_iter().for_each(|total| bar.set_length(total));
        bar.set_position(have);
    };
    let transfer = Transfer::new(agent(), &RealDisk);
    let getter = Getter { folder: &folder, transfer, accept, openml: OPENML, progress: &progress };
    for set in sets {
        for (path, got) in getter.get(set, from)? {
            let said = if got == Got::Present { "is there" } else { "installed" };
            println!("{}: {said}", folder.join(path).display());
        }
    }
    bar.finish_and_clear();
    Ok(true)
}

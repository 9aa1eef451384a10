//! The subcommands that draw: `thrifty report` and `thrifty plot`.

use std::io::Write;
use std::path::{Path, PathBuf};

use thrifty_report::{Figure, Report};
use thrifty_space::{Config, Space};
use thrifty_study::History;

use crate::commands::{history_of, study_file};
use crate::error::CliError;

/// The history of a study, its space if there is a study file, and its journal.
struct Opened {
    history: History<Config>,
    space: Option<Space>,
    journal: PathBuf,
}

fn open(path: &Path) -> Result<Opened, CliError> {
    let (journal, space) =
        study_file(path)?.map_or_else(|| (path.to_owned(), None), |file| (file.journal, Some(file.space)));
    let history = history_of(&journal)?;
    Ok(Opened { history, space, journal })
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|source| CliError::File { path: path.into(), source })
}

/// `thrifty report`: writes the page, and prints its name.
pub(crate) fn report(path: &Path, output: Option<&Path>) -> Result<(), CliError> {
    let Opened { history, space, journal } = open(path)?;
    let output = output.map_or_else(|| journal.with_extension("html"), Path::to_owned);
    let title = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let page = Report::new(&history, space.as_ref())?.page(&title)?;
    write(&output, &page)?;
    writeln!(std::io::stdout(), "{}", output.display())?;
    Ok(())
}

/// `thrifty plot`: one figure as SVG.
pub(crate) fn plot(path: &Path, figure: &str, output: Option<&Path>) -> Result<(), CliError> {
    let figure = Figure::named(figure)?;
    let Opened { history, space, .. } = open(path)?;
    let svg = Report::new(&history, space.as_ref())?.draw(figure)?;
    match output {
        Some(output) => write(output, &svg),
        None => Ok(write!(std::io::stdout(), "{svg}")?),
    }
}

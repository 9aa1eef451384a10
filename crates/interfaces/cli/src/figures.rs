//! The subcommands that draw: `thrifty report` and `thrifty plot`.

use std::io::Write;
use std::path::{Path, PathBuf};

use thrifty_report::{Figure, Report};

use crate::args::Source;
use crate::commands::{load, write_file};
use crate::error::CliError;
use crate::recommendation;
use crate::target::recorded_space;

/// `thrifty report`: writes the page, and prints its name.
pub(crate) fn report(source: &Source, output: Option<&Path>) -> Result<(), CliError> {
    let output = write_report(source, output)?;
    writeln!(std::io::stdout(), "{}", output.display())?;
    Ok(())
}

/// Writes the page, by default beside the study file or journal.
pub(crate) fn write_report(source: &Source, output: Option<&Path>) -> Result<PathBuf, CliError> {
    let (history, file) = load(source)?;
    let recommended = file.as_ref().map(|file| recommendation::recommended(file, &history));
    let space = file.as_ref().map(|file| file.space.clone()).or_else(|| recorded_space(&history));
    let output = output.map_or_else(|| source.study.with_extension("html"), Path::to_owned);
    let title = source.study.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut report = Report::new(&history, space.as_ref())?;
    if let Some(recommended) = recommended.filter(|recommended| !recommended.is_null()) {
        report = report.with_recommendation(recommendation::as_text(&recommended));
    }
    let page = report.page(&title)?;
    write_file(source, file.as_ref(), &output, page.as_bytes())?;
    Ok(output)
}

/// `thrifty plot`: one figure as SVG.
pub(crate) fn plot(source: &Source, figure: &str, output: Option<&Path>) -> Result<(), CliError> {
    let figure = Figure::named(figure)?;
    let (history, file) = load(source)?;
    let space = file.as_ref().map(|file| file.space.clone()).or_else(|| recorded_space(&history));
    let svg = Report::new(&history, space.as_ref())?.draw(figure)?;
    match output {
        Some(output) => write_file(source, file.as_ref(), output, svg.as_bytes()),
        None => Ok(write!(std::io::stdout(), "{svg}")?),
    }
}

//! Errors of the results pages.

use std::path::PathBuf;

/// A fault of a CSV file that a page prints.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    #[error("is not there")]
    Missing,
    #[error("has no rows")]
    Empty,
    #[error("cannot be read: {message}")]
    Unreadable { message: String },
    #[error("has no column {column:?}; its columns are {}", .columns.join(", "))]
    NoColumn { column: String, columns: Vec<String> },
    #[error("has several columns {column:?}")]
    TwoColumns { column: String },
    #[error("has a line break in {cell:?}, which no table of Markdown can hold")]
    LineBreak { cell: String },
    #[error("names the experiment {id}, which has no line in experiments/runs/claims.csv")]
    UnknownExperiment { id: String },
    #[error("has the state {state:?}, expected whole, substitute, part or missing")]
    UnknownState { state: String },
}

/// A page that cannot be built, or a run that cannot be accepted.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A CSV file is not what the page asks for.
    #[error("docs/src/results/{page}:{line}: experiments/runs/{file} {fault}")]
    Table { page: String, line: usize, file: String, fault: TableError },
    /// A marker cannot be read.
    #[error("docs/src/results/{page}:{line}: the marker {marker:?} {fault}")]
    Marker { page: String, line: usize, marker: String, fault: &'static str },
    /// Lines that are no table follow a marker without a blank line.
    #[error("docs/src/results/{page}:{line}: {text:?} is within a marked table; a blank line ends a table")]
    Crowded { page: String, line: usize, text: String },
    /// A marker asks for the run of an experiment that no line has.
    #[error("docs/src/results/{page}:{line}: experiments/runs/claims.csv names no commit of {id}")]
    NoRun { page: String, line: usize, id: String },
    /// The table of claims is broken.
    #[error("experiments/runs/claims.csv, line {line}: {message}")]
    Claims { line: usize, message: String },
    /// A folder is no run of an experiment.
    #[error("{path} {message}")]
    Run { path: PathBuf, message: String },
    /// A run has another design than the one that the book prints.
    #[error("{id}: the run is {run:?}, the book has {book:?}; --replace takes it nevertheless")]
    Design { id: String, run: String, book: String },
    /// A run has fewer replications than the one that the book prints.
    #[error("{id}: the run has n = {run}, the book has n = {book}; --replace takes it nevertheless")]
    Fewer { id: String, run: String, book: String },
    /// A table of a run has other columns than the one that the book prints.
    #[error(
        "{id}: {file} has columns {}, the book has {}; --replace takes it nevertheless", .run.join(", "), .book.join(", ")
    )]
    Columns { id: String, file: String, run: Vec<String>, book: Vec<String> },
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
}

impl ResultsError {
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

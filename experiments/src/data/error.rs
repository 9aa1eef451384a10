//! Errors of the data commands.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why a data set could not be fetched, converted or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// No set has this name.
    #[error("no data set is called {name}; `data list` names them all")]
    UnknownSet { name: String },
    /// The platform names no data folder.
    #[error("this platform names no data folder; give --data DIR")]
    NoFolder,
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    /// The server cannot be reached.
    #[error("{address}: {message}; nothing was changed, try again with a network")]
    Network { address: String, message: String },
    /// The server answered with an error.
    #[error("{address}: the server answered with status {status}")]
    Status { address: String, status: u16 },
    /// A transfer broke off again and again.
    #[error("{address}: broke off after {have} bytes of {}: {message}; `get` goes on there",
        .total.map_or("unknown number".to_owned(), |total| total.to_string()))]
    Torn { address: String, have: u64, total: Option<u64>, message: String },
    /// A download or a converted file has another sum than the catalog.
    #[error("{path}: SHA-256 {found}, expected {expected}: another version or a damaged copy, not kept")]
    WrongSum { path: PathBuf, expected: String, found: String },
    /// The catalog has no sum and the user has not accepted this one.
    #[error(
        "{path}: nobody has checked this file yet. The download has SHA-256\n{found}\nIf you trust it: `data get {name} --accept {found}`"
    )]
    Unaccepted { name: &'static str, path: PathBuf, found: String },
    /// A file does not have the form that its conversion or its entry expects.
    #[error("{path}: {message}")]
    Malformed { path: PathBuf, message: String },
    /// A set cannot be downloaded by this program.
    #[error("{name}: {how}. Then `data get {name} --from PATH` checks and converts it")]
    NotFetched { name: &'static str, how: String },
}

impl DataError {
    /// An error of a file or folder.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// A file that is not in its form.
    pub fn malformed(path: &Path, message: impl std::fmt::Display) -> Self {
        Self::Malformed { path: path.to_owned(), message: message.to_string() }
    }
}

//! Errors of reading reference files.

use std::path::PathBuf;

/// A reference file that cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// A file or folder cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file is not JSON, or lacks a number that a check needs.
    #[error("{file}: {message}")]
    Content {
        /// Name of the file.
        file: String,
        /// The problem, and its place.
        message: String,
    },
    /// No file of this name can be checked.
    #[error("{file} is not known to this build")]
    UnknownFile {
        /// Name of the file.
        file: String,
    },
    /// A folder without a file that can be checked.
    #[error("{path}: holds no reference file that this build knows")]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

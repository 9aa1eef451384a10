//! Places of pages and CSV files, and writing in one piece.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{ResultsError, TableError};

/// Folder of the repository.
#[derive(Debug, Clone)]
pub struct Root(pub PathBuf);

impl Root {
    /// Folder with the pages.
    pub fn pages(&self) -> PathBuf {
        self.0.join("docs/src/results")
    }

    /// Folder with the CSV files.
    pub fn runs(&self) -> PathBuf {
        self.0.join("experiments/runs")
    }

    /// Table of the claims of all experiments.
    pub fn claims(&self) -> PathBuf {
        self.runs().join("claims.csv")
    }

    /// Names and texts of the pages, by name.
    pub fn read_pages(&self) -> Result<Vec<(String, String)>, ResultsError> {
        let folder = self.pages();
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(ResultsError::io(&folder))? {
            let name = entry.map_err(ResultsError::io(&folder))?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                names.push(name);
            }
        }
        names.sort();
        let read = |name: String| {
            let path = folder.join(&name);
            Ok((name, fs::read_to_string(&path).map_err(ResultsError::io(path))?))
        };
        names.into_iter().map(read).collect()
    }
}

/// Header and rows of a CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// Reads a file.
    ///
    /// # Errors
    /// [`TableError`] when the file is missing, cannot be read, or has no rows.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        if !path.is_file() {
            return Err(TableError::Missing);
        }
        let bytes = fs::read(path).map_err(|error| TableError::Unreadable { message: error.to_string() })?;
        Self::parse(&bytes)
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, TableError> {
        let unreadable = |error: csv::Error| TableError::Unreadable { message: error.to_string() };
        let mut reader = csv::Reader::from_reader(bytes);
        let cells = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = cells(reader.headers().map_err(unreadable)?);
        let rows: Result<Vec<Vec<String>>, _> =
            reader.records().map(|record| record.as_ref().map(cells).map_err(ToString::to_string)).collect();
        let rows = rows.map_err(|message| TableError::Unreadable { message })?;
        if rows.is_empty() { Err(TableError::Empty) } else { Ok(Self { header, rows }) }
    }

    /// Position of a column.
    pub fn column(&self, name: &str) -> Result<usize, TableError> {
        let mut found = (0..self.header.len()).filter(|at| self.header[*at] == name);
        let no_column = || TableError::NoColumn { column: name.into(), columns: self.header.clone() };
        let at = found.next().ok_or_else(no_column)?;
        if found.next().is_some() { Err(TableError::TwoColumns { column: name.into() }) } else { Ok(at) }
    }
}

/// Writes a file beside its place and renames it, so that no reader finds half of it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(ResultsError::io(folder))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|source| {
        _ = fs::remove_file(&part);
        ResultsError::Io { path: path.into(), source }
    })
}

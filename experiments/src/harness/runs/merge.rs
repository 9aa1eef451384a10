//! Joins the runs of several folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::log::{append_to, read};
use crate::error::ExperimentError;

/// Appends to the runs of an experiment below `out` those of other folders that are not there yet. A folder is one that
/// `--out` named, or the experiment's own in it. Returns how many lines were new.
///
/// # Errors
/// A data error where a folder has no runs, or where two lines of one job differ.
pub fn merge(id: &str, out: &Path, folders: &[PathBuf]) -> Result<usize, ExperimentError> {
    let mut new = 0;
    for folder in folders {
        let own = Some(folder.join(id)).filter(|own| own.is_dir()).unwrap_or_else(|| folder.clone());
        let files = files(&own)?;
        if files.is_empty() {
            return Err(ExperimentError::data(&own, "has no runs.csv"));
        }
        for file in files {
            let name = file.file_name().unwrap_or_default();
            new += join(&file, &out.join(id).join(name))?;
        }
    }
    Ok(new)
}

/// The files of runs in a folder, in order of their names; those that were put aside are left out.
fn files(folder: &Path) -> Result<Vec<PathBuf>, ExperimentError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(ExperimentError::io(folder))? {
        let path = entry.map_err(ExperimentError::io(folder))?.path();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let of_runs = stem == "runs" || (stem.starts_with("runs-") && !stem.contains('.'));
        if of_runs && path.extension().is_some_and(|extension| extension == "csv") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn join(from: &Path, to: &Path) -> Result<usize, ExperimentError> {
    let there = if to.is_file() { read(to)?.1 } else { Vec::new() };
    let mut known: BTreeMap<_, _> = there.into_iter().map(|line| (line.key(), line.cells)).collect();
    let mut new = Vec::new();
    for line in read(from)?.1 {
        match known.get(&line.key()) {
            None => {
                known.insert(line.key(), line.cells.clone());
                new.push(line);
            }
            // Seconds differ from run to run; everything else is the same for the same seed.
            Some(cells) if without_seconds(cells) == without_seconds(&line.cells) => {}
            Some(_) => {
                let message = format!("{} has another result in {}", line.name, to.display());
                return Err(ExperimentError::data(from, message));
            }
        }
    }
    append_to(to, &new)?;
    Ok(new.len())
}

fn without_seconds(cells: &[(String, String)]) -> Vec<&(String, String)> {
    cells.iter().filter(|(name, _)| !name.contains("seconds")).collect()
}

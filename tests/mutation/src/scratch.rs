//! The scratch copy of the workspace, in which mutants are compiled.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::MutationError;

/// Folders that hold results, not sources.
const SKIPPED: [&str; 3] = ["target", "out", "book"];

/// Copies the files of a workspace to `scratch`, except `rewritten`. Files that are already there with the same content are left as
/// they are, so that cargo compiles only what changed; files that the workspace no longer has are removed.
pub fn copy(workspace: &Path, scratch: &Path, rewritten: &HashSet<PathBuf>) -> Result<(), MutationError> {
    let sources = files(workspace, scratch)?;
    let wanted: HashSet<&PathBuf> = sources.iter().collect();
    if scratch.is_dir() {
        for stale in files(scratch, scratch)?.iter().filter(|file| !wanted.contains(file)) {
            let path = scratch.join(stale);
            std::fs::remove_file(&path).map_err(MutationError::io(&path))?;
        }
    }
    for file in &sources {
        if !rewritten.contains(file) {
            let path = workspace.join(file);
            let content = std::fs::read(&path).map_err(MutationError::io(&path))?;
            write(&scratch.join(file), &content)?;
        }
    }
    Ok(())
}

/// Writes a file unless it has this content already.
pub fn write(path: &Path, content: &[u8]) -> Result<(), MutationError> {
    if std::fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(MutationError::io(folder))?;
    }
    std::fs::write(path, content).map_err(MutationError::io(path))
}

/// All files below a folder, relative to it, without hidden folders, results and `except`.
fn files(root: &Path, except: &Path) -> Result<Vec<PathBuf>, MutationError> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).map_err(MutationError::io(&folder))? {
            let path = entry.map_err(MutationError::io(&folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path == except || name.starts_with('.') || SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(relative) = path.strip_prefix(root) {
                found.push(relative.to_owned());
            }
        }
    }
    Ok(found)
}

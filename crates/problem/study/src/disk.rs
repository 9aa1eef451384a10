//! Calls that force a file onto the disk.

use std::fs::File;
use std::io;
use std::path::Path;

/// Operating system calls that make a journal durable; tests replace them by counters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disk {
    /// Makes the content of a file durable.
    pub(crate) sync_file: fn(&File) -> io::Result<()>,
    /// Makes the name of a new file as durable as its content.
    pub(crate) sync_folder: fn(&Path) -> io::Result<()>,
}

impl Disk {
    /// Makes the name of a new file durable where possible.
    ///
    /// If the folder may not be read, or the file system does not sync folders, this is left to the operating system.
    pub(crate) fn sync_name(&self, path: &Path) -> io::Result<()> {
        match (self.sync_folder)(path) {
            Err(error) if is_impossible(&error) => Ok(()),
            synced => synced,
        }
    }
}

/// True for an error that every further call would return too.
fn is_impossible(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported)
}

impl Default for Disk {
    fn default() -> Self {
        Self { sync_file: File::sync_data, sync_folder }
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

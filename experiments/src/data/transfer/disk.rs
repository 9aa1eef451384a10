//! The disk that downloads and conversions are written to.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Opens files for writing; tests put a full disk in its place.
pub trait Disk {
    /// Opens a file at its end, or empties it.
    fn open(&self, path: &Path, append: bool) -> io::Result<Box<dyn Write>>;
}

/// The disk of the machine.
pub struct RealDisk;

impl Disk for RealDisk {
    fn open(&self, path: &Path, append: bool) -> io::Result<Box<dyn Write>> {
        let mut options = OpenOptions::new();
        let options = options.create(true).append(append).write(true).truncate(!append);
        Ok(Box::new(options.open(path)?))
    }
}

//! File that is locked while it is open.

use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};

/// A file with an exclusive lock, which is released when the value is dropped.
///
/// Closing a file releases its lock only after the last copy of the handle is closed. A command started by another thread at that moment
/// briefly has such a copy, so the lock is released explicitly. A process forked from the one that took the lock releases nothing, since it
/// does not own the lock.
#[derive(Debug)]
pub struct LockedFile {
    file: File,
    /// Process that took the lock.
    owner: u32,
}

impl LockedFile {
    /// Locks a file; `None` if another handle has the lock. On a file system without locks the file is used unlocked.
    #[must_use]
    pub fn new(file: File) -> Option<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            _ => Some(Self { file, owner: std::process::id() }),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.file
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            // Without locks there is nothing to release.
            let _ = self.file.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &std::path::Path) -> File {
        File::options().read(true).append(true).create(true).open(path).unwrap()
    }

    /// A copy of the handle, as a command that is just being started has one, does not keep the lock.
    #[test]
    fn a_copy_of_the_handle_does_not_keep_the_lock() {
        let path = std::env::temp_dir().join(format!("thrifty-locked-file-{}", std::process::id()));
        let locked = LockedFile::new(open(&path)).unwrap();
        let copy = locked.try_clone().unwrap();
        assert!(LockedFile::new(open(&path)).is_none(), "two at once");
        drop(locked);
        let next = LockedFile::new(open(&path)).expect("the lock was released");
        // One of another process stays.
        drop(LockedFile { file: next.try_clone().unwrap(), owner: 0 });
        assert!(LockedFile::new(open(&path)).is_none(), "released by a stranger");
        drop((next, copy));
        std::fs::remove_file(&path).unwrap();
    }
}

//! Identification of the build.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::ExperimentError;

/// Commit from which this build was made. Where sources had changed since, or where there is none, it ends in a checksum of the
/// program, so that runs of other sources are never taken for its own.
pub fn commit() -> &'static str {
    static COMMIT: OnceLock<String> = OnceLock::new();
    COMMIT.get_or_init(|| {
        identified(env!("THRIFTY_COMMIT"), || {
            let program = std::env::current_exe().and_then(std::fs::read);
            program.map_or_else(
                |_| format!("process {}", std::process::id()),
                |bytes| format!("{:08x}", crc32fast::hash(&bytes)),
            )
        })
    })
}

/// Commit of the lines that a merged report is made of, which need not be that of the build. All copies share it.
#[derive(Debug, Clone, Default)]
pub struct MergedCommit(Arc<Mutex<Option<String>>>);

impl MergedCommit {
    /// The commit of the lines; that of the build where none were merged.
    pub fn or_build(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_else(|| commit().into())
    }

    /// Notes the commit of the lines of one file.
    ///
    /// # Errors
    /// A data error where an earlier file of the report has lines of another commit.
    pub(super) fn note(&self, path: &Path, commit: &str) -> Result<(), ExperimentError> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*noted {
            Some(other) if other != commit => {
                let message =
                    format!("has runs of commit {commit}, the other files of the report have {other}");
                return Err(ExperimentError::data(path, message));
            }
            _ => *noted = Some(commit.to_owned()),
        }
        Ok(())
    }
}

fn identified(commit: &str, program: impl FnOnce() -> String) -> String {
    if commit == "unknown" || commit.ends_with("-dirty") {
        return format!("{commit}-{}", program());
    }
    commit.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_sources_are_told_apart() {
        let of = |commit: &str| identified(commit, || "cbf43926".into());
        assert_eq!(of("0123456789ab"), "0123456789ab");
        assert_eq!(of("0123456789ab-dirty"), "0123456789ab-dirty-cbf43926");
        assert_eq!(of("unknown"), "unknown-cbf43926");
        assert_eq!(commit(), commit());
    }
}

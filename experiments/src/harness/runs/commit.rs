//! Identification of the build.

use std::sync::OnceLock;

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

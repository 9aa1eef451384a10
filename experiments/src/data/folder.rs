//! The folder of the data sets.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder that holds the data sets, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    pub path: PathBuf,
    /// True if the user named it; false for the folder of the platform.
    pub named: bool,
}

impl Folder {
    /// The folder that is named, else that of the platform; none for the name `none` or where the platform has no folder.
    pub fn find(named: Option<&Path>) -> Option<Self> {
        Self::choose(named, |name| std::env::var_os(name))
    }

    fn choose(named: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        match named {
            Some(path) if path == Path::new("none") => None,
            Some(path) => Some(Self { path: path.to_owned(), named: true }),
            None => platform(variable).map(|folder| Self { path: folder.join("thrifty"), named: false }),
        }
    }
}

/// Folder for data of applications: `XDG_DATA_HOME` or `~/.local/share`; `~/Library/Application Support` and `LOCALAPPDATA` elsewhere.
fn platform(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_named_folder_wins_and_none_is_none() {
        let both = |name: &str| match name {
            "XDG_DATA_HOME" => Some("/x".into()),
            "HOME" => Some("/home/a".into()),
            _ => None,
        };
        let found = |named: Option<&str>| Folder::choose(named.map(Path::new), both);
        assert_eq!(found(Some("d")), Some(Folder { path: "d".into(), named: true }));
        assert_eq!(found(Some("none")), None);
        assert_eq!(found(None), Some(Folder { path: "/x/thrifty".into(), named: false }));
        // A relative XDG_DATA_HOME is to be ignored (XDG Base Directory Specification).
        let relative = |name: &str| if name == "XDG_DATA_HOME" { Some("x".into()) } else { both(name) };
        assert_eq!(Folder::choose(None, relative).unwrap().path, Path::new("/home/a/.local/share/thrifty"));
        assert_eq!(Folder::choose(None, |_| None), None);
    }
}

//! Interpreter for tests, which needs no Python.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An interpreter in a folder that answers each line by the first of the patterns that it matches, and no other line.
pub fn interpreter(folder: &Path, answers: &[(&str, &str)]) -> PathBuf {
    let path = folder.join("interpreter");
    let cases: Vec<String> =
        answers.iter().map(|(pattern, answer)| format!("{pattern}) echo '{answer}';;")).collect();
    let script =
        format!("#!/bin/sh\nwhile read -r line; do case $line in\n{}\nesac; done\n", cases.join("\n"));
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

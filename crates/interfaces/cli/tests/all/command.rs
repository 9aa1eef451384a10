//! Calls of the binary, and their output.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The program with arguments, in a folder. A store of the developer's own is no part of a test.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thrifty"));
    command.args(arguments).current_dir(folder).env_remove("THRIFTY_STORE");
    command
}

/// The end of a call.
pub(crate) fn thrifty(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// The standard output of a call that succeeds.
pub(crate) fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The standard error of a call.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The error of a call that fails with exit code 1, without the warnings before it. A TOML error shows the line of the file.
pub(crate) fn error(output: &Output) -> String {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let lines = text.split_inclusive('\n').skip_while(|line| !line.starts_with("error: "));
    let error: String = lines.collect();
    assert!(!error.is_empty(), "{text}");
    error
}

/// The JSON that a call prints.
pub(crate) fn json_of(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&thrifty(folder, arguments))).unwrap()
}

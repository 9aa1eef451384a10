//! Noise of evaluations in the study file.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thrifty"));
    command.args(["run", "study.toml"]).current_dir(folder).env_remove("THRIFTY_STORE").output().unwrap()
}

fn write(folder: &Path, trials: usize, optimizer: &str) {
    let text = format!(
        "command = [\"echo\", \"{{x}}\"]\n[[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n\
         [stop]\ntrials = {trials}\n[optimizer]\n{optimizer}\n"
    );
    std::fs::write(folder.join("study.toml"), text).unwrap();
}

fn error(folder: &Path) -> String {
    let output = run(folder);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn noise_is_a_setting_of_the_study() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 8, "evaluations = \"noisy\"");
    let output = run(folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    write(folder.path(), 10, "evaluations = \"deterministic\"");
    let refused = error(folder.path());
    assert!(refused.contains("learning"), "{refused}");
    write(folder.path(), 10, "evaluations = \"noisy\"");
    assert!(run(folder.path()).status.success());
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 8, "evaluations = \"outliers\"");
    assert!(run(folder.path()).status.success());
    write(folder.path(), 10, "");
    assert!(error(folder.path()).contains("robust gaussian process"));
}

#[test]
fn noise_that_is_unknown_or_of_another_method_is_refused() {
    for (optimizer, part) in [
        ("evaluations = \"loud\"", "expected one of `noisy`, `deterministic`, `outliers`"),
        ("method = \"tpe\"\nevaluations = \"noisy\"", "expected none, because tpe has no model of the noise"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 3, optimizer);
        let text = error(folder.path());
        assert!(text.contains(part), "{optimizer}: {text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{optimizer}");
    }
}

//! Noise of evaluations in the study file.
#![cfg(unix)]

use std::path::Path;
use std::process::Output;

use crate::command::{error, stdout, thrifty};

fn run(folder: &Path) -> Output {
    thrifty(folder, &["run", "study.toml"])
}

fn write(folder: &Path, trials: usize, optimizer: &str) {
    let text = format!(
        "command = [\"echo\", \"{{x}}\"]\n[[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n\
         [stop]\ntrials = {trials}\n[optimizer]\n{optimizer}\n"
    );
    std::fs::write(folder.join("study.toml"), text).unwrap();
}

#[test]
fn noise_is_a_setting_of_the_study() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 8, "evaluations = \"noisy\"");
    stdout(&run(folder.path()));
    write(folder.path(), 10, "evaluations = \"deterministic\"");
    let refused = error(&run(folder.path()));
    assert!(refused.contains("learning"), "{refused}");
    write(folder.path(), 10, "evaluations = \"noisy\"");
    stdout(&run(folder.path()));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 8, "evaluations = \"outliers\"");
    stdout(&run(folder.path()));
    write(folder.path(), 10, "");
    assert!(error(&run(folder.path())).contains("robust gaussian process"));
}

#[test]
fn noise_that_is_unknown_or_of_another_method_is_refused() {
    for (optimizer, part) in [
        ("evaluations = \"loud\"", "expected one of `noisy`, `deterministic`, `outliers`"),
        ("method = \"tpe\"\nevaluations = \"noisy\"", "expected none, because tpe has no model of the noise"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 3, optimizer);
        let text = error(&run(folder.path()));
        assert!(text.contains(part), "{optimizer}: {text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{optimizer}");
    }
}

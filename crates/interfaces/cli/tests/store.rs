//! Studies in a store as a user runs them: several processes, looking, and errors.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thrifty"));
    command.args(arguments).current_dir(folder).env_remove("THRIFTY_STORE");
    command
}

fn thrifty(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder with the study file `study.toml` of 30 random trials, and more lines.
fn study(more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "command = [\"sh\", \"-c\", \"sleep 0.02; echo $1\", \"script\", \"{{x}}\"]\nworkers = 2\n{more}\n[stop]\ntrials = 30\n\
         [optimizer]\nmethod = \"random\"\n[[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n"
    );
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    folder
}

fn counts(folder: &Path, arguments: &[&str]) -> (u64, u64) {
    let shown: Value = serde_json::from_str(&stdout(&thrifty(folder, arguments))).unwrap();
    (shown["counts"]["trials"].as_u64().unwrap(), shown["counts"]["measured"].as_u64().unwrap())
}

const STORE: &str = "[store]\naddress = \"sqlite://studies.db\"\nlease_seconds = 1";

#[test]
fn processes_share_a_study_even_when_one_is_killed() {
    let folder = study(STORE);
    let start = || -> Child {
        command(folder.path(), &["run", "study.toml"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut all = [start(), start(), start()];
    std::thread::sleep(Duration::from_millis(150));
    all[0].kill().unwrap();
    all[0].wait().unwrap();
    for child in &mut all[1..] {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(counts(folder.path(), &["show", "study.toml", "--json"]), (30, 30));
    assert!(!folder.path().join("study.jsonl").exists(), "there is no journal beside a store");
    let again = thrifty(folder.path(), &["run", "study.toml", "--json"]);
    assert!(stdout(&again).contains("\"reason\":\"30 trials\""));
    let best: Value =
        serde_json::from_str(&stdout(&thrifty(folder.path(), &["best", "study.toml", "--json"]))).unwrap();
    assert!(best["objective"].as_f64().unwrap() < 0.3, "{best}");
    assert_eq!(stdout(&thrifty(folder.path(), &["export", "study.toml"])).lines().count(), 31);
    let left = std::fs::read_dir(folder.path()).unwrap().flatten().count();
    assert!(left <= 4, "the study file and the store, which is up to three files: {left}");
}

#[test]
fn the_option_and_the_variable_name_a_store() {
    let folder = study("");
    let none = error(&thrifty(folder.path(), &["show", "study.toml", "--store", "sqlite://other.db"]));
    assert!(none.contains("store sqlite://other.db has no trials yet"), "{none}");
    let run = thrifty(folder.path(), &["run", "study.toml", "--store", "sqlite://other.db"]);
    let lines = String::from_utf8_lossy(&run.stderr).lines().count();
    assert!(stdout(&run).starts_with("stopped: 30 trials\nbest: trial ") && lines == 30, "{lines} lines");
    let mut show = command(folder.path(), &["show", "study.toml", "--json"]);
    let shown: Value =
        serde_json::from_str(&stdout(&show.env("THRIFTY_STORE", "sqlite://other.db").output().unwrap()))
            .unwrap();
    assert_eq!(shown["counts"]["trials"], 30);
    assert!(error(&thrifty(folder.path(), &["show", "study.toml"])).contains("study.jsonl: no trials yet"));
}

#[test]
fn a_store_that_cannot_be_used_is_one_sentence() {
    let folder = study(STORE);
    assert!(error(&thrifty(folder.path(), &["ask", "study.toml"])).contains("need a journal"));
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let text = std::fs::read_to_string(folder.path().join("study.toml")).unwrap();
    std::fs::write(folder.path().join("study.toml"), text.replace("high = 1 }", "high = 2 }")).unwrap();
    let other = error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(other.contains("is of another study: ") && other.contains("high is 1"), "{other}");
    std::fs::write(folder.path().join("study.toml"), text.replace("lease_seconds = 1", "lease_seconds = 0"))
        .unwrap();
    assert!(error(&thrifty(folder.path(), &["run", "study.toml"])).contains("store.lease_seconds is 0"));
}

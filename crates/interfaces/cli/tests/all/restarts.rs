//! Trials of a store whose processes are killed or interrupted: how often they are handed out again.
#![cfg(unix)]

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::command::{command, error, json_of, stdout, thrifty};
use crate::store::Server;

/// A folder with a study of two random trials in a store with these settings, whose command is this script.
fn study(script: &str, store: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "command = [\"sh\", \"-c\", '''{script}''', \"script\", \"{{x}}\"]\nworkers = 1\n[store]\naddress = \"sqlite://studies.db\"\n{store}\n\
         [stop]\ntrials = 2\n[optimizer]\nmethod = \"random\"\n[[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n"
    );
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    folder
}

fn counts(folder: &Path) -> (u64, u64) {
    let counts = json_of(folder, &["show", "study.toml", "--json"])["counts"].clone();
    (counts["measured"].as_u64().unwrap(), counts["failed"].as_u64().unwrap())
}

#[test]
fn a_command_that_kills_its_worker_is_a_failure_after_the_limit() {
    let script = "[ $THRIFTY_TRIAL = 1 ] || kill -9 $PPID; echo 1";
    let folder = study(script, "lease_seconds = 1\nmax_restarts = 1");
    let path = folder.path();
    let run = || thrifty(path, &["run", "study.toml"]).status.success();
    let killed = std::iter::repeat_with(run).take_while(|is_ended| !is_ended).take(5).count();
    assert_eq!(killed, 2, "runs that were killed by their first trial");
    assert_eq!(counts(path), (1, 1));
    let table = stdout(&thrifty(path, &["show", "study.toml"]));
    assert!(table.contains("its worker was lost 2 times; the limit is 1 restart"), "{table}");
}

/// Sends a signal to a process; returns its exit code and what it said.
fn signalled(mut child: Child, signal: &str) -> (Option<i32>, String) {
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn interrupts_of_a_run_lose_no_trial_and_hand_it_out_at_once() {
    let folder =
        study("touch begun; [ -e fast ] || sleep 60; echo 1", "lease_seconds = 600\nmax_restarts = 0");
    let path = folder.path();
    for signal in ["-INT", "-TERM", "-INT"] {
        let child = command(path, &["run", "study.toml"]).stderr(Stdio::piped()).spawn().unwrap();
        let begun = path.join("begun");
        for _ in 0..3000 {
            if begun.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::fs::remove_file(&begun).unwrap();
        let (code, said) = signalled(child, signal);
        assert_eq!(code, Some(130), "{said}");
        assert!(said.contains("interrupted; running trials are handed out again at once"), "{said}");
        assert_eq!(counts(path), (0, 0));
    }
    std::fs::write(path.join("fast"), "").unwrap();
    stdout(&thrifty(path, &["run", "study.toml"]));
    assert_eq!(counts(path), (2, 0));
}

#[test]
fn an_interrupted_server_gives_its_trials_back() {
    let folder = study("echo 1", "lease_seconds = 600\nmax_restarts = 0");
    for _ in 0..2 {
        let (mut server, _) = Server::start(folder.path());
        assert_eq!(server.call(r#"{"ask":{}}"#)["trial"], 0);
        Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap();
        // This also ends its input, as when the interrupt ends the asking program too.
        assert_eq!(server.child.wait().unwrap().code(), Some(130));
    }
    let (mut server, _) = Server::start(folder.path());
    assert_eq!(server.call(r#"{"ask":{}}"#)["trial"], 0);
    assert_eq!(server.call(r#"{"tell":{"trial":0,"outcome":1}}"#), json!({"told": 0}));
    drop(server.child.stdin.take());
    assert!(server.child.wait().unwrap().success());
    assert_eq!(counts(folder.path()), (1, 0));
}

#[test]
fn a_number_of_restarts_that_is_none_is_refused_with_its_line() {
    for (value, shown) in [("-1", "-1"), ("1.5", "1.5"), ("\"many\"", "many")] {
        let folder = study("echo 1", &format!("max_restarts = {value}"));
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(
            text.contains("study.toml") && text.contains("max_restarts") && text.contains(shown),
            "{text}"
        );
    }
}

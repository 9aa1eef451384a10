//! The binary as a user runs it: studies, the reasons for their end, interrupts.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{command, error, json_of, stderr, stdout, thrifty};

/// A study file of one parameter `x` in [0, 1], with more lines before and after it.
pub(crate) fn study(before: &str, after: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml");
    let parameter = "[[parameters]]\nname = \"x\"\nfloat = { low = 0, high = 1 }\n";
    std::fs::write(&path, format!("{before}\n{parameter}\n{after}\n")).unwrap();
    (folder, path)
}

/// A study of a shell script, which has x in `$1`.
pub(crate) fn script(script: &str, after: &str) -> TempDir {
    let command = json!(["sh", "-c", script.replace('{', "{{").replace('}', "}}"), "script", "{x}"]);
    study(&format!("command = {command}"), after).0
}

#[test]
fn the_example_runs_and_finds_the_minimum_and_a_second_run_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    stdout(&thrifty(folder.path(), &["new"]));
    assert!(error(&thrifty(folder.path(), &["new"])).contains("study.toml exists"));
    let output = thrifty(folder.path(), &["run", "study.toml"]);
    assert!(stdout(&output).contains("stopped: 40 trials\nbest: trial "));
    let lines = stderr(&output).lines().count();
    assert_eq!(lines, 40, "a line per trial where there is no terminal");
    let mut best = json_of(folder.path(), &["best", "study.toml", "--json"]);
    assert!(best["objective"].as_f64().unwrap() < 1.0, "{best}");
    let recommended = best.as_object_mut().unwrap().remove("recommended").unwrap();
    assert!(
        recommended["objective"].as_f64().unwrap() < 1.0 && recommended["observed"] == false,
        "{recommended}"
    );
    let journal = std::fs::read(folder.path().join("study.jsonl")).unwrap();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(std::fs::read(folder.path().join("study.jsonl")).unwrap(), journal);
    // The journal alone is enough to look at it, without the optimiser that recommends.
    assert_eq!(json_of(folder.path(), &["best", "study.jsonl", "--json"]), best);
    let shown = json_of(folder.path(), &["show", "study.jsonl", "--json"]);
    assert_eq!(
        shown["counts"],
        json!({"trials": 40, "measured": 40, "failed": 0, "pruned": 0, "running": 0})
    );
    let csv = stdout(&thrifty(folder.path(), &["export", "study.toml"]));
    assert_eq!(csv.lines().count(), 41);
    assert!(csv.starts_with("trial,state,objective,x,y,"), "{csv}");
}

#[test]
fn every_method_repeats_its_trials_and_a_resumed_study_keeps_its_window() {
    for method in ["bo", "tpe", "sobol", "random"] {
        let after = format!("[stop]\ntrials = 12\n[optimizer]\nmethod = \"{method}\"");
        let rows = |sittings: &[(&str, usize)]| {
            let command = "command = [\"awk\", \"BEGIN {{ print ({x} - 0.3) ^ 2 }}\"]\nworkers = 3";
            let (folder, path) = study(command, &after);
            let text = std::fs::read_to_string(&path).unwrap();
            for (workers, trials) in sittings {
                std::fs::write(&path, text.replace("trials = 12", &format!("trials = {trials}"))).unwrap();
                stdout(&thrifty(folder.path(), &["run", "study.toml", "--workers", workers]));
            }
            let table = json_of(folder.path(), &["export", "study.toml", "--format", "json"]);
            let row = |row: &Value| (row["trial"].clone(), row["x"].clone(), row["objective"].clone());
            table.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
        };
        let three = rows(&[("3", 12)]);
        assert_eq!(three.len(), 12, "{method}");
        assert_eq!(three, rows(&[("3", 12)]), "{method}");
        if method != "bo" {
            // The design of Bayesian optimisation depends on the planned number of trials.
            assert_eq!(three, rows(&[("3", 5), ("1", 9), ("8", 12)]), "{method}");
        }
    }
}

#[test]
fn several_objectives_have_a_pareto_set() {
    let after = "[stop]\ntrials = 15\n[optimizer]\nmethod = \"multi_objective\"";
    let print = "printf '{\"objectives\": [%s, 1], \"cost\": 2, \"reports\": [[1, 0.5], [2, 0.25]]}' \"$1\"";
    let folder = script(print, after);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let best = json_of(folder.path(), &["best", "study.toml", "--json"]);
    assert_eq!(best.as_array().unwrap().len(), 1, "{best}");
    let reports = stdout(&thrifty(folder.path(), &["export", "study.toml", "--reports"]));
    assert_eq!(reports.lines().count(), 31, "{reports}");
}

#[test]
fn reasons_of_failed_trials_are_kept_and_end_the_run() {
    for (script_text, limits, reason) in [
        ("exit 3", "", "exit status: 3"),
        ("echo no such file >&2; exit 1", "", "exit status: 1: no such file"),
        ("true", "", "printed nothing"),
        ("echo loss 3", "", "the result \"loss 3\" is neither a number nor a JSON object"),
        ("echo nan", "", "is NaN"),
        ("sleep 60", "seconds = 0.2", "killed after 0.2 s"),
        ("kill -9 $$", "", "signal: 9"),
        // One block of 200 megabytes.
        ("dd if=/dev/zero of=/dev/null bs=200M count=1 >&2", "memory_mb = 100", "exit status: 1"),
    ] {
        let after = format!(
            "[stop]\ntrials = 20\nfailures = 2\n[limits]\n{limits}\n[optimizer]\nmethod = \"random\""
        );
        let folder = script(script_text, &after);
        let output = thrifty(folder.path(), &["run", "study.toml"]);
        let text = error(&output);
        assert!(text.contains("no trial was measured: 2 failed; the first: "), "{text}");
        assert!(text.contains(reason), "{script_text}: {text}");
        let csv = stdout(&thrifty(folder.path(), &["export", "study.toml"]));
        assert_eq!(csv.matches("failed").count(), 2, "{csv}");
    }
}

/// A study of two workers that ended by its failures has failed although a trial succeeded meanwhile, and goes on when it is run again;
/// one that ended by another rule has not failed, whatever its last trials came to.
#[test]
fn the_reason_for_the_end_decides_on_the_exit_code() {
    let of_two_workers = |script: &str, stop: &str| {
        let command = json!(["sh", "-c", script, "script", "{x}"]);
        study(
            &format!("command = {command}\nworkers = 2"),
            &format!("[stop]\n{stop}\n[optimizer]\nmethod = \"random\""),
        )
        .0
    };
    let folder =
        of_two_workers("[ $THRIFTY_TRIAL = 0 ] && exit 1; sleep 0.4; echo 1", "trials = 9\nfailures = 1");
    let output = thrifty(folder.path(), &["run", "study.toml"]);
    let text = error(&output);
    assert!(text.contains("command: 1 trial in a row failed; see `thrifty show study.toml`"), "{text}");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.starts_with("stopped: 1 trial in a row failed\nbest: trial 1: 1.0"), "{shown}");
    let shown = stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(shown.starts_with("stopped: 9 trials\nbest: trial 1: 1.0"), "{shown}");
    // Asks of two workers do not see the last trial.
    let folder = of_two_workers("[ $THRIFTY_TRIAL = 0 ] && echo 1", "trials = 3\nfailures = 2");
    for _ in 0..2 {
        let shown = stdout(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(shown.starts_with("stopped: 3 trials\nbest: trial 0: 1.0"), "{shown}");
    }
}

/// Without a number of its own a study ends after ten failures in a row where nothing was ever measured, and after thirty where something was.
#[test]
fn a_command_that_worked_may_fail_more_often() {
    for (script_text, failed) in [("exit 1", 10), ("[ $THRIFTY_TRIAL = 3 ] && echo 1", 30)] {
        let folder = script(script_text, "[stop]\ntrials = 50\n[optimizer]\nmethod = \"random\"");
        let output = thrifty(folder.path(), &["run", "study.toml"]);
        let text = error(&output);
        let counts = json_of(folder.path(), &["show", "study.toml", "--json"])["counts"].clone();
        let before = if failed == 30 { 3 } else { 0 };
        assert_eq!(counts["failed"].as_u64(), Some(failed + before), "{text} {counts}");
    }
}

/// Failures that are known from elsewhere, and those before a command was mended, do not end a study.
#[test]
fn failures_of_before_do_not_end_a_study() {
    let command = json!(["sh", "-c", "exit 1", "{x}"]);
    let after = "[stop]\ntrials = 8\nfailures = 2\n[optimizer]\nmethod = \"random\"";
    let (folder, _) = study(&format!("command = {command}\nknown = \"known.csv\""), after);
    let known = "x,objective,state\n0.1,1.0,measured\n0.2,,failed\n0.3,,failed\n0.4,,failed\n";
    std::fs::write(folder.path().join("known.csv"), known).unwrap();
    let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(text.contains("2 trials in a row failed"), "{text}");
    let path = folder.path().join("study.toml");
    let mended = std::fs::read_to_string(&path).unwrap().replace("exit 1", "echo 7");
    std::fs::write(&path, mended).unwrap();
    let shown = stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(shown.starts_with("stopped: 8 trials"), "{shown}");
    let counts = json_of(folder.path(), &["show", "study.toml", "--json"])["counts"].clone();
    assert_eq!((counts["measured"].as_u64(), counts["failed"].as_u64()), (Some(3), Some(5)), "{counts}");
}

/// The seed of a trial is one that numpy, R and Java take.
#[test]
fn seeds_have_31_bits() {
    let after = "[stop]\ntrials = 8\n[optimizer]\nmethod = \"random\"";
    let folder = script("echo \"$THRIFTY_SEED\"", after);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let rows = json_of(folder.path(), &["export", "study.toml", "--format", "json"]);
    let seeds: Vec<f64> =
        rows.as_array().unwrap().iter().map(|row| row["objective"].as_f64().unwrap()).collect();
    assert!(seeds.iter().all(|seed| (0.0..2_147_483_648.0).contains(seed)), "{seeds:?}");
    assert!(seeds.iter().any(|seed| *seed > 1e8), "{seeds:?}");
}

/// Nobody reads what a run says: it goes on all the same, and an interrupt ends it. A hang-up ends it too, but not under `nohup`.
#[cfg(unix)]
#[test]
fn runs_that_nobody_reads_go_on_and_end_when_told() {
    let after = "[stop]\ntrials = 6\n[optimizer]\nmethod = \"random\"";
    let folder = script("sleep 0.1; echo 1", after);
    let quiet = |arguments: &[&str]| {
        let mut child = command(folder.path(), arguments).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        child
    };
    assert_eq!(quiet(&["run", "study.toml"]).wait().unwrap().code(), Some(0));
    let signalled = |signal: &str, mut child: std::process::Child| {
        std::thread::sleep(Duration::from_millis(500));
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        for _ in 0..3000 {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        child.kill().unwrap();
        panic!("{signal} does not end it");
    };
    let more = |trials: usize| {
        let path = folder.path().join("study.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, _) = text.split_once("trials = ").unwrap();
        std::fs::write(&path, format!("{before}trials = {trials}\n[optimizer]\nmethod = \"random\""))
            .unwrap();
    };
    more(10_000);
    // Where this test itself was started under `nohup`, so are the runs that it starts.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let signals = ["-INT", "-TERM", "-HUP"];
    let signals = if ignored & 1 == 1 { &signals[..2] } else { &signals[..] };
    for signal in signals {
        assert_eq!(signalled(signal, quiet(&["run", "study.toml"])), Some(130), "{signal}");
    }
    let counts = json_of(folder.path(), &["show", "study.toml", "--json"])["counts"].clone();
    more(counts["trials"].as_u64().unwrap() as usize + 12);
    let mut under_nohup = Command::new("nohup");
    under_nohup.arg(env!("CARGO_BIN_EXE_thrifty")).args(["run", "study.toml"]).current_dir(folder.path());
    let child = under_nohup.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(signalled("-HUP", child), Some(0), "it goes on to its end");
}

#[test]
fn an_interrupted_study_goes_on_with_the_same_trials() {
    let after = "[stop]\ntrials = 8\n[optimizer]\nmethod = \"bo\"";
    let text = "sleep 0.1; echo \"$1\"";
    let whole = script(text, after);
    stdout(&thrifty(whole.path(), &["run", "study.toml"]));
    let cut = script(text, after);
    let mut child = command(cut.path(), &["run", "study.toml"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    lines.next().unwrap();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let said: Vec<String> = lines.collect();
    let expected = "interrupted; running trials start again when study.toml is run again";
    assert!(said.iter().any(|line| line == expected), "{said:?}");
    let counts = json_of(cut.path(), &["show", "study.toml", "--json"])["counts"].clone();
    // The signal may arrive between two trials.
    let is_cut = counts["running"].as_u64() <= Some(1) && counts["trials"].as_u64() < Some(8);
    assert!(counts["failed"] == 0 && is_cut, "{counts}");
    stdout(&thrifty(cut.path(), &["run", "study.toml"]));
    let rows = |folder: &Path| {
        let table = json_of(folder, &["export", "study.toml", "--format", "json"]);
        table
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["x"].clone(), row["objective"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(whole.path()), rows(cut.path()));
}

/// A queue and known trials come first, once, however often the study is run; a trial that failed is tried again.
#[test]
fn queues_known_trials_and_retries() {
    let command =
        json!(["sh", "-c", "test -e tried-$1 && echo $1 || {{ touch tried-$1; exit 3; }}", "x", "{x}"]);
    let before =
        format!("command = {command}\nknown = \"earlier.csv\"\nqueue = [{{ x = 0.25 }}, {{ x = 0.75 }}]");
    let (folder, _) = study(&before, "[stop]\ntrials = 5\n[limits]\nretries = 1");
    let folder = folder.path();
    std::fs::write(folder.join("earlier.csv"), "x,objective\n0.5,0.5\n0.125,0.125\n").unwrap();
    let output = thrifty(folder, &["run", "study.toml"]);
    let log = stderr(&output);
    assert_eq!(log.matches("failed and is tried again").count(), 3, "{log}");
    stdout(&output);
    let trials = || {
        let table = json_of(folder, &["export", "study.toml", "--format", "json"]);
        let rows = table.as_array().unwrap().clone();
        let of = |row: &Value| (row["x"].as_f64().unwrap(), row["objective"].as_f64().unwrap());
        rows.iter().map(of).collect::<Vec<_>>()
    };
    let first = trials();
    assert_eq!(first[..4], [(0.5, 0.5), (0.125, 0.125), (0.25, 0.25), (0.75, 0.75)]);
    assert_eq!(first.len(), 5);
    stdout(&thrifty(folder, &["run", "study.toml"]));
    assert_eq!(trials(), first, "a second run adds nothing");
    // The journal is a file of known trials too, as is a table that was exported.
    stdout(&thrifty(folder, &["export", "study.toml", "--output", "exported.csv"]));
    for known in ["study.jsonl", "exported.csv"] {
        let before = format!("command = {command}\nknown = {known:?}\njournal = \"{known}.next\"");
        let (other, path) = study(&before, "[stop]\ntrials = 5");
        let file = folder.join("next.toml");
        std::fs::copy(path, &file).unwrap();
        stdout(&thrifty(folder, &["run", "next.toml"]));
        let table = json_of(folder, &["export", "next.toml", "--format", "json"]);
        assert_eq!(table.as_array().unwrap().len(), 5, "{known}");
        assert_eq!(table[4]["objective"].as_f64(), Some(first[4].1), "{known}");
        drop(other);
    }
}

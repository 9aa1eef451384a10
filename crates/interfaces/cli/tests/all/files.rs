//! Files of any name, and those of other studies.
#![cfg(unix)]

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use thrifty_space::Config;
use thrifty_study::History;

use crate::cli::{script, study};
use crate::command::{command, error, json_of, stdout, thrifty};

#[test]
fn another_study_and_other_files_are_not_overwritten() {
    let (folder, path) =
        study("command = [\"echo\", \"{x}\"]", "[stop]\ntrials = 3\n[optimizer]\nmethod = \"sobol\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let journal = std::fs::read(folder.path().join("study.jsonl")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("seed = 5\n{}", text.replace("high = 1", "high = 2"))).unwrap();
    let refused = error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(refused.contains("seed"), "{refused}");
    assert_eq!(std::fs::read(folder.path().join("study.jsonl")).unwrap(), journal);
    // The whole first line of a journal was shown as an error of TOML.
    let refused = error(&thrifty(folder.path(), &["run", "study.jsonl"]));
    assert_eq!(
        refused,
        "error: study.jsonl is no study file but JSON, as a journal is: give the study file\n"
    );
    // A study that is given more trials goes on.
    std::fs::write(&path, text.replace("trials = 3", "trials = 5")).unwrap();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(json_of(folder.path(), &["show", "study.toml", "--json"])["counts"]["trials"], 5);
    // Results take the place of neither of the files that they are from.
    for arguments in [
        &["export", "study.toml"][..],
        &["export", "study.jsonl"],
        &["plot", "study.toml", "history"],
        &["report", "study.toml"],
    ] {
        for output in ["study.toml", "./study.jsonl"] {
            if arguments[1] == "study.jsonl" && output == "study.toml" {
                continue; // a journal alone has no study file
            }
            let before = std::fs::read(folder.path().join(output)).unwrap();
            let refused = error(&thrifty(folder.path(), &[arguments, &["-o", output]].concat()));
            assert!(refused.contains("exists; it was left as it is"), "{arguments:?} {output}: {refused}");
            assert_eq!(std::fs::read(folder.path().join(output)).unwrap(), before, "{arguments:?} {output}");
        }
    }
    let refused = error(&thrifty(folder.path(), &["run", "study.toml", "--workers", "0"]));
    assert!(refused.contains("--workers is 0, expected a whole number from 1"), "{refused}");
    // Notes of a user under the name of the journal are left as they are.
    std::fs::write(folder.path().join("study.jsonl"), "my notes").unwrap();
    error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(std::fs::read_to_string(folder.path().join("study.jsonl")).unwrap(), "my notes");
}

#[test]
fn completions_and_the_manual_name_the_subcommands() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["completions", "bash"][..], &["completions", "fish"], &["man"]] {
        let text = stdout(&thrifty(folder.path(), arguments));
        assert!(["run", "export", "serve"].iter().all(|name| text.contains(name)), "{arguments:?}");
    }
    // The page refers to thrifty-run(1), where the options are.
    let page = stdout(&thrifty(folder.path(), &["man", "run"]));
    assert!(page.contains("thrifty\\-run") && page.contains("workers"), "{page}");
    let refused = error(&thrifty(folder.path(), &["man", "walk"]));
    assert!(refused.contains("COMMAND is walk, expected one of new, run, best"), "{refused}");
}

/// Study files and journals may have any name.
#[test]
fn files_of_any_name_are_shown() {
    let folder = script("echo \"$1\"", "[stop]\ntrials = 3\n[optimizer]\nmethod = \"sobol\"");
    std::fs::rename(folder.path().join("study.toml"), folder.path().join("b.conf")).unwrap();
    stdout(&thrifty(folder.path(), &["run", "b.conf"]));
    let shown = stdout(&thrifty(folder.path(), &["show", "b.conf"]));
    assert!(shown.contains("3 measured") && shown == stdout(&thrifty(folder.path(), &["show", "b.jsonl"])));
    assert_eq!(json_of(folder.path(), &["best", "b.conf", "--json"])["trial"], 0);
    std::fs::copy(folder.path().join("b.jsonl"), folder.path().join("trials")).unwrap();
    assert_eq!(stdout(&thrifty(folder.path(), &["show", "trials"])), shown);
}

/// A journal is read from a pipe, from its first byte on.
#[test]
fn a_journal_is_read_from_a_pipe() {
    let folder = script("echo $1", "[stop]\ntrials = 3\n[optimizer]\nmethod = \"sobol\"");
    assert!(thrifty(folder.path(), &["run", "study.toml"]).status.success());
    let mut child = command(folder.path(), &["show", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = std::fs::read(folder.path().join("study.jsonl")).unwrap();
    // The program may end before it has read everything: what it says then is what counts.
    let _ = child.stdin.take().unwrap().write_all(&journal);
    let shown = stdout(&child.wait_with_output().unwrap());
    assert!(shown.starts_with("3 trials: 3 measured"), "{shown}");
}

#[test]
fn folders_whose_names_are_no_text_are_used() {
    use std::os::unix::ffi::OsStrExt;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join(std::ffi::OsStr::from_bytes(b"f\xff"));
    let inner = script("printf \"$1\" > \"$THRIFTY_RESULT\"", "[stop]\ntrials = 2");
    // Not on every file system.
    if std::fs::create_dir(&folder).is_err() {
        return;
    }
    std::fs::copy(inner.path().join("study.toml"), folder.join("study.toml")).unwrap();
    let mut run = command(outer.path(), &["run", "--json"]);
    let output = run.arg(folder.join("study.toml")).output().unwrap();
    let value: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(value["counts"]["measured"], 2);
    assert!(value["journal"].as_str().unwrap().ends_with("study.jsonl"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = script("echo \"$1\"", "[stop]\ntrials = 3\n[optimizer]\nmethod = \"sobol\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    for arguments in [
        &["export", "study.toml"][..],
        &["export", "study.toml", "--format", "json"],
        &["completions", "bash"],
        &["man"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(folder.path(), arguments).stdout(writer).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}

/// A damaged byte anywhere: what stands before the line is kept, and a study goes on from it.
#[test]
fn a_damaged_journal_is_repaired_up_to_the_damage() {
    let (folder, _) =
        study("command = [\"echo\", \"{x}\"]", "[stop]\ntrials = 6\n[optimizer]\nmethod = \"sobol\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let journal = folder.path().join("study.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    let repair = || thrifty(folder.path(), &["repair", "study.jsonl", "--output", "repaired.jsonl"]);
    assert_eq!(stdout(&repair()).trim(), "study.jsonl has no damage: 6 trials");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let start: usize = lines[..6].iter().map(|line| line.len()).sum();
    let mut damaged = whole.clone();
    damaged[start + 30] ^= 1;
    std::fs::write(&journal, &damaged).unwrap();
    let said = stdout(&repair());
    let count = lines.len();
    assert!(said.starts_with(&format!("repaired.jsonl: 3 trials in 6 of {count} lines; line 7: ")), "{said}");
    assert_eq!(std::fs::read(&journal).unwrap(), damaged, "the journal is left as it is");
    assert_eq!(std::fs::read(folder.path().join("repaired.jsonl")).unwrap(), lines[..6].concat());
    assert!(error(&repair()).contains("repaired.jsonl exists"));
    std::fs::rename(folder.path().join("repaired.jsonl"), &journal).unwrap();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let again = History::<Config>::read(&journal).unwrap();
    let first = History::<Config>::from_bytes(&whole).unwrap();
    let suggested =
        |history: &History<Config>| history.trials().iter().map(|t| t.query.clone()).collect::<Vec<_>>();
    assert_eq!(suggested(&again), suggested(&first));
    for text in ["", "no journal\n"] {
        std::fs::write(&journal, text).unwrap();
        let output = repair();
        assert!(text.is_empty() || error(&output).contains("study.jsonl is not a journal"), "{output:?}");
    }
}

/// Arguments that have no meaning beside a journal are refused by their names.
#[test]
fn arguments_of_a_store_are_refused_with_a_journal() {
    let folder = script("echo $1", "[stop]\ntrials = 2\n[optimizer]\nmethod = \"random\"");
    let asked = error(&thrifty(folder.path(), &["ask", "study.toml", "--lease-seconds", "5"]));
    assert!(
        asked.contains("--lease-seconds is 5, expected none, because the study has a journal"),
        "{asked}"
    );
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let shown = error(&thrifty(folder.path(), &["show", "study.jsonl", "--store", "sqlite://nope.db"]));
    assert!(shown.contains("--store is given, expected none, because study.jsonl is a journal"), "{shown}");
    let mut show = command(folder.path(), &["show", "study.jsonl"]);
    let shown = show.env("THRIFTY_STORE", "sqlite://nope.db").output().unwrap();
    assert!(stdout(&shown).contains("2 measured"));
}

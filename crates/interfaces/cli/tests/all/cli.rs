//! The binary as a user runs it: studies, bad input, interrupts.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use thrifty_space::Config;
use thrifty_study::History;

use crate::command::{command, error, json_of, stderr, stdout, thrifty};

/// A study file of one parameter `x` in [0, 1], with more lines before and after it.
fn study(before: &str, after: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml");
    let parameter = "[[parameters]]\nname = \"x\"\nfloat = { low = 0, high = 1 }\n";
    std::fs::write(&path, format!("{before}\n{parameter}\n{after}\n")).unwrap();
    (folder, path)
}

/// A study of a shell script, which has x in `$1`.
fn script(script: &str, after: &str) -> TempDir {
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

/// A program that prints its failure and exits with 1, as failing programs do, keeps its reason and its cost; one that prints a measurement
/// keeps the cost.
#[test]
fn failing_programs_are_heard_whatever_their_exit_code_is() {
    let after = "[stop]\ntrials = 9\ncost = 5\n[optimizer]\nmethod = \"random\"";
    for (printed, reason) in [
        (r#"{\"failed\": \"diverged\", \"cost\": 3}"#, "diverged"),
        (r#"{\"objective\": 1, \"cost\": 3}"#, "exit status: 1"),
    ] {
        for place in ["", " > \"$THRIFTY_RESULT\""] {
            let folder = script(&format!("echo \"{printed}\"{place}; exit 1"), after);
            let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
            assert!(
                text.contains("no trial was measured: 2 failed") && text.contains(reason),
                "{printed}: {text}"
            );
        }
    }
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

/// A file that is no text, or that cannot be read, is no result, and the output does not take its place.
#[test]
fn a_result_file_that_cannot_be_read_fails_its_trial() {
    let after = "[stop]\ntrials = 1\n[optimizer]\nmethod = \"random\"";
    for (written, reason) in [
        ("printf 'x\\377y' > \"$THRIFTY_RESULT\"", "the result \"x\u{fffd}y\" is neither a number"),
        ("ln -s \"$THRIFTY_RESULT\" \"$THRIFTY_RESULT\"", "study.jsonl.result.0: "),
        (": > \"$THRIFTY_RESULT\"", "the result \"\" is neither a number"),
    ] {
        let folder = script(&format!("{written}; echo 7"), after);
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(text.contains("no trial was measured: 1 failed") && text.contains(reason), "{text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the file is removed");
    }
}

#[test]
fn a_flood_of_output_and_processes_that_stay_behind_do_no_harm() {
    let after = "[stop]\ntrials = 1\n[limits]\nseconds = 30\n[optimizer]\nmethod = \"random\"";
    // 20 MB before the result; a child that keeps the output open for a minute.
    let folder = script("head -c 20000000 /dev/zero; echo; sleep 60 & echo $! > child; echo 0.5", after);
    let start = Instant::now();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
    let alive =
        || Command::new("kill").args(["-0", child.trim()]).stderr(Stdio::null()).status().unwrap().success();
    // A killed process whose parent is gone is a zombie until init reaps it.
    let zombie = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.trim())).unwrap_or_default();
        status.contains("State:\tZ")
    };
    for _ in 0..200 {
        if !alive() || zombie() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!alive() || zombie(), "the child of the command is alive");
    // A file replaces the output.
    let folder = script("echo 0.125 > \"$THRIFTY_RESULT\"; echo done", after);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(json_of(folder.path(), &["best", "study.toml", "--json"])["objective"], 0.125);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the file is removed");
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

#[test]
fn trials_can_be_asked_and_told_by_hand() {
    let (folder, _) = study("", "[stop]\ntrials = 2\n[optimizer]\nmethod = \"sobol\"");
    let asked = json_of(folder.path(), &["ask", "study.toml"]);
    assert_eq!(asked["trial"], 0);
    stdout(&thrifty(folder.path(), &["tell", "study.toml", "0", "-0.5"]));
    assert!(error(&thrifty(folder.path(), &["tell", "study.toml", "0", "1"])).contains("trial 0"));
    assert!(error(&thrifty(folder.path(), &["tell", "study.toml", "7", "1"])).contains("trial 7"));
    json_of(folder.path(), &["ask", "study.toml"]);
    assert!(
        error(&thrifty(folder.path(), &["tell", "study.toml", "1", "one"])).contains("\"one\" is neither")
    );
    stdout(&thrifty(folder.path(), &["tell", "study.toml", "1", "out of memory", "--failed"]));
    assert_eq!(json_of(folder.path(), &["ask", "study.toml"]), json!({"stopped": "2 trials"}));
    let text = stdout(&thrifty(folder.path(), &["show", "study.toml"]));
    assert!(text.contains("1 measured, 1 failed") && text.contains("out of memory"), "{text}");
    assert!(text.contains("best: trial 0: -0.5  (x = 0."), "{text}");
    assert!(
        error(&thrifty(folder.path(), &["run", "study.toml"])).contains("command: the study file has none")
    );
}

#[test]
fn a_server_answers_every_line() {
    let (folder, _) = study("", "[stop]\ntrials = 2\n[optimizer]\nmethod = \"sobol\"");
    let mut child = command(folder.path(), &["serve", "study.toml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answer = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(answer(), json!({"protocol": 1, "trials": 0}));
    let mut call = |request: &str| {
        writeln!(input, "{request}").unwrap();
        answer()
    };
    assert_eq!(call(r#"{"ask":{}}"#)["trial"], 0);
    assert_eq!(call(r#"{"report":{"trial":0,"step":1,"value":2}}"#), json!({"reported": 0, "prune": false}));
    for value in ["NaN", "-Infinity", "\"Infinity\""] {
        let reported = call(&format!(r#"{{"report":{{"trial":0,"step":2,"value":{value}}}}}"#));
        assert_eq!(reported, json!({"reported": 0, "prune": false}), "{value}");
    }
    for (wrong, part) in
        [("cost", "trial 0: the cost is -3"), ("noise_variance", "trial 0: the noise variance is -3")]
    {
        let refused =
            call(&format!(r#"{{"tell":{{"trial":0,"outcome":{{"objective":0.25,"{wrong}":-3}}}}}}"#));
        assert!(refused["error"].as_str().is_some_and(|error| error.contains(part)), "{refused}");
    }
    let list = call(r#"{"tell":[0,0.5]}"#);
    let part = "expected a table with names, of trial, outcome";
    assert!(list["error"].as_str().is_some_and(|error| error.contains(part)), "{list}");
    assert_eq!(call(r#"{"tell":{"trial":0,"outcome":{"objective":0.25,"cost":3}}}"#), json!({"told": 0}));
    assert!(call(r#"{"tell":{"trial":0,"outcome":1}}"#)["error"].as_str().unwrap().contains("trial 0"));
    assert!(call(r#"{"tell":{"trial":0}}"#)["error"].as_str().unwrap().contains("outcome"));
    let nonsense = call("nonsense");
    assert!(nonsense["error"].as_str().unwrap().starts_with("the request cannot be read: "), "{nonsense}");
    input.write_all(b"{\"ask\":{\"\xff\":1}}\n\xfe\n").unwrap();
    assert!(answer()["error"].is_string() && answer()["error"].is_string());
    let mut call = |request: &str| {
        writeln!(input, "{request}").unwrap();
        answer()
    };
    assert_eq!(call(r#"{"ask":{}}"#)["trial"], 1);
    let refused = call(r#"{"fail":{"trial":1,"message":"no","cost":-1}}"#);
    assert!(refused["error"].as_str().unwrap().contains("trial 1: the cost is -1"), "{refused}");
    assert_eq!(call(r#"{"fail":{"trial":1,"message":"no","cost":2}}"#), json!({"told": 1}));
    assert_eq!(call(r#"{"ask":{}}"#), json!({"stopped": "2 trials"}));
    let found = call(r#"{"best":{}}"#);
    assert_eq!(found["best"]["objective"], 0.25);
    assert_eq!(found["recommended"]["config"], found["best"]["config"], "{found}");
    drop(input);
    assert!(child.wait().unwrap().success());
    // Reports of the outcome that was refused are not kept.
    let reports = stdout(&thrifty(folder.path(), &["export", "study.toml", "--reports"]));
    assert!(reports.starts_with("trial,step,value\n0,1,2.0\n"), "{reports}");
    assert!(
        (History::<Config>::read(folder.path().join("study.jsonl")).unwrap().spent() - 5.0).abs() < 1e-12
    );
}

/// A program may say that it failed, and what that cost: the budget counts it.
#[test]
fn failures_of_programs_are_paid_for() {
    let says = r#"echo '{"failed": "diverged", "cost": 3}'"#;
    let folder = script(says, "[stop]\ntrials = 9\ncost = 7\n[optimizer]\nmethod = \"sobol\"");
    let output = thrifty(folder.path(), &["run", "study.toml"]);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
    assert!(text.contains("failed: diverged"), "{text}");
    let history = History::<Config>::read(folder.path().join("study.jsonl")).unwrap();
    assert_eq!((history.len(), history.spent()), (3, 9.0), "{text}");
}

#[test]
fn bad_study_files_are_refused_with_the_place_and_write_nothing() {
    let command = "command = [\"echo\", \"{x}\"]";
    for (before, after, part) in [
        (command, "colour = 1", "unknown field `colour`"),
        ("comand = []", "", "unknown field `comand`"),
        ("workers = 1.5", "", "floating point `1.5`, expected a whole number from 0"),
        (command, "[stop]\ntrials = \"many\"", "string \"many\", expected a whole number from 0"),
        (command, "[[parameters]]\nname = \"y\"\nfloat = { low = 2, high = 1 }", "y"),
        (command, "[[parameters]]\nname = \"x\"\nint = { low = 1, high = 2 }", "x"),
        (command, "[[parameters]]\nname = \"y\"\nint = { low = 1, high = 2 }", "the parameter y is not used"),
        (command, "[[parameters]]\nname = \"y\"", "y: expected exactly one of float, int and choices"),
        (
            command,
            "[[parameters]]\nname = \"y\"\nfloat = { low = 1, high = 2, log = true, step = 1 }",
            "exclude",
        ),
        (command, "[[parameters]]\nname = \"seed\"\nfloat = { low = 1, high = 2 }", "seed"),
        (command, "when = { y = [1] }", "y"),
        ("command = [\"echo\", \"{z}\"]", "", "{z} is no parameter (parameters: x"),
        ("command = [\"no-such-program\", \"{x}\"]", "", "no-such-program is no program in PATH"),
        ("command = [\"./train\", \"{x}\"]", "", "train does not exist"),
        ("command = [\"./study.toml\", \"{x}\"]", "", "study.toml is not executable"),
        (
            "command = [\"echo\", \"{x}\", 3]",
            "",
            "expected arguments as texts, or lists of them: \"3\" instead of 3",
        ),
        (
            command,
            "[[parameters]]\nname = \"y\"\nchoices = [2026-01-01]",
            "expected a text, a number or a truth value",
        ),
        ("command = []", "", "expected a program"),
        (command, "[stop]\ntrials = 0", "stop.trials is 0, expected a whole number from 1"),
        (command, "[stop]\nseconds = -1", "stop.seconds is -1"),
        (command, "[stop]\nfailures = 0", "stop.failures is 0"),
        (command, "[limits]\nseconds = nan", "limits.seconds is NaN"),
        (command, "[limits]\nmemory_mb = 0", "limits.memory_mb is 0"),
        ("workers = 0\ncommand = [\"echo\", \"{x}\"]", "", "workers is 0"),
        (command, "[optimizer]\nmethod = \"annealing\"", "unknown variant `annealing`"),
        (
            command,
            "[optimizer]\nmethod = \"tpe\"\nsettings = { gama = 1 }",
            "of tpe: gama = 1: unknown field `gama`",
        ),
        (command, "[optimizer]\nsettings = { budget = 3, losses = 7 }", "of bo: losses = 7: invalid type"),
        (
            command,
            "[optimizer]\nsettings = { maximizer = [1] }",
            "maximizer = [1]: invalid type: list, expected a table with names, of raw, around_best, climbs",
        ),
        (
            "stop = [3]\ncommand = [\"echo\", \"{x}\"]",
            "",
            "expected a table with names, of trials, seconds, cost",
        ),
        (
            command,
            "[[parameters]]\nname = \"y\"\nfloat = [0, 1]",
            "expected a table with names, of low, high",
        ),
        (command, "[optimizer]\nsettings = { budget = nan }", "of bo: budget = NaN: invalid type"),
        (
            command,
            "[optimizer]\nsettings = { rule = \"log_expected_improvement\" }",
            "rule = \"log_expected_improvement\": expected a table, { log_expected_improvement = … }",
        ),
        (
            command,
            "[optimizer]\nsettings = { convergence = \"restart\" }",
            "convergence = \"restart\": expected a table, { restart = { … } }",
        ),
        (
            command,
            "[optimizer]\nsettings = { losses = \"a\", rule = \"b\" }",
            "of bo: losses = \"a\": unknown variant `a`",
        ),
        (
            command,
            "[optimizer]\nmethod = \"random\"\nsettings = { gamma = 1 }",
            "optimizer.settings.gamma is given",
        ),
        (command, "[stop]\ntarget = nan", "stop.target is NaN"),
        (command, "[stop]\ncost = 0", "stop.cost is 0"),
        (command, "[stop]\npatience = 0", "stop.patience is 0"),
    ] {
        let (folder, _) = study(before, after);
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(text.contains(part) && text.matches("TOML parse").count() <= 1, "{before} {after}: {text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{before} {after}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(error(&thrifty(folder.path(), &["run", "none.toml"])).contains("none.toml: No such file"));
    let by_name = "command = [\"echo\", \"{x}\"]\n[parameters]\nx = { float = { low = 0, high = 1 } }\n";
    std::fs::write(folder.path().join("named.toml"), by_name).unwrap();
    let found = error(&thrifty(folder.path(), &["run", "named.toml"]));
    assert!(found.contains("expected [[parameters]] in double brackets, once for each parameter"), "{found}");
    assert!(
        error(&thrifty(folder.path(), &["best", "none.jsonl"]))
            .contains("none.jsonl: no trials yet, there is no such file")
    );
}

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

#[test]
fn bad_queues_and_known_trials_are_named() {
    let command = "command = [\"echo\", \"{x}\"]";
    for (key, expected) in [
        ("queue = [{ y = 1 }]", "unknown parameter y"),
        ("queue = [{ x = 2 }]", "parameter x is 2, expected a number in [0, 1]"),
        ("known = \"none.csv\"", "none.csv"),
        ("known = \"known.xlsx\"", "expected a file that ends with .jsonl, .csv or .json"),
        ("known = \"empty.csv\"", "empty.csv, expected a file with trials that ended"),
        ("known = \"empty.json\"", "empty.json, expected a file with trials that ended"),
        ("known = \"bad.csv\"", "bad.csv: trial 1: parameter x is 7, expected a number in [0, 1]"),
        ("known = \"optuna.csv\"", "optuna.csv: trial 0: x is \"far\", expected a number"),
        ("known = \"table.json\"", "table.json: trial 0: it has no result, as trials of Hyperopt have"),
    ] {
        let (folder, _) = study(&format!("{command}\n{key}"), "[stop]\ntrials = 2");
        std::fs::write(folder.path().join("bad.csv"), "x,objective\n0.5,1\n7,1\n").unwrap();
        std::fs::write(folder.path().join("empty.csv"), "x,objective\n").unwrap();
        std::fs::write(folder.path().join("empty.json"), "[]").unwrap();
        std::fs::write(folder.path().join("optuna.csv"), "params_x,value,state\nfar,1,COMPLETE\n").unwrap();
        std::fs::write(folder.path().join("table.json"), r#"[{"trial": 0, "objective": 1, "x": 0.5}]"#)
            .unwrap();
        let found = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(found.contains(expected), "{found}");
        let journal = std::fs::read(folder.path().join("study.jsonl")).unwrap_or_default();
        assert!(journal.is_empty(), "{key}: {}", String::from_utf8_lossy(&journal));
    }
}

/// A command that prints reports is stopped with all its processes, and reports are in the journal.
#[test]
fn reports_stop_a_command_early() {
    let after = "[stop]\ntrials = 8\n[optimizer]\nmethod = \"sobol\"\npruned = \"last_report\"\n[pruning]\npruner = \"successive_halving\"\nmin_steps = 1\nfactor = 2";
    let text =
        r#"printf '{"step": 1, "value": %s}\n' "$1"; sleep 0.3; touch "done_$THRIFTY_TRIAL"; echo "$1""#;
    let folder = script(text, after);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let table = json_of(folder.path(), &["export", "study.toml", "--format", "json"]);
    let rows: Vec<(f64, String)> = table
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["x"].as_f64().unwrap(), row["state"].as_str().unwrap().to_owned()))
        .collect();
    // A trial stops unless it is in the better half of those so far.
    for (at, (x, state)) in rows.iter().enumerate() {
        let better = rows[..at].iter().filter(|other| other.0 < *x).count();
        let stops = better >= at.div_ceil(2).max(1);
        assert_eq!(folder.path().join(format!("done_{at}")).exists(), !stops, "trial {at} was killed");
        assert_eq!(state, if stops { "pruned" } else { "measured" }, "trial {at} of {rows:?}");
    }
    assert!(rows.iter().any(|row| row.1 == "pruned"));
    let reports = stdout(&thrifty(folder.path(), &["export", "study.toml", "--reports"]));
    assert_eq!(reports.lines().count(), 1 + rows.len(), "{reports}");
}

#[test]
fn a_server_says_which_trial_to_stop() {
    let (folder, _) = study(
        "",
        "[stop]\ntrials = 3\n[optimizer]\nmethod = \"sobol\"\n[pruning]\npruner = \"median\"\nstartup_trials = 1",
    );
    let requests = [
        r#"{"ask":{}}"#,
        r#"{"report":{"trial":0,"step":1,"value":0.5}}"#,
        r#"{"tell":{"trial":0,"outcome":0.5}}"#,
        r#"{"ask":{}}"#,
        r#"{"report":{"trial":1,"step":1,"value":0.75}}"#,
        r#"{"pruned":{"trial":1}}"#,
        r#"{"pruned":{"trial":1}}"#,
    ];
    let mut child = command(folder.path(), &["serve", "study.toml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(requests.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[2], json!({"reported": 0, "prune": false}));
    assert_eq!(answers[5], json!({"reported": 1, "prune": true}));
    assert_eq!(answers[6], json!({"told": 1}));
    assert!(answers[7]["error"].as_str().unwrap().contains("trial 1 was told before"));
}

#[test]
fn bad_pruning_is_named() {
    for (section, expected) in [
        ("[pruning]\npruner = \"mean\"", "unknown variant `mean`"),
        ("[pruning]\npruner = \"hyperband\"", "max_steps"),
        ("[pruning]\npruner = \"median\"\nwarmup = 3", "warmup = 3: unknown field `warmup`"),
        ("[pruning]\npruner = \"median\"\nwarmup_steps = \"many\"", "warmup_steps = \"many\": invalid type"),
        ("[pruning]\nmedian = {}", "{\"median\":{}}: missing field `pruner`"),
        ("[pruning]\npruner = \"median\"\ninterval = 0", "pruner median: interval is 0, expected at least 1"),
        ("[optimizer]\npruned = \"best\"", "unknown variant `best`"),
    ] {
        let (folder, _) = study("command = [\"echo\", \"{x}\"]", &format!("[stop]\ntrials = 2\n{section}"));
        let output = thrifty(folder.path(), &["run", "study.toml"]);
        error(&output);
        // An error of the file shows the line below the first.
        let found = stderr(&output);
        assert!(found.contains(expected) && !found.ends_with("\n\n\n"), "{found}");
    }
    for pruning in ["\"median\"", "[\"median\", 3]"] {
        let (folder, _) = study(&format!("command = [\"echo\", \"{{x}}\"]\npruning = {pruning}"), "");
        let found = stderr(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(found.contains(r#"expected a table such as { pruner = "median" }"#), "{found}");
    }
}

#[test]
fn a_report_is_one_page_without_network_and_texts_do_not_break_out_of_it() {
    let choices = "[[parameters]]\nname = \"kind\"\nchoices = [\"<script>alert(1)</script>\", \"b\"]\n";
    let command = "command = [\"awk\", \"BEGIN {{ print ({x} - 0.3) ^ 2 }}\", \"{kind}\"]";
    let (folder, _) =
        study(command, &format!("{choices}[stop]\ntrials = 14\n[optimizer]\nmethod = \"random\""));
    let none = error(&thrifty(folder.path(), &["report", "study.toml"]));
    assert!(none.contains("no trials yet"), "{none}");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(stdout(&thrifty(folder.path(), &["report", "study.toml"])).trim(), "study.html");
    std::fs::remove_file(folder.path().join("study.html")).unwrap();
    // The study has ended; a second run writes the page alone.
    assert_eq!(json_of(folder.path(), &["run", "study.toml", "--report", "--json"])["reason"], "14 trials");
    let page = std::fs::read_to_string(folder.path().join("study.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("14 measured"));
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert(1)"));
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"));
    for figure in ["history", "slices", "importance", "surrogate", "leave-one-out"] {
        assert!(page.contains(&format!("<figure id=\"{figure}\">")), "{figure}");
    }
    assert!(page.contains("pareto: 1 objective, expected at least 2"));
    // A journal alone has the space too.
    stdout(&thrifty(folder.path(), &["report", "study.jsonl", "-o", "other.html"]));
    let of_journal = std::fs::read_to_string(folder.path().join("other.html")).unwrap();
    assert!(!of_journal.contains("derived from the trials"));
    let figure = |page: &str, name: &str| {
        let (_, rest) = page.split_once(&format!("<figure id=\"{name}\">")).unwrap();
        rest.split_once("</figure>").unwrap().0.to_owned()
    };
    for name in ["slices", "importance", "surrogate"] {
        assert_eq!(figure(&of_journal, name), figure(&page, name), "{name}");
    }
    assert!(
        error(&thrifty(folder.path(), &["report", "study.toml", "-o", "no/such/folder"])).contains("no/such")
    );
}

#[test]
fn a_figure_is_drawn_by_its_name() {
    let folder = script("echo \"$1\"", "[stop]\ntrials = 3\n[optimizer]\nmethod = \"sobol\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(stdout(&thrifty(folder.path(), &["plot", "study.toml", "history"])).starts_with("<svg"));
    stdout(&thrifty(folder.path(), &["plot", "study.jsonl", "slices", "-o", "slices.svg"]));
    assert!(std::fs::read_to_string(folder.path().join("slices.svg")).unwrap().ends_with("</svg>\n"));
    let unknown = error(&thrifty(folder.path(), &["plot", "study.toml", "histroy"]));
    assert!(unknown.contains("no figure is named \"histroy\"; the figures are history, pareto"), "{unknown}");
    let unfit = error(&thrifty(folder.path(), &["plot", "study.toml", "importance"]));
    assert!(unfit.contains("importance: 1 parameter, expected at least 2"), "{unfit}");
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

/// Times of trials are left out of the table; parameters with such a name are not.
#[test]
fn parameters_may_be_named_as_times() {
    let parameter = "[[parameters]]\nname = \"warmup_seconds\"\nfloat = { low = 0, high = 1 }";
    let (folder, _) = study("", &format!("{parameter}\n[optimizer]\nmethod = \"sobol\""));
    json_of(folder.path(), &["ask", "study.toml"]);
    stdout(&thrifty(folder.path(), &["tell", "study.toml", "0", "0.5"]));
    let text = stdout(&thrifty(folder.path(), &["show", "study.toml"]));
    assert!(text.contains("warmup_seconds  ") || text.contains(" warmup_seconds"), "{text}");
    assert!(!text.contains("ask_seconds") && !text.contains("evaluate_seconds"), "{text}");
}

/// A journal of single folds is shown and exported; what needs configurations says that it is not damaged.
#[test]
fn journals_of_folds_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        r#"{"thrifty_journal":1,"seed":3,"fingerprint":"any"}"#,
        r#"{"asked":{"id":0,"query":{"config":{"c":1.5},"repeat":0,"fold":2},"seconds":0.5}}"#,
        r#"{"told":{"id":0,"outcome":{"measured":{"objectives":[0.25]}},"seconds":1.5}}"#,
    ];
    std::fs::write(folder.path().join("folds.jsonl"), lines.join("\n") + "\n").unwrap();
    let text = stdout(&thrifty(folder.path(), &["show", "folds.jsonl"]));
    assert!(text.starts_with("1 trial: 1 measured") && !text.contains("best"), "{text}");
    assert!(["config.c", "repeat", "fold", "1.5", "0.25"].iter().all(|part| text.contains(part)), "{text}");
    assert_eq!(json_of(folder.path(), &["show", "folds.jsonl", "--json"])["trials"][0]["fold"], 2);
    let table = stdout(&thrifty(folder.path(), &["export", "folds.jsonl"]));
    assert!(table.starts_with("trial,state,objective,config.c,fold,repeat,"), "{table}");
    for command in
        [["best", "folds.jsonl"].as_slice(), &["report", "folds.jsonl"], &["plot", "folds.jsonl", "history"]]
    {
        let text = error(&thrifty(folder.path(), command));
        assert!(text.contains("single folds") && text.contains("not damaged"), "{text}");
        assert!(!text.contains("line"), "{text}");
    }
    assert!(stdout(&thrifty(folder.path(), &["repair", "folds.jsonl"])).contains("no damage: 1 trial\n"));
}

/// A program that is a symbolic link has the name of the link, as the Python of a virtual environment needs it.
#[test]
fn a_program_that_is_a_link_is_started_by_its_own_name() {
    let (folder, _) =
        study("command = [\"./here/tool\", \"{x}\"]", "[stop]\ntrials = 1\n[optimizer]\nmethod = \"random\"");
    let real = folder.path().join("real.sh");
    std::fs::write(&real, "#!/bin/sh\ncase $0 in */here/tool) echo 1;; *) echo 2;; esac\n").unwrap();
    std::fs::set_permissions(&real, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir(folder.path().join("here")).unwrap();
    std::os::unix::fs::symlink("../real.sh", folder.path().join("here/tool")).unwrap();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(json_of(folder.path(), &["best", "study.toml", "--json"])["objective"], 1.0);
}

/// A daemon that a command leaves in a session of its own keeps the output open: the result that stands there counts all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_result_is_read_although_a_daemon_keeps_the_output_open() {
    let after = "[stop]\ntrials = 1\n[optimizer]\nmethod = \"random\"";
    let folder = script("setsid sleep 6 & sleep 0.2; echo 0.25", after);
    let start = Instant::now();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(json_of(folder.path(), &["best", "study.toml", "--json"])["objective"], 0.25);
}

/// A result of some hundred kilobytes: the line with all reports of a long training.
#[test]
fn a_long_result_is_read_whole() {
    let after = "[stop]\ntrials = 1\n[optimizer]\nmethod = \"random\"";
    let reports: Vec<(u64, f64)> = (1..=4000).map(|step| (step, 1.0 / (step as f64 + 0.1))).collect();
    let folder = script("cat result.json", after);
    let result = json!({ "objective": 0.5, "reports": reports }).to_string();
    assert!(result.len() > 1 << 16);
    std::fs::write(folder.path().join("result.json"), result).unwrap();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let reports = stdout(&thrifty(folder.path(), &["export", "study.toml", "--reports"]));
    assert_eq!(reports.lines().count(), 4001);
}

/// A number that is not finite is one report of several: the measurement is kept.
#[test]
fn a_result_with_a_report_that_is_not_finite_is_measured() {
    let result = r#"echo '{"objective": 0.5, "reports": [[1, NaN], [2, 0.4]]}'"#;
    let folder = script(result, "[stop]\ntrials = 1\n[optimizer]\nmethod = \"random\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert_eq!(json_of(folder.path(), &["best", "study.toml", "--json"])["objective"], 0.5);
    let history = History::<Config>::read(folder.path().join("study.jsonl")).unwrap();
    let reports = &history.trials()[0].reports;
    assert!(reports[0].1.is_nan() && reports[1] == (2, 0.4), "{reports:?}");
}

/// Outcomes that begin with a sign are taken, with any exponent; options are options before and after them.
#[test]
fn outcomes_with_a_sign_are_told() {
    let (folder, _) = study("", "[stop]\ntrials = 20\n[optimizer]\nmethod = \"sobol\"");
    let outcomes = ["-0.5", "-1e-3", "-1.5e-05", "-1E-3", "-2.5e+3", "-.5", "-inf", "+1e3"];
    for (trial, outcome) in outcomes.into_iter().enumerate() {
        json_of(folder.path(), &["ask", "study.toml"]);
        stdout(&thrifty(folder.path(), &["tell", "study.toml", &trial.to_string(), outcome]));
        let history = History::<Config>::read(folder.path().join("study.jsonl")).unwrap();
        let told = history.trials()[trial].outcome.as_ref().unwrap();
        assert_eq!(
            told.objective(),
            outcome.parse().ok().filter(|value: &f64| value.is_finite()),
            "{outcome}"
        );
    }
    json_of(folder.path(), &["ask", "study.toml"]);
    let tell =
        |arguments: &[&str]| thrifty(folder.path(), &[&["tell", "study.toml", "8"], arguments].concat());
    let leased = error(&tell(&["-1e-3", "--lease", "1:host"]));
    assert!(leased.contains("--lease is given, expected none"), "{leased}");
    assert_eq!(tell(&["--unknown", "-1e-3"]).status.code(), Some(2));
    stdout(&tell(&["--failed", "-9: killed"]));
    let text = stdout(&thrifty(folder.path(), &["show", "study.toml"]));
    assert!(text.contains("-9: killed"), "{text}");
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

/// Several objectives and no feasible trial: the reason stands where the Pareto set would.
#[test]
fn a_pareto_set_without_a_feasible_trial_has_a_reason() {
    let result = r#"echo '{"objectives": [1, 2], "constraints": [1]}'"#;
    let folder = script(result, "[stop]\ntrials = 3\n[optimizer]\nmethod = \"random\"");
    for arguments in [&["run", "study.toml"][..], &["best", "study.toml"], &["show", "study.toml"]] {
        let text = stdout(&thrifty(folder.path(), arguments));
        assert!(text.contains("no trial satisfies the constraints"), "{arguments:?}: {text}");
    }
    assert_eq!(json_of(folder.path(), &["best", "study.toml", "--json"]), json!([]));
}

/// Trials that run, and a study without trials, are no failures.
#[test]
fn a_study_without_a_measured_trial_says_what_its_trials_are() {
    let folder = script("echo 1", "[stop]\ntrials = 3\n[optimizer]\nmethod = \"random\"");
    let best = || error(&thrifty(folder.path(), &["best", "study.toml"]));
    stdout(&thrifty(folder.path(), &["ask", "study.toml"]));
    assert!(best().contains("no trial was measured: 1 running"), "{}", best());
    stdout(&thrifty(folder.path(), &["ask", "study.toml"]));
    stdout(&thrifty(folder.path(), &["tell", "study.toml", "0", "no room", "--failed"]));
    assert!(best().contains("no trial was measured: 1 failed, 1 running; the first: no room"), "{}", best());
}

/// A study that ends by its failures has its page, with the reasons.
#[test]
fn a_study_without_a_measured_trial_has_its_page() {
    let stop = "[stop]\ntrials = 20\nfailures = 2\n[optimizer]\nmethod = \"random\"";
    let folder = script("echo disk full >&2; exit 1", stop);
    let text = error(&thrifty(folder.path(), &["run", "study.toml", "--report"]));
    assert!(text.contains("no trial was measured: 2 failed"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("study.html")).unwrap();
    assert!(page.contains("disk full"), "{page}");
}

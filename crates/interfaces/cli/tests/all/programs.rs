//! Programs that evaluate a trial: their results, failures, output and processes.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use thrifty_space::Config;
use thrifty_study::History;

use crate::cli::{script, study};
use crate::command::{error, json_of, stderr, stdout, thrifty};

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

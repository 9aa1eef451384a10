//! Trials that are asked and told by hand, or through a server.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};
use thrifty_space::Config;
use thrifty_study::History;

use crate::cli::study;
use crate::command::{command, error, json_of, stdout, thrifty};

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

//! Objectives to be maximised, as a user sees them: own numbers everywhere, with and without the study file.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::command::{command, error, json_of, stderr, stdout, thrifty};

/// Writes a study file of x in [0, 1] that prints `print`, a text with `$1` for x.
fn write(folder: &Path, name: &str, before: &str, print: &str, after: &str) {
    let script = print.replace('{', "{{").replace('}', "}}");
    let command = json!(["sh", "-c", script, "script", "{x}"]);
    let text = format!(
        "{before}\ncommand = {command}\n[[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n{after}\n"
    );
    std::fs::write(folder.join(name), text).unwrap();
}

fn study(before: &str, print: &str, after: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "study.toml", before, print, after);
    folder
}

const MAXIMIZE: &str = "direction = \"maximize\"";
const RANDOM: &str = "[stop]\ntrials = 12\n[optimizer]\nmethod = \"random\"";

fn column(table: &Value, name: &str) -> Vec<f64> {
    table.as_array().unwrap().iter().filter_map(|row| row[name].as_f64()).collect()
}

#[test]
fn an_accuracy_is_shown_as_it_was_printed() {
    let folder = study(MAXIMIZE, "echo \"$1\"", RANDOM);
    let run = thrifty(folder.path(), &["run", "study.toml", "--report"]);
    let result = stdout(&run);
    let table = json_of(folder.path(), &["export", "study.toml", "--format", "json"]);
    let (x, shown) = (column(&table, "x"), column(&table, "objective"));
    assert_eq!((x.len(), &x), (12, &shown), "the objective is x");
    let largest = x.iter().copied().fold(f64::MIN, f64::max);
    assert!(result.contains(&format!(": {largest}  (x = {largest})")), "{result}");
    let last = stderr(&run).lines().last().unwrap().to_owned();
    assert!(last.contains(&format!("best {largest}, ask")) && !last.contains("-0."), "{last}");
    // The journal alone has all that is needed.
    for source in ["study.toml", "study.jsonl"] {
        assert_eq!(json_of(folder.path(), &["best", source, "--json"])["objective"], largest);
        let shown = json_of(folder.path(), &["show", source, "--json"]);
        assert_eq!(
            (&shown["directions"], &shown["best"]["objective"]),
            (&json!(["maximize"]), &json!(largest))
        );
        assert_eq!(json_of(folder.path(), &["export", source, "--format", "json"]), table);
    }
    let page = std::fs::read_to_string(folder.path().join("study.html")).unwrap();
    assert!(page.contains(&format!("{largest} (trial")) && page.contains("<dd>maximize</dd>"), "the page");
    assert!(stdout(&thrifty(folder.path(), &["plot", "study.jsonl", "history"])).starts_with("<svg"));
}

/// Negating by hand suggests the same, to the last bit.
#[test]
fn every_method_maximises_as_if_negated_by_hand() {
    for (method, trials) in [("bo", 14), ("tpe", 14), ("random", 5)] {
        let after = format!("[stop]\ntrials = {trials}\n[optimizer]\nmethod = \"{method}\"");
        let rows = |before: &str, sign: &str| {
            let print = format!("awk \"BEGIN {{ print {sign}(1 - ($1 - 0.3) ^ 2) }}\"");
            let folder = study(before, &print, &after);
            stdout(&thrifty(folder.path(), &["run", "study.toml"]));
            json_of(folder.path(), &["export", "study.toml", "--format", "json"])
        };
        let (maximised, minimised) = (rows(MAXIMIZE, ""), rows("", "-"));
        assert_eq!(column(&maximised, "x"), column(&minimised, "x"), "{method}");
        let negated: Vec<f64> = column(&minimised, "objective").iter().map(|value| -value).collect();
        assert_eq!(column(&maximised, "objective"), negated, "{method}");
    }
}

#[test]
fn several_objectives_have_a_direction_each() {
    let print = "printf '{\"objectives\": [%s, %s], \"constraints\": [-1]}' \"$1\" \"$1\"";
    let after = RANDOM.replace("random", "multi_objective");
    let folder = study("direction = [\"maximize\", \"minimize\"]", print, &after);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let best = json_of(folder.path(), &["best", "study.jsonl", "--json"]);
    assert_eq!(best.as_array().unwrap().len(), 12, "each is as good as another: {best}");
    for member in best.as_array().unwrap() {
        let x = &member["config"]["x"];
        assert_eq!(member["objectives"], json!([x, x]));
    }
    assert!(stdout(&thrifty(folder.path(), &["plot", "study.toml", "pareto"])).starts_with("<svg"));
    let one = study(MAXIMIZE, print, RANDOM);
    let text = error(&thrifty(one.path(), &["run", "study.toml"]));
    assert!(text.contains("2 objectives, but the study has 1 direction"), "{text}");
}

/// A second objective of a method that would not read it is refused, in the study file and as a result.
#[test]
fn methods_of_one_objective_refuse_two() {
    let print = "printf '{\"objectives\": [%s, %s]}' \"$1\" \"$1\"";
    for method in ["bo", "cmaes", "trust_region"] {
        let after = RANDOM.replace("random", method);
        let folder = study("direction = [\"maximize\", \"minimize\"]", print, &after);
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        let expected = format!(
            "direction is [\"maximize\",\"minimize\"], expected one, because {method} has 1 objective"
        );
        assert!(text.contains(&expected), "{text}");
        let folder = study("", print, &after);
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(text.contains("2 objectives, but the study has 1 direction"), "{text}");
    }
    for method in ["tpe", "multi_objective", "random"] {
        let folder = study("", print, &RANDOM.replace("random", method));
        stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    }
}

#[test]
fn reports_bounds_and_targets_are_in_the_units_of_the_user() {
    // Accuracies fall below the bound at step 2 for x < 0.5.
    let print = "echo '{\"step\": 1, \"value\": 0.9}'; echo \"{\\\"step\\\": 2, \\\"value\\\": $1}\"; sleep 0.3; echo $1";
    let after = format!("{RANDOM}\n[pruning]\npruner = \"threshold\"\nlower = 0.5\nupper = 1");
    let folder = study(MAXIMIZE, print, &after);
    stdout(&thrifty(folder.path(), &["run", "study.toml", "--workers", "4"]));
    let table = json_of(folder.path(), &["export", "study.jsonl", "--format", "json"]);
    let mut pruned = 0;
    for row in table.as_array().unwrap() {
        let expected = if row["x"].as_f64().unwrap() < 0.5 { "pruned" } else { "measured" };
        assert_eq!(row["state"], expected, "{row}");
        pruned += u32::from(expected == "pruned");
    }
    assert!((1..12).contains(&pruned), "{pruned}");
    let reports = json_of(folder.path(), &["export", "study.jsonl", "--format", "json", "--reports"]);
    assert!(column(&reports, "value").iter().all(|value| (0.0..=1.0).contains(value)), "{reports}");
    // A target is reached from below.
    let after = RANDOM.replace("[stop]", "[stop]\ntarget = 0.5");
    let folder = study(MAXIMIZE, "echo $1", &after);
    let result = stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(result.contains("stopped: the target was reached by 0."), "{result}");
    let after = RANDOM.replace("[stop]", "[stop]\npatience = 2");
    let folder = study(MAXIMIZE, "echo $1", &after);
    let result = stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(result.contains("without a better objective than 0."), "{result}");
}

#[test]
fn trials_by_hand_and_over_a_pipe_are_in_the_units_of_the_user() {
    let folder = study(MAXIMIZE, "echo $1", RANDOM);
    json_of(folder.path(), &["ask", "study.toml"]);
    stdout(&thrifty(
        folder.path(),
        &["tell", "study.toml", "0", "{\"objective\": 0.25, \"reports\": [[1, 0.125]]}"],
    ));
    json_of(folder.path(), &["ask", "study.toml"]);
    stdout(&thrifty(folder.path(), &["tell", "study.toml", "1", "inf"]));
    let shown = stdout(&thrifty(folder.path(), &["show", "study.jsonl"]));
    assert!(shown.contains("best: trial 0: 0.25") && shown.contains("objective 0 is inf"), "{shown}");
    let reports = stdout(&thrifty(folder.path(), &["export", "study.jsonl", "--reports"]));
    assert!(reports.contains("0,1,0.125"), "{reports}");
    let mut child = command(folder.path(), &["serve", "study.toml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answer = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(answer(), json!({"protocol": 1, "trials": 2, "directions": ["maximize"]}));
    let mut call = |request: &str| {
        writeln!(input, "{request}").unwrap();
        answer()
    };
    assert_eq!(call(r#"{"ask":{}}"#)["trial"], 2);
    call(r#"{"report":{"trial":2,"step":1,"value":0.5}}"#);
    assert_eq!(call(r#"{"tell":{"trial":2,"outcome":0.75}}"#), json!({"told": 2}));
    let found = call(r#"{"best":{}}"#);
    assert_eq!(found["best"]["objective"], 0.75);
    assert_eq!(found["recommended"]["config"], found["best"]["config"], "{found}");
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn known_trials_keep_their_meaning() {
    let folder = study(MAXIMIZE, "echo $1", RANDOM);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let best = json_of(folder.path(), &["best", "study.toml", "--json"]);
    stdout(&thrifty(folder.path(), &["export", "study.toml", "-o", "earlier.csv"]));
    for known in ["earlier.csv", "study.jsonl"] {
        let before = format!("{MAXIMIZE}\nknown = \"{known}\"");
        let name = format!("next-{}", known.replace('.', "-"));
        write(folder.path(), &format!("{name}.toml"), &before, "echo 0", RANDOM);
        stdout(&thrifty(folder.path(), &["run", &format!("{name}.toml")]));
        assert_eq!(json_of(folder.path(), &["best", &format!("{name}.toml"), "--json"]), best);
    }
    write(folder.path(), "other.toml", "known = \"study.jsonl\"", "echo 0", RANDOM);
    let text = error(&thrifty(folder.path(), &["run", "other.toml"]));
    assert!(text.contains("its directions are maximize, those of this study are minimize"), "{text}");
    assert!(!folder.path().join("other.jsonl").exists());
}

#[test]
fn directions_that_are_none_or_others_are_refused() {
    for value in ["\"up\"", "[]", "[\"maximize\", 1]", "true"] {
        let folder = study(&format!("direction = {value}"), "echo $1", RANDOM);
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(
            text.contains("direction is") && text.contains("expected \"minimize\" or \"maximize\""),
            "{text}"
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    let folder = study(MAXIMIZE, "echo $1", RANDOM);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let journal = std::fs::read(folder.path().join("study.jsonl")).unwrap();
    write(folder.path(), "study.toml", "", "echo $1", RANDOM);
    let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(text.contains("directions is maximize in the journal and minimize here"), "{text}");
    assert_eq!(std::fs::read(folder.path().join("study.jsonl")).unwrap(), journal);
}

/// Settings that are losses have the user's sign: a study that maximises is its negation by hand, to the last bit.
#[test]
fn settings_that_are_losses_are_in_the_units_of_the_user() {
    let initial = "initial = { sobol = 4 }";
    for (method, maximised, minimised) in [
        (
            "tpe",
            "startup = { sobol = 4 }, split = { target = { loss = 0.99 } }",
            "startup = { sobol = 4 }, split = { target = { loss = -0.99 } }",
        ),
        ("bo", "failures = { as_value = -30 }", "failures = { as_value = 30 }"),
        (
            "bo",
            "losses = \"none\", rule = { log_expected_improvement = { fixed = 2 } }",
            "losses = \"none\", rule = { log_expected_improvement = { fixed = -2 } }",
        ),
        (
            "bo",
            "rule = { expected_improvement = { fixed = 2 } }",
            "rule = { expected_improvement = { fixed = -2 } }",
        ),
        ("trust_region", "failures = { as_value = -30 }", "failures = { as_value = 30 }"),
        ("multi_objective", "reference = [0.2, -3]", "reference = [-0.2, 3]"),
    ] {
        let several = method == "multi_objective";
        let columns = |directions: &str, sign: &str, settings: &str| {
            let more = if method == "tpe" { String::new() } else { format!(", {initial}") };
            let after = format!(
                "[stop]\ntrials = 14\n[optimizer]\nmethod = \"{method}\"\nsettings = {{ {settings}{more} }}"
            );
            let value = format!("{sign}(1 - (x - 0.3) ^ 2)");
            let shown = if several {
                format!("printf \"{{\\\"objectives\\\": [%.17g, %.17g]}}\", {value}, {sign}(1 - x)")
            } else {
                // Some trials fail, so that the value of failed trials counts.
                format!("if (x > 0.5) exit 1; printf \"%.17g\", {value}")
            };
            let print = format!("awk -v x=$1 'BEGIN {{ {shown} }}'");
            let folder = study(directions, &print, &after);
            stdout(&thrifty(folder.path(), &["run", "study.toml"]));
            column(&json_of(folder.path(), &["export", "study.toml", "--format", "json"]), "x")
        };
        let maximise = if several { "direction = [\"maximize\", \"maximize\"]" } else { MAXIMIZE };
        let (found, expected) = (columns(maximise, "", maximised), columns("", "-", minimised));
        assert_eq!(found, expected, "{method} {maximised}");
        assert_ne!(found, columns(maximise, "", minimised), "{method}: the setting matters");
    }
}

#[test]
fn settings_without_a_unit_are_refused() {
    let (directions, settings) = ("direction = [\"maximize\", \"minimize\"]", "failures = { as_value = 2 }");
    let after =
        format!("[stop]\ntrials = 2\n[optimizer]\nmethod = \"multi_objective\"\nsettings = {{ {settings} }}");
    let text = error(&thrifty(study(directions, "echo 1", &after).path(), &["run", "study.toml"]));
    assert!(text.contains("optimizer.settings.failures is 2, expected a policy without a value"), "{text}");
}

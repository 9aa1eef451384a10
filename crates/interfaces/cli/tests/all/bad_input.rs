//! Study files that are refused, with the place of the fault.
#![cfg(unix)]

use crate::cli::study;
use crate::command::{error, stderr, thrifty};

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

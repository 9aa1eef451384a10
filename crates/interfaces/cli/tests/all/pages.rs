//! Reports and figures of studies.
#![cfg(unix)]

use serde_json::json;

use crate::cli::{script, study};
use crate::command::{error, json_of, stdout, thrifty};

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

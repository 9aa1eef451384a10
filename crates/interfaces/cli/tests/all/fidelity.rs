//! Multi-fidelity studies as a user runs them.
#![cfg(unix)]

use crate::command::{error, json_of, stderr, stdout, thrifty};

/// A study whose losses are smaller at low fidelities, so that these would always be the best.
fn study(optimizer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "command = [\"awk\", \"BEGIN {{{{ print ({{x}} - 0.3) ^ 2 + {{epochs}} / 10 }}}}\"]\n\
         [[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n\
         [[parameters]]\nname = \"epochs\"\nint = {{ low = 1, high = 9, log = true }}\n\
         [stop]\ntrials = 12\n[optimizer]\n{optimizer}\n"
    );
    let queue = "queue = [{ x = 0.9, epochs = 9 }, { x = 0.3, epochs = 1 }, { x = 0.5, epochs = 9 }]\n";
    std::fs::write(folder.path().join("study.toml"), format!("{queue}{text}")).unwrap();
    folder
}

const METHOD: &str = "method = \"multi_fidelity\"\nfidelity = \"epochs\"";

#[test]
fn the_best_is_the_best_at_the_target() {
    let folder = study(METHOD);
    let run = thrifty(folder.path(), &["run", "study.toml"]);
    let progress = stderr(&run);
    assert!(!progress.contains("best 0.1"), "{progress}");
    let result = stdout(&run);
    for source in ["study.toml", "study.jsonl"] {
        let best = json_of(folder.path(), &["best", source, "--json"]);
        assert_eq!(best["config"]["epochs"], 9, "{best}");
        assert!(best["objective"].as_f64().unwrap() <= 0.94 + 1e-12, "{best}");
        assert!(result.contains(&format!("best: trial {}: ", best["trial"])), "{result}");
    }
    // A study without a fidelity compares all.
    let folder = study("method = \"random\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let best = json_of(folder.path(), &["best", "study.jsonl", "--json"]);
    assert_ne!(best["config"]["epochs"], 9, "{best}");
}

#[test]
fn a_study_without_a_trial_at_the_target_has_no_best() {
    let folder = study(&METHOD.replace("method", "settings = { reports = 0 }\nmethod"));
    let path = folder.path();
    let text = std::fs::read_to_string(path.join("study.toml")).unwrap();
    let one =
        text.replace("queue = [{ x = 0.9, epochs = 9 }, ", "queue = [").replace("trials = 12", "trials = 1");
    std::fs::write(path.join("study.toml"), one).unwrap();
    let result = stdout(&thrifty(path, &["run", "study.toml"]));
    assert!(result.contains("recommended: "), "{result}");
    assert!(result.contains("best: no trial at the target fidelity yet\n"), "{result}");
}

/// Recommendations of losses that are far too large at low fidelities, where almost all trials are: near the minimum, before the best
/// trial, in every command with the study file.
#[test]
fn the_recommendation_stands_before_the_best_trial() {
    let folder = study(METHOD);
    let path = folder.path();
    let text = std::fs::read_to_string(path.join("study.toml")).unwrap();
    let (_, text) = text.split_once('\n').unwrap();
    let text = text.replace("{epochs} / 10", "1 / {epochs}").replace("high = 9", "high = 27");
    std::fs::write(path.join("study.toml"), text.replace("trials = 12", "trials = 30")).unwrap();
    let run = stdout(&thrifty(path, &["run", "study.toml"]));
    for arguments in [&["best", "study.toml"][..], &["show", "study.toml"]] {
        let text = stdout(&thrifty(path, arguments));
        let recommended = text.lines().find(|line| line.starts_with("recommended: ")).unwrap();
        assert!(run.lines().nth(1) == Some(recommended), "{run}\n{text}");
        assert!(
            recommended.contains(" by estimate, 95 % in [")
                && recommended.contains("], evaluated at fidelity "),
            "{recommended}"
        );
        let mut json = arguments.to_vec();
        json.push("--json");
        let value = json_of(path, &json);
        let config = &value["recommended"]["config"];
        assert_eq!(config["epochs"], 27, "{value}");
        assert!((config["x"].as_f64().unwrap() - 0.3).abs() < 0.05, "{value}");
    }
    stdout(&thrifty(path, &["report", "study.toml"]));
    let page = std::fs::read_to_string(path.join("study.html")).unwrap();
    assert!(page.contains("recommended") && page.contains("by estimate"), "the page");
    let journal = stdout(&thrifty(path, &["best", "study.jsonl"]));
    assert!(!journal.contains("recommended"), "a journal has no optimiser: {journal}");
}

#[test]
fn fidelities_that_are_none_are_refused_and_write_nothing() {
    for (optimizer, part) in [
        ("method = \"multi_fidelity\"", "optimizer.fidelity is missing"),
        ("method = \"multi_fidelity\"\nfidelity = \"rows\"", "fidelity rows is missing"),
        ("method = \"multi_fidelity\"\nfidelity = \"x\"", "fidelity x"),
        ("method = \"tpe\"\nfidelity = \"epochs\"", "none, because tpe has no fidelity"),
        (&format!("{METHOD}\nsettings = {{ anchors = 1 }}"), "anchors"),
        (&format!("{METHOD}\nsettings = {{ anchor = 1 }}"), "anchor = 1: unknown field `anchor`"),
    ] {
        let folder = study(optimizer);
        let text = error(&thrifty(folder.path(), &["run", "study.toml"]));
        assert!(text.contains(part), "{optimizer}: {text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{optimizer}");
    }
}

/// The first trials are far better than all at the target, and are no reason to stop.
#[test]
fn stop_rules_compare_trials_at_the_target() {
    let rule = |rule: &str| {
        let folder = study(METHOD);
        let path = folder.path().join("study.toml");
        let text =
            std::fs::read_to_string(&path).unwrap().replace("trials = 12", &format!("trials = 7\n{rule}"));
        let queue = "queue = [{ x = 0.3, epochs = 1 }, { x = 0.3, epochs = 2 }, { x = 0.3, epochs = 1 }, \
                     { x = 0.9, epochs = 9 }, { x = 0.5, epochs = 9 }, ";
        let text = text.replace("queue = [{ x = 0.9, epochs = 9 }, { x = 0.3, epochs = 1 }, ", queue);
        std::fs::write(&path, text).unwrap();
        (stdout(&thrifty(folder.path(), &["run", "study.toml"])), folder)
    };
    let (reached, folder) = rule("target = 0.95");
    assert!(reached.contains("the target was reached by 0.94"), "{reached}");
    let counts = stdout(&thrifty(folder.path(), &["show", "study.jsonl"]));
    assert!(counts.starts_with("5 trials: 5 measured"), "{counts}");
    // Two trials at lower fidelities follow the first, and count neither as better nor as worse.
    assert!(rule("patience = 2").0.contains("stopped: 7 trials"));
    // At the target the second is better and the third is not.
    assert!(rule("patience = 1").0.contains("stopped: 1 trial without a better objective than 0.94"));
}

#[test]
fn figures_compare_trials_at_the_target() {
    let folder = study(METHOD);
    let path = folder.path();
    stdout(&thrifty(path, &["run", "study.toml"]));
    let best = json_of(path, &["best", "study.toml", "--json"]);
    let line = format!("{} (trial {})", best["objective"], best["trial"]);
    for source in ["study.toml", "study.jsonl"] {
        stdout(&thrifty(path, &["report", source, "--output", "page.html"]));
        let page = std::fs::read_to_string(path.join("page.html")).unwrap();
        assert!(page.contains(&line), "{source}: {line}");
        let history = stdout(&thrifty(path, &["plot", source, "history"]));
        assert!(history.contains("lower fidelity"), "{source}");
        assert!(stdout(&thrifty(path, &["plot", source, "slices"])).contains("lower fidelity"), "{source}");
    }
    // The same trials by a method without a fidelity: nothing is set apart.
    let folder = study("method = \"random\"");
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(!stdout(&thrifty(folder.path(), &["plot", "study.toml", "history"])).contains("lower fidelity"));
}

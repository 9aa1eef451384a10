//! Earlier studies of related tasks in a study file.
#![cfg(unix)]

use std::path::Path;

use thrifty_space::Config;
use thrifty_study::History;

use crate::command::{error, stderr, stdout, thrifty};

/// A study of the distance of x from a place, on a scale.
fn write(folder: &Path, name: &str, (place, scale): (f64, f64), after: &str) {
    let script = format!("awk -v x=$1 'BEGIN {{{{ print {scale} * (x - {place}) ^ 2 }}}}'");
    let text = format!(
        "command = [\"sh\", \"-c\", {script:?}, \"script\", \"{{x}}\"]\n\
         [[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n[stop]\ntrials = 8\n{after}\n"
    );
    std::fs::write(folder.join(name), text).unwrap();
}

fn trials(folder: &Path, journal: &str) -> Vec<f64> {
    let history: History<Config> = History::read(folder.join(journal)).unwrap();
    history.trials().iter().map(|trial| trial.query.float("x").unwrap()).collect()
}

/// A journal and a table teach a new study, which begins at their best, and refuses to go on with other sources.
#[test]
fn earlier_studies_begin_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "old.toml", (0.7, 5.0), "[optimizer]\nmethod = \"sobol\"");
    stdout(&thrifty(folder, &["run", "old.toml"]));
    std::fs::write(folder.join("table.csv"), "x,objective\n0.1,3\n0.4,2\n0.69,0.5\n0.9,1\n").unwrap();
    std::fs::write(folder.join("flat.csv"), "x,objective\n0.1,3\n0.4,3\n").unwrap();
    let transfer = "[transfer]\nfrom = [\"old.jsonl\", \"table.csv\", \"flat.csv\"]";
    write(folder, "new.toml", (0.72, 100.0), transfer);
    let run = thrifty(folder, &["run", "new.toml"]);
    stdout(&run);
    let text = stderr(&run);
    assert!(text.contains("warning: the earlier study flat.csv is left out: all losses are equal"), "{text}");
    let asked = trials(folder, "new.jsonl");
    assert_eq!(asked.len(), 8);
    assert!((asked[0] - 0.7).abs() < 0.1, "{asked:?}");
    let again = thrifty(folder, &["run", "new.toml"]);
    stdout(&again);
    assert_eq!(trials(folder, "new.jsonl"), asked);
    write(folder, "new.toml", (0.72, 100.0), "[transfer]\nfrom = [\"old.jsonl\"]");
    let text = error(&thrifty(folder, &["run", "new.toml"]));
    assert!(text.contains("sources"), "{text}");
}

#[test]
fn what_cannot_be_a_source_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("other.csv"), "y,objective\n0.1,3\n0.4,2\n").unwrap();
    for (after, part) in [
        ("[transfer]\nfrom = [\"none.jsonl\"]", "none.jsonl"),
        ("[transfer]\nfrom = [\"other.csv\"]", "other.csv"),
        ("[transfer]\nfrom = [\"other.csv\"]\n[optimizer]\nmethod = \"tpe\"", "tpe takes no earlier studies"),
        ("[transfer]\nform = []", "unknown field `form`"),
    ] {
        write(folder, "study.toml", (0.5, 1.0), after);
        let text = error(&thrifty(folder, &["run", "study.toml"]));
        assert!(text.contains(part), "{after}: {text}");
    }
    // A study with another range of x.
    write(folder, "old.toml", (0.7, 5.0), "[optimizer]\nmethod = \"sobol\"");
    let text = std::fs::read_to_string(folder.join("old.toml")).unwrap();
    std::fs::write(folder.join("old.toml"), text.replace("high = 1 ", "high = 2 ")).unwrap();
    stdout(&thrifty(folder, &["run", "old.toml"]));
    write(folder, "study.toml", (0.5, 1.0), "[transfer]\nfrom = [\"old.jsonl\"]");
    let text = error(&thrifty(folder, &["run", "study.toml"]));
    let expected = "earlier study \"old.jsonl\": parameter x has other values or conditions in its space";
    assert!(text.contains(expected), "{text}");
}

//! Study files of the book and of other hands.
#![cfg(unix)]

use std::path::Path;

use crate::command::{json_of, stdout, thrifty};

/// The TOML blocks of a page that are whole study files, with the page.
fn study_files(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| block.contains("[[parameters]]")).map(str::to_owned).collect()
}

#[test]
fn study_files_of_the_book_are_valid() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = [own.join("README.md"), own.join("../../../docs/src/cli.md")];
    for (page, block) in pages.iter().flat_map(|page| study_files(page).into_iter().map(move |b| (page, b))) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("study.toml"), &block).unwrap();
        let output = thrifty(folder.path(), &["ask", "study.toml"]);
        assert!(output.status.success(), "{}:\n{block}\n{output:?}", page.display());
    }
    assert!(pages.iter().all(|page| !study_files(page).is_empty()), "a page has no study file");
}

#[test]
fn whole_numbers_may_have_a_point() {
    let folder = tempfile::tempdir().unwrap();
    let text = "command = [\"sh\", \"-c\", \"echo $0\", \"{k}\", [\"{x}\"]]\nqueue = [{ k = 2.0, x = 0.5 }, { k = 3 }]\n\
                [[parameters]]\nname = \"k\"\nint = { low = 1, high = 3 }\n\
                [[parameters]]\nname = \"x\"\nfloat = { low = 0, high = 1 }\nwhen = { k = [1.0, 2.0] }\n\
                [stop]\ntrials = 4\n[optimizer]\nmethod = \"sobol\"\n";
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let table = json_of(folder.path(), &["export", "study.toml", "--format", "json"]);
    let row = |at: usize| (table[at]["k"].to_string(), table[at]["objective"].as_f64());
    assert_eq!((row(0), row(1)), (("2".into(), Some(2.0)), ("3".into(), Some(3.0))), "{table}");
    let journal = std::fs::read_to_string(folder.path().join("study.jsonl")).unwrap();
    let trials = journal.lines().skip(1).filter(|line| !line.contains("\"enqueued\""));
    assert!(
        trials.clone().count() > 4 && trials.clone().all(|line| !line.contains("\"k\":2.0")),
        "{journal}"
    );
}

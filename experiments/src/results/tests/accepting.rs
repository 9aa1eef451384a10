//! Tests of accepting runs: what a run must have before pages print it.

use super::*;

/// Puts a run into the folder `out`.
fn run(small: &Small, effort: &str, csv: &str) -> PathBuf {
    let summary = format!(
        "{{\"id\": \"{ID}\", \"verdict\": \"holds\", \"effort\": \"{effort}\", \"seed\": 3, \"versions\": {{\"commit\": \"0123456789ab\"}},
         \"claims\": [{{\"claim\": \"a\", \"kind\": \"superior\", \"test\": \"sign-flip\", \"n\": 8}},
         {{\"claim\": \"b\", \"kind\": \"not inferior by 0.1000\", \"test\": \"signed-rank\", \"n\": 40}}]}}"
    );
    small.put("out/gp/posterior/summary.json", &summary);
    small.put("out/gp/posterior/coverage.csv", csv);
    small.folder.path().join("out")
}

#[test]
fn a_run_is_accepted_and_printed() {
    let mark = "<!-- run: gp/posterior -->\n";
    let by_hand = "<!-- table: gp/posterior/by-hand/a.csv -->\n";
    let small = Small::new(&format!("{PAGE}\n{mark}\n{by_hand}"));
    small.put("experiments/runs/gp/posterior/by-hand/a.csv", "a\n1\n");
    let out = run(&small, "full", "n,NLPD\n10,1.2\n");
    let accepted = accept(&small.root(), &out, &[ID], false).unwrap();
    assert_eq!(accepted[0].files().collect::<Vec<_>>(), ["gp/posterior/coverage.csv"]);
    assert_eq!(accepted[0].by_hand, ["gp/posterior/by-hand/a.csv"]);
    small.write();
    let page = small.page();
    assert!(page.contains("| n | NLPD |\n|---|---:|\n| 10 | 1.2 |\n\nMore."), "{page}");
    assert!(
        page.contains("-->\nRun at commit 0123456789ab, seed 3, design full, n = 8 to 40.\n\n"),
        "{page}"
    );
    let row = "| sign-flip: superior; signed-rank: not inferior by 0.1000 | 8 to 40 | holds | full, seed 3, commit 0123456789ab | `run gp/posterior --full` |";
    assert!(small.get("docs/src/results/claims.md").contains(row));
    assert!(small.differences().is_empty());
    // Three replications do not take the place of eight unasked, nor twelve that of forty.
    let summary = small.get("out/gp/posterior/summary.json");
    for (from, to, n) in [("\"n\": 40", "\"n\": 12", "8 to 12"), ("\"n\": 8", "\"n\": 3", "3 to 40")] {
        small.put("out/gp/posterior/summary.json", &summary.replace(from, to));
        let error = accept(&small.root(), &out, &[ID], false).unwrap_err().to_string();
        assert!(error.contains(&format!("the run has n = {n}, the book has n = 8 to 40")), "{error}");
    }
    assert_eq!(accept(&small.root(), &out, &[ID], true).unwrap()[0].line.n, "3 to 40");
}

#[test]
fn runs_that_differ_are_refused_unless_replaced() {
    let csv = "n,NLPD\n10,1.2\n";
    for (effort, sheet, expected) in [
        (
            "quick",
            csv,
            "gp/posterior: the run is \"quick\", the book has \"full\"; --replace takes it nevertheless",
        ),
        (
            "full",
            "n,score\n10,1.2\n",
            "gp/posterior: coverage.csv has columns n, score, the book has n, NLPD; --replace takes it nevertheless",
        ),
    ] {
        let small = Small::new(PAGE);
        let out = run(&small, effort, sheet);
        let before = (small.files(), small.get("experiments/runs/claims.csv"));
        let found = accept(&small.root(), &out, &[ID], false).map(|_| ()).unwrap_err();
        assert_eq!(found.to_string(), expected);
        assert_eq!((small.files(), small.get("experiments/runs/claims.csv")), before);
        accept(&small.root(), &out, &[ID], true).unwrap();
        assert_eq!(small.get("experiments/runs/gp/posterior/coverage.csv"), sheet);
    }
}

#[test]
fn broken_runs_are_refused() {
    let small = Small::new(&PAGE.replace(".csv -->", ".csv | NLPD -->"));
    let out = small.folder.path().join("out");
    let refused = || accept(&small.root(), &out, &[ID], true).map(|_| ()).unwrap_err().to_string();
    assert!(refused().ends_with("summary.json is not there: no run of gp/posterior"), "{}", refused());
    run(&small, "full", "n,NLPD\n");
    assert!(refused().ends_with("coverage.csv has no rows"), "{}", refused());
    run(&small, "full", "n,score\n1,2\n");
    assert!(refused().ends_with("its columns are n, score, as a.md:5 asks for it"), "{}", refused());
    for (text, expected) in [
        ("{", "summary.json cannot be read: "),
        ("{\"id\": \"gp/restarts\"}", "summary.json is of gp/restarts, expected gp/posterior"),
        ("{\"id\": \"gp/posterior\"}", "summary.json has no claims"),
    ] {
        small.put("out/gp/posterior/summary.json", text);
        assert!(refused().contains(expected), "{}", refused());
    }
    fs::remove_file(out.join("gp/posterior/coverage.csv")).unwrap();
    assert_eq!(small.get("experiments/runs/gp/posterior/coverage.csv"), "n,NLPD\n10,1.118\n30,-0.3210\n");
}

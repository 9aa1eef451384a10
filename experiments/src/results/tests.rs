//! The pages of the book against their CSV files, laws of building and accepting, and bad input.

mod accepting;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::accept::accept;
use super::build::{Difference, build, write};
use super::claims::Claims;
use super::error::ResultsError;
use super::files::{Root, Sheet};
use super::marker::Marker;
use super::page::{self, table};
use super::prose::BY_HAND;
use crate::harness::Experiment;
use crate::registry::{all, find};

const ID: &str = "gp/posterior";

fn repository() -> Root {
    Root(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}

/// A repository of one experiment and one page.
struct Small {
    folder: TempDir,
    experiments: Vec<Experiment>,
}

impl Small {
    fn new(page: &str) -> Self {
        let small = Self { folder: tempfile::tempdir().unwrap(), experiments: vec![find(ID).unwrap()] };
        small.put("docs/src/results/a.md", page);
        small.put("experiments/runs/gp/posterior/coverage.csv", "n,NLPD\n10,1.118\n30,-0.3210\n");
        small.put(
            "experiments/runs/claims.csv",
            "experiment,tests,n,verdict,design,seed,commit,command\ngp/posterior,,,,full,,,run gp/posterior --full\n",
        );
        small
    }

    fn root(&self) -> Root {
        Root(self.folder.path().into())
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn page(&self) -> String {
        self.get("docs/src/results/a.md")
    }

    fn differences(&self) -> Vec<String> {
        let (_, found) = build(&self.root(), &self.experiments).unwrap();
        found.iter().map(ToString::to_string).collect()
    }

    fn write(&self) -> Vec<String> {
        write(&self.root(), &build(&self.root(), &self.experiments).unwrap().0).unwrap()
    }

    fn error(&self) -> String {
        build(&self.root(), &self.experiments).map(|_| ()).unwrap_err().to_string()
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.folder.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.strip_prefix(self.folder.path()).unwrap().to_owned());
                }
            }
        }
        found
    }
}

const PAGE: &str = "# A\n\nText.\n\n<!-- table: gp/posterior/coverage.csv -->\n| n | NLPD |\n|---|---:|\n| 10 | 1.118 |\n| 30 | -0.3210 |\n\nMore.\n";

#[test]
fn every_page_is_what_the_csv_files_make_of_it() {
    let (pages, differences) = build(&repository(), &all()).unwrap();
    let text: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(text.is_empty(), "{}", text.join("\n"));
    assert!(pages.len() > 15 && pages.iter().all(|page| page.old == page.new && !page.new.is_empty()));
}

#[test]
fn every_table_by_hand_is_on_its_page() {
    let pages = repository().read_pages().unwrap();
    for (name, line) in BY_HAND {
        let page = pages.iter().find(|(page, _)| page == name);
        assert!(page.is_some_and(|(_, text)| text.lines().any(|other| other == line)), "{name}: {line}");
    }
}

/// Every CSV file is printed by a page, lines of runs apart.
#[test]
fn no_csv_file_is_left_over() {
    let root = repository();
    let mut printed = BTreeSet::from(["claims.csv".to_owned()]);
    for (_, text) in root.read_pages().unwrap() {
        for line in text.lines() {
            let marker = Marker::parse(line).unwrap();
            if let Some(Marker::Table { file, .. } | Marker::Studies { file } | Marker::States { file }) =
                marker
            {
                printed.insert(file);
            }
        }
    }
    let (mut open, mut count) = (vec![root.runs()], 0);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root.runs()).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                open.push(path);
            } else if !path.file_name().unwrap().to_string_lossy().starts_with("runs") {
                assert!(printed.contains(&name), "{name} is printed nowhere");
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn building_twice_is_building_once() {
    let small = Small::new(&PAGE.replace("1.118", "1.2").replace("| 30 | -0.3210 |\n", ""));
    assert_eq!(small.write(), ["a.md", "claims.md"]);
    assert_eq!(small.page(), PAGE);
    assert!(small.write().is_empty() && small.differences().is_empty());
    assert_eq!(small.page(), PAGE);
    assert!(small.get("docs/src/results/claims.md").contains("| `gp/posterior` | "));
}

#[test]
fn a_changed_number_is_found() {
    let small = Small::new(PAGE);
    small.write();
    small.put("docs/src/results/a.md", &PAGE.replace("-0.3210", "-0.3211"));
    let expected =
        "a.md:9: differs from experiments/runs/gp/posterior/coverage.csv; `results build` writes it anew";
    assert_eq!(small.differences(), [expected]);
    small.put("docs/src/results/a.md", PAGE);
    small.put("experiments/runs/gp/posterior/coverage.csv", "n,NLPD\n10,1.118\n");
    assert_eq!(small.differences(), [expected], "a row too many");
    let claims = small.get("docs/src/results/claims.md");
    small.put("docs/src/results/claims.md", &claims.replace("| full |", "| quick |"));
    assert!(small.differences()[1].starts_with("claims.md:16: differs from experiments/runs/claims.csv"));
}

/// A number that changes on any page of the book, in any generated table.
#[test]
fn changed_numbers_of_the_book_are_found() {
    let root = repository();
    let claims = Claims::read(&root).unwrap();
    let mut changed = 0;
    for (name, text) in root.read_pages().unwrap().into_iter().filter(|(name, _)| name != "claims.md") {
        let lines: Vec<&str> = text.lines().collect();
        for mark in 0..lines.len() {
            // Of a table, what is below its head.
            let head = match Marker::parse(lines[mark]).unwrap() {
                None => continue,
                Some(Marker::Table { .. } | Marker::Studies { .. }) => 2,
                Some(Marker::Run { .. } | Marker::States { .. }) => 0,
            };
            let digit = |line: &&str| line.contains(|c: char| c.is_ascii_digit());
            let mut block = (mark + 1..lines.len()).take_while(|at| !lines[*at].is_empty()).skip(head);
            let Some(at) = block.find(|at| digit(&lines[*at])) else {
                continue;
            };
            let first = lines[at].find(|c: char| c.is_ascii_digit()).unwrap();
            let mut line = lines[at].to_owned();
            line.replace_range(first..=first, if line.as_bytes()[first] == b'7' { "8" } else { "7" });
            let mut other = lines.clone();
            other[at] = &line;
            let found = page::build(&root, &claims, &name, &other.join("\n")).unwrap();
            let places: Vec<usize> = found.blocks.iter().filter_map(|block| block.differs).collect();
            assert_eq!(places, [at + 1], "{name}: {line}");
            changed += 1;
        }
    }
    assert!(changed > 70, "{changed}");
}

#[test]
fn tables_without_a_mark_are_found() {
    let code = "```text\n| a |\n<!-- table: none.csv -->\n```\n";
    let small = Small::new(&format!("# A\n\n{code}\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{}", &PAGE[5..]));
    small.write();
    assert_eq!(small.differences().len(), 1);
    assert!(
        small.differences()[0].starts_with("a.md:8: a table without a marker"),
        "{:?}",
        small.differences()
    );
    let (_, found) = build(&small.root(), &small.experiments).unwrap();
    assert_eq!(found, [Difference::Unmarked { page: "a.md".into(), line: 8 }]);
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let csv = "experiments/runs/gp/posterior/coverage.csv";
    let place = format!("docs/src/results/a.md:5: {csv} ");
    let mark = "<!-- table: gp/posterior/coverage.csv -->";
    for (page, sheet, expected) in [
        (
            PAGE.replace("coverage", "cover"),
            "n\n1\n",
            "docs/src/results/a.md:5: experiments/runs/gp/posterior/cover.csv is not there",
        ),
        (PAGE.into(), "n,NLPD\n", &*format!("{place}has no rows")),
        (PAGE.into(), "", &format!("{place}has no rows")),
        (PAGE.into(), "n,NLPD\n1\n", &format!("{place}cannot be read: ")),
        (
            PAGE.replace(".csv -->", ".csv | n | nlpd -->"),
            "n,NLPD\n1,2\n",
            &format!("{place}has no column \"nlpd\"; its columns are n, NLPD"),
        ),
        (PAGE.into(), "n\n\"1\n2\"\n", &format!("{place}has a line break")),
        (
            PAGE.replace("\n\nMore.", "\nMore."),
            "n,NLPD\n1,2\n",
            "docs/src/results/a.md:10: \"More.\" is within a marked table; a blank line ends a table",
        ),
        (
            PAGE.replace("coverage.csv", "../c.csv"),
            "n\n1\n",
            "docs/src/results/a.md:5: the marker \"<!-- table: gp/posterior/../c.csv -->\" names no .csv file",
        ),
        (
            PAGE.replace(mark, "<!-- run: gp/posterior -->"),
            "n\n1\n",
            "docs/src/results/a.md:5: experiments/runs/claims.csv names no commit of gp/posterior",
        ),
        (
            PAGE.replace(mark, "<!-- states: gp/posterior/coverage.csv -->"),
            "state\nhalf\n",
            &format!("{place}has the state \"half\""),
        ),
        (
            PAGE.replace(mark, "<!-- studies: gp/posterior/coverage.csv -->"),
            "study,experiment\nall,`gp/all`\n",
            &format!("{place}names the experiment gp/all, which has no line in experiments/runs/claims.csv"),
        ),
    ] {
        let small = Small::new(&page);
        small.put(csv, sheet);
        let files = small.files();
        assert!(small.error().starts_with(expected), "{}\n{expected}", small.error());
        assert_eq!(small.files(), files);
        assert_eq!(small.page(), page);
    }
}

#[test]
fn a_broken_table_of_claims_is_named() {
    let head = "experiment,tests,n,verdict,design,seed,commit,command\n";
    for (text, expected) in [
        ("a,b\n1,2\n".to_owned(), "line 1: columns are a, b, expected experiment, "),
        (format!("{head}x/y,,,,,,,\n"), "line 2: no experiment is called x/y"),
        (
            format!("{head}gp/posterior,,,,,,,\ngp/posterior,,,,,,,\n"),
            "line 3: gp/posterior is there already",
        ),
        (head.to_owned(), "line 1: the file has no rows"),
    ] {
        let small = Small::new(PAGE);
        small.put("experiments/runs/claims.csv", &text);
        let found = small.error();
        assert!(found.starts_with(&format!("experiments/runs/claims.csv, {expected}")), "{found}");
    }
    let small = Small::new(PAGE);
    let two = [find(ID).unwrap(), find("gp/restarts").unwrap()];
    let found = build(&small.root(), &two).map(|_| ()).unwrap_err().to_string();
    assert_eq!(found, "experiments/runs/claims.csv, line 2: gp/restarts has no line");
}

#[test]
fn a_page_that_cannot_be_written_stays_whole() {
    let small = Small::new(&PAGE.replace("1.118", "1.2"));
    // A folder in the place of the file that is written first.
    small.put("docs/src/results/a.md.part/file", "");
    let pages = build(&small.root(), &small.experiments).unwrap().0;
    assert!(matches!(write(&small.root(), &pages), Err(ResultsError::Io { .. })));
    assert_eq!(small.page(), PAGE.replace("1.118", "1.2"));
}

#[test]
fn claims_are_those_of_the_registry() {
    let claims = Claims::read(&repository()).unwrap();
    let page = claims.page(&all()).unwrap();
    for experiment in all() {
        let row = format!("| `{}` | {} |", experiment.id, experiment.claim.replace('|', "\\|"));
        assert!(page.contains(&row), "{row}");
        let line = claims.find(experiment.id).unwrap();
        assert!(
            line.command.is_empty() || line.command.starts_with(&format!("run {} --", experiment.id)),
            "{line:?}"
        );
        assert!(line.verdict.is_empty() || !line.command.is_empty(), "{line:?}");
    }
}

proptest! {
    /// Any cells, whatever the page had before: the second build changes nothing.
    #[test]
    fn any_sheet_is_built_once(
        cells in prop::collection::vec(prop::collection::vec("[ -~äβ|]{0,6}", 3), 2..5),
        old in prop::sample::select(vec!["", "| a |\n|---|\n| 1 |\n", "| a | b | c |\n|:--|---|--:|\n| 1 | | 3 |\n"]),
    ) {
        let page = format!("# A\n\n<!-- table: gp/posterior/coverage.csv -->\n{old}\nMore.\n");
        let small = Small::new(&page);
        let mut writer = csv::Writer::from_writer(Vec::new());
        cells.iter().for_each(|row| writer.write_record(row).unwrap());
        let bytes = writer.into_inner().unwrap();
        small.put("experiments/runs/gp/posterior/coverage.csv", std::str::from_utf8(&bytes).unwrap());
        small.write();
        prop_assert!(small.differences().is_empty());
        let once = small.page();
        prop_assert!(small.write().is_empty());
        prop_assert!(once.ends_with("\n\nMore.\n"));
        prop_assert_eq!(once.lines().filter(|line| line.starts_with('|')).count(), cells.len() + 1);
        let sheet = Sheet::parse(&bytes).unwrap();
        prop_assert_eq!(table(&sheet, None).unwrap().len(), cells.len() + 1);
    }
}

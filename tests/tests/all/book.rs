//! Pages of the book: listed, linked, with existing reference keys; chapters teach, and results name their command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|ending| ending == extension) {
            found.push(path);
        }
    }
}

/// Pages of the book by their path in `docs/src`, the table of contents included.
fn pages() -> BTreeMap<String, String> {
    let book = root().join("docs/src");
    let mut found = Vec::new();
    files(&book, "md", &mut found);
    let name = |path: &Path| path.strip_prefix(&book).unwrap().to_string_lossy().replace('\\', "/");
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// Text outside of code blocks and code spans.
fn prose(page: &str) -> String {
    let blocks = page.split("```").step_by(2).collect::<Vec<_>>().join("\n");
    blocks.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Targets of links and figures.
fn links(page: &str) -> Vec<String> {
    let text = prose(page);
    let targets = text.match_indices("](").filter_map(|(at, _)| text[at + 2..].split(')').next());
    targets.map(str::to_owned).collect()
}

/// Anchors of the headings of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let blocks = page.split("```").step_by(2).collect::<Vec<_>>().join("\n");
    let headings =
        blocks.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#'));
    let slug = |heading: &str| {
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    headings.map(slug).collect()
}

/// Faults of the links of a page that lies in `folder`.
fn broken(name: &str, folder: &Path, page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for link in links(page).iter().filter(|link| !link.contains("://")) {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = folder.join(file);
        if !file.is_empty() && !path.exists() {
            faults.push(format!("{name}: {link} does not exist"));
        } else if !anchor.is_empty() {
            let target = if file.is_empty() { page.to_owned() } else { fs::read_to_string(&path).unwrap() };
            if !anchors(&target).contains(anchor) {
                faults.push(format!("{name}: {link} has no such heading"));
            }
        }
    }
    faults
}

/// A name and a year, as keys of references are.
fn is_dated_key(word: &str) -> bool {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let year = &word[name.len()..];
    name.len() > 1
        && name.chars().all(|c| c.is_ascii_lowercase())
        && year.len() == 4
        && ["19", "20"].contains(&&year[..2])
}

/// Dated keys in code spans that `keys` does not have.
fn unknown_keys(text: &str, keys: &BTreeSet<String>) -> Vec<String> {
    let spans = text.split('`').filter(|word| is_dated_key(word) && !keys.contains(*word));
    spans.map(str::to_owned).collect()
}

/// Keys of the table of references, in its order.
fn keys() -> Vec<String> {
    let page = &pages()["references.md"];
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut found: Vec<String> = rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect();
    found.retain(|key| !key.is_empty());
    found
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let mut pages = pages();
    let listed = links(&pages.remove("SUMMARY.md").unwrap());
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, pages.into_keys().collect::<Vec<_>>());
    assert!(listed.len() > 25);
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    let book = root().join("docs/src");
    let mut faults = broken("README.md", &root(), &fs::read_to_string(root().join("README.md")).unwrap());
    for (name, page) in pages() {
        faults.extend(broken(&name, book.join(&name).parent().unwrap(), &page));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn reference_keys_exist_and_are_sorted() {
    let keys = keys();
    assert!(keys.len() > 50 && keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    let keys = keys.into_iter().collect();
    let mut sources = Vec::new();
    for folder in ["docs/src", "crates", "experiments", "tests"] {
        files(&root().join(folder), "md", &mut sources);
        files(&root().join(folder), "rs", &mut sources);
    }
    sources.retain(|path| !path.ends_with("tests/tests/all/book.rs"));
    for path in &sources {
        let unknown = unknown_keys(&fs::read_to_string(path).unwrap(), &keys);
        assert!(unknown.is_empty(), "{}: {}", path.display(), unknown.join(", "));
    }
    assert!(sources.len() > 500);
}

/// Chapters that teach a part or a method: code that runs, the model, how to extend it, what goes wrong.
const CHAPTERS: [&str; 21] = [
    "acquisition",
    "autobct",
    "bo",
    "censored",
    "cmaes",
    "fcvopt",
    "fidelity",
    "gp",
    "hgp",
    "hybrid",
    "kernels",
    "levelset",
    "linear",
    "numerics",
    "pareto",
    "robust",
    "studies",
    "tpe",
    "transfer",
    "trees",
    "trust_region",
];

#[test]
fn chapters_teach() {
    let pages = pages();
    for chapter in CHAPTERS {
        let page = &pages[&format!("{chapter}.md")];
        for part in ["\n## The model\n", "\n## How to extend\n", "\n## What goes wrong\n", "\n```rust\n"] {
            assert!(page.contains(part), "{chapter} lacks {part:?}");
        }
        assert!(!page.contains("```rust,ignore"), "{chapter} has code that nothing compiles");
    }
    let compiled = fs::read_to_string(root().join("tests/outsider/src/book.rs")).unwrap();
    for (name, page) in pages.iter().filter(|(_, page)| page.contains("```rust\n")) {
        let module = name.trim_end_matches(".md").rsplit('/').next().unwrap();
        assert!(compiled.contains(&format!("{module},")), "{name} ({} bytes) is not compiled", page.len());
    }
    let blocks = pages.values().map(|page| page.matches("```rust\n").count()).sum::<usize>();
    assert!(blocks >= 60, "{blocks} blocks of code that run");
}

/// Sections of a page of results with a table and without a command.
fn without_command(page: &str) -> Vec<&str> {
    let sections = page.split("\n## ").skip(1);
    let bare = sections.filter(|section| section.contains("\n|") && !section.contains("```sh\n"));
    bare.filter_map(|section| section.lines().next()).collect()
}

#[test]
fn every_table_of_results_names_its_command() {
    for (name, page) in pages().iter().filter(|(name, _)| name.starts_with("results/")) {
        assert!(page.contains("\n## "), "{name} has no sections");
        let bare = without_command(page);
        assert!(bare.is_empty(), "{name}: {}", bare.join(", "));
    }
}

#[test]
fn faults_are_found() {
    let page = "# A b\n\n[x](none.md) [y](#a-b) [z](#no) `[k](not.md)`\n\n```sh\n[q](code.md)\n```\n";
    assert_eq!(broken("p", &root(), page), ["p: none.md does not exist", "p: #no has no such heading"]);
    let keys = BTreeSet::from(["byrd1995".to_owned()]);
    assert_eq!(unknown_keys("by `byrd1995`, `nobody2001` and `optuna5`", &keys), ["nobody2001"]);
    assert_eq!(without_command("# R\n\n## One\n\n|a|\n\n## Two\n\n```sh\nrun\n```\n\n|b|\n"), ["One"]);
}

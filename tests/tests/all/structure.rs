//! Structure of the library crates: lengths of functions, dependencies, first lines of docs.
//!
//! `cargo test -p thrifty-tests structure -- --nocapture` prints the table of the book.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 60;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("crates")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Folders of the library crates by name.
pub(crate) fn crates() -> BTreeMap<String, PathBuf> {
    let layers = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let members = layers.filter(|layer| layer.is_dir()).flat_map(|layer| {
        fs::read_dir(layer).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    });
    members
        .filter(|member| member.join("Cargo.toml").exists())
        .map(|member| (member.file_name().unwrap().to_string_lossy().into_owned(), member))
        .collect()
}

pub(crate) fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    rust_files(folder, &mut files);
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn is_function(line: &str) -> bool {
    let line = line.trim_start();
    let line = ["pub(crate) ", "pub(super) ", "pub ", "const ", "unsafe "]
        .iter()
        .fold(line, |line, prefix| line.strip_prefix(prefix).unwrap_or(line));
    line.starts_with("fn ")
}

/// Functions of a file before its tests: name of the line where they begin, and number of lines.
fn functions(text: &str) -> Vec<(String, usize)> {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| is_function(line)) {
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        if let Some(length) = lines[start..].iter().position(|line| line.starts_with(&end)) {
            found.push((line.trim().to_owned(), length + 1));
        }
    }
    found
}

#[test]
fn functions_fit_on_a_screen() {
    for (path, text) in crates().values().flat_map(|folder| sources(&folder.join("src"))) {
        if path.ends_with("tests.rs") {
            continue;
        }
        for (name, lines) in functions(&text) {
            assert!(lines <= MOST_LINES, "{}: {name} has {lines} lines", path.display());
        }
    }
}

/// First lines of blocks of documentation.
fn first_lines(text: &str) -> Vec<&str> {
    let doc = |line: &str| {
        let line = line.trim_start();
        ["///", "//!"].into_iter().find(|mark| line.starts_with(mark) && !line.starts_with("////"))
    };
    let mut previous = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let kind = doc(line);
        if let Some(mark) = kind
            && previous != kind
        {
            found.push(line.trim_start()[mark.len()..].trim_start());
        }
        previous = kind;
    }
    found
}

/// Words with which the first line of a doc does not name a thing.
const VAGUE: [&str; 11] =
    ["What", "Which", "Why", "How", "Where", "Whether", "Who", "Somebody", "Of", "With", "As"];

fn is_vague(line: &str) -> bool {
    let first = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    VAGUE.contains(&first) || line.starts_with("The same ") || first == "Whoever"
}

#[test]
fn first_lines_of_docs_name_things() {
    for (path, text) in crates().values().flat_map(|folder| sources(folder)) {
        for line in first_lines(&text) {
            assert!(!is_vague(line), "{}: {line}", path.display());
        }
    }
}

#[test]
fn every_file_begins_with_a_line_about_it() {
    for (path, text) in crates().values().flat_map(|folder| sources(&folder.join("src"))) {
        assert!(text.starts_with("//! "), "{} has no line of documentation", path.display());
    }
}

/// Crates of the workspace that a crate uses, tests apart.
fn fan_out(folder: &Path) -> usize {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let used = manifest.split("[dev-dependencies]").next().unwrap_or("");
    used.lines().filter(|line| line.starts_with("thrifty-")).count()
}

#[test]
fn bayesian_optimisation_uses_few_crates() {
    let found = fan_out(&crates()["bo"]);
    assert!(found <= 8, "{found}");
}

fn is_public_item(line: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static"];
    let line = line.trim_start();
    kinds
        .iter()
        .any(|kind| line.strip_prefix("pub ").is_some_and(|rest| rest.starts_with(&format!("{kind} "))))
}

/// The numbers of the table in the chapter on design.
#[test]
fn the_table_of_the_book_is_printed() {
    let crates = crates();
    let files: Vec<(PathBuf, String)> =
        crates.values().flat_map(|folder| sources(&folder.join("src"))).collect();
    let mut lengths: Vec<usize> = files.iter().map(|(_, text)| text.lines().count()).collect();
    lengths.sort_unstable();
    let library = files.iter().filter(|(path, _)| !path.ends_with("tests.rs"));
    let longest = library.flat_map(|(_, text)| functions(text)).map(|(_, lines)| lines).max();
    let items = files.iter().flat_map(|(_, text)| text.lines()).filter(|line| is_public_item(line)).count();
    let docs: Vec<(PathBuf, String)> = crates.values().flat_map(|folder| sources(folder)).collect();
    let lines: Vec<&str> = docs.iter().flat_map(|(_, text)| first_lines(text)).collect();
    println!("crates below the facade {}", crates.len());
    println!("lines {}", lengths.iter().sum::<usize>());
    println!("files {}, median lines {}", lengths.len(), lengths[lengths.len() / 2]);
    println!("longest function {} lines", longest.unwrap_or(0));
    println!("public items per crate {}", items / crates.len());
    println!("crates that bo uses {}", fan_out(&crates["bo"]));
    println!("vague first lines {} of {}", lines.iter().filter(|line| is_vague(line)).count(), lines.len());
    assert!(crates.len() > 20 && files.len() > 300 && lines.len() > 3000);
}

//! Packages: metadata that a registry asks for, and a README with the same parts in every published crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Packages that are never published: they serve this repository.
const UNPUBLISHED: [&str; 8] = [
    "thrifty-experiments",
    "thrifty-golden",
    "thrifty-inputs",
    "thrifty-learners",
    "thrifty-mutation",
    "thrifty-outsider",
    "thrifty-reliability",
    "thrifty-tests",
];

/// Categories of the registry that are used here; it refuses others.
const CATEGORIES: [&str; 11] = [
    "algorithms",
    "command-line-utilities",
    "data-structures",
    "database",
    "encoding",
    "hardware-support",
    "mathematics",
    "rust-patterns",
    "science",
    "simulation",
    "visualization",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_else(|| panic!("{} has no {key}", package["name"]))
}

fn words<'a>(package: &'a Value, key: &str) -> Vec<&'a str> {
    package[key].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

fn is_published(package: &Value) -> bool {
    !UNPUBLISHED.contains(&text(package, "name"))
}

/// Faults of the metadata of a published package.
fn faults(package: &Value) -> Vec<String> {
    let (keywords, categories) = (words(package, "keywords"), words(package, "categories"));
    let is_keyword = |word: &&str| {
        word.len() <= 20
            && word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-+".contains(c))
    };
    let address = |key: &str| match package[key].as_str() {
        None | Some("") => true,
        Some(address) => address.starts_with("https://"),
    };
    let checks = [
        (package["publish"].is_null(), "cannot be published"),
        (!text(package, "description").is_empty(), "has no description"),
        (text(package, "license").contains("MIT OR Apache-2.0"), "has another licence"),
        (text(package, "readme") == "README.md", "has no README.md"),
        (text(package, "rust_version").starts_with("1."), "has no lowest compiler"),
        ((3..=5).contains(&keywords.len()) && keywords.iter().all(is_keyword), "has bad keywords"),
        (
            (1..=5).contains(&categories.len()) && categories.iter().all(|c| CATEGORIES.contains(c)),
            "has bad categories",
        ),
        (address("repository") && address("documentation"), "has an address that is none"),
    ];
    checks
        .iter()
        .filter(|(holds, _)| !holds)
        .map(|(_, fault)| format!("{} {fault}", package["name"]))
        .collect()
}

#[test]
fn published_packages_have_what_a_registry_asks_for() {
    let packages = packages();
    let found: Vec<String> =
        packages.iter().filter(|package| is_published(package)).flat_map(faults).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(packages.len() > UNPUBLISHED.len() + 30);
}

#[test]
fn what_serves_the_repository_is_never_published() {
    let packages = packages();
    let names: Vec<&str> = packages.iter().filter(|p| !is_published(p)).map(|p| text(p, "name")).collect();
    assert_eq!(names.len(), UNPUBLISHED.len(), "{names:?}");
    for package in packages.iter().filter(|package| !is_published(package)) {
        assert_eq!(package["publish"], Value::Array(Vec::new()), "{}", package["name"]);
    }
}

#[test]
fn dependencies_within_the_workspace_name_the_version() {
    for package in packages().iter().filter(|package| is_published(package)) {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let ours = dependency["path"].is_string();
            assert!(
                !ours || dependency["req"] == format!("^{}", text(package, "version")),
                "{} needs {} {}",
                package["name"],
                dependency["name"],
                dependency["req"]
            );
            let name = dependency["name"].as_str().expect("a name");
            assert!(!UNPUBLISHED.contains(&name), "{} needs {name}, which is not published", package["name"]);
        }
    }
}

/// Parts of every README, in their order.
const PARTS: [&str; 6] = [
    "\n* **When.** ",
    "\n* **When not.** ",
    "\n* **More.** Chapter",
    "\n* **Citation.** ",
    "\n* **Changes.** ",
    "\n* **Licence.** ",
];

/// Faults of a README: parts that are missing or out of order, pages and keys that do not exist.
fn readme_faults(name: &str, readme: &str, keys: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    if !readme.starts_with(&format!("# {name}\n\n")) {
        faults.push(format!("{name}: the title is another"));
    }
    let places: Vec<Option<usize>> = PARTS.iter().map(|part| readme.find(part)).collect();
    if places.contains(&None) || !places.is_sorted() {
        faults.push(format!("{name}: a part is missing, or they are out of order"));
    }
    for span in readme.split('`').skip(1).step_by(2) {
        if span.starts_with("docs/") && !root().join(span).exists() {
            faults.push(format!("{name}: {span} does not exist"));
        }
    }
    let citation =
        readme.split("**Citation.**").nth(1).and_then(|rest| rest.split('\n').next()).unwrap_or("");
    let cited = citation.split('`').skip(1).step_by(2).filter(|span| !span.contains('.'));
    faults.extend(cited.filter(|key| !keys.contains(*key)).map(|key| format!("{name}: no source {key}")));
    faults
}

fn keys() -> BTreeSet<String> {
    let page = fs::read_to_string(root().join("docs/src/references.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect()
}

#[test]
fn every_published_crate_has_a_readme_whose_code_is_compiled() {
    let keys = keys();
    let mut found = Vec::new();
    for package in packages().iter().filter(|package| is_published(package)) {
        let (name, manifest) = (text(package, "name"), Path::new(text(package, "manifest_path")));
        let folder = manifest.parent().expect("a folder");
        let readme = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        found.extend(readme_faults(name, &readme, &keys));
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            if !folder.join(licence).is_file() {
                found.push(format!("{name}: no {licence}"));
            }
        }
        // A binary has no documentation, so its README has commands alone.
        let Ok(library) = fs::read_to_string(folder.join("src/lib.rs")) else { continue };
        if !library.contains("\n#![doc = include_str!(\"../README.md\")]\n")
            || !readme.contains("\n```rust\n")
        {
            found.push(format!("{name}: the README has no code, or it is not the documentation"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn faults_are_found() {
    let readme = "# a\n\n* **When.** x\n* **More.** Chapter `docs/src/no.md`\n* **Citation.** `nobody`.\n";
    let found = readme_faults("b", readme, &BTreeSet::new());
    assert_eq!(found.len(), 4, "{found:?}");
    let package = serde_json::json!({
        "name": "b", "publish": [], "description": "", "license": "GPL-3.0", "readme": "README.txt", "rust_version": "2.0",
        "keywords": ["a word"], "categories": ["optimization"], "repository": "somewhere", "documentation": "",
    });
    assert_eq!(faults(&package).len(), 8, "{:?}", faults(&package));
}

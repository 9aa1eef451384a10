//! Budget of dependencies: the number of packages that each published crate brings, itself included.
//!
//! ```sh
//! cargo tree -p thrifty-gp -e normal,build --prefix none | sed 's/ (\*)$//' | sort -u | wc -l
//! ```

use std::collections::BTreeSet;
use std::process::Command;

/// Most packages per crate, with default features on x86-64 Linux. A larger number is a decision, to be argued in docs/src/decisions/workspace.md.
const BUDGET: [(&str, usize); 43] = [
    ("thrifty", 109),
    ("thrifty-acquisition", 68),
    ("thrifty-argmin", 35),
    ("thrifty-autobct", 78),
    ("thrifty-bo", 85),
    ("thrifty-censored", 71),
    ("thrifty-check", 7),
    ("thrifty-cli", 155),
    ("thrifty-cmaes", 76),
    ("thrifty-cv", 28),
    ("thrifty-domain", 10),
    ("thrifty-fcvopt", 87),
    ("thrifty-fidelity", 85),
    ("thrifty-figures", 70),
    ("thrifty-gp", 70),
    ("thrifty-hgp", 72),
    ("thrifty-hybrid", 85),
    ("thrifty-kernel", 66),
    ("thrifty-levelset", 85),
    ("thrifty-linalg", 56),
    ("thrifty-linear", 68),
    ("thrifty-model-based", 84),
    ("thrifty-optim", 17),
    ("thrifty-params", 23),
    ("thrifty-pareto", 21),
    ("thrifty-prob", 12),
    ("thrifty-pruning", 29),
    ("thrifty-report", 97),
    ("thrifty-results", 31),
    ("thrifty-robust", 71),
    ("thrifty-sampling", 16),
    ("thrifty-search", 31),
    ("thrifty-simd", 1),
    ("thrifty-space", 21),
    ("thrifty-store", 41),
    ("thrifty-study", 26),
    ("thrifty-surrogate", 66),
    ("thrifty-testbed", 33),
    ("thrifty-tpe", 35),
    ("thrifty-transfer", 71),
    ("thrifty-trees", 67),
    ("thrifty-trust-region", 85),
    ("thrifty-units", 93),
];

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Packages of a tree that is printed without prefixes: name and version, each once.
fn packages(tree: &str) -> BTreeSet<&str> {
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.filter(|line| !line.is_empty()).collect()
}

fn tree(name: &str) -> String {
    let target = "x86_64-unknown-linux-gnu";
    cargo(&["tree", "--locked", "-p", name, "-e", "normal,build", "--prefix", "none", "--target", target])
}

#[test]
fn no_crate_brings_more_than_its_budget() {
    let mut faults = Vec::new();
    for (name, most) in BUDGET {
        let tree = tree(name);
        let found = packages(&tree);
        assert!(found.iter().any(|package| package.starts_with(name)), "{name} is not in its tree");
        if found.len() != most {
            faults.push(format!("{name} brings {} packages, the table says {most}", found.len()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_published_crate_has_a_budget() {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("cargo metadata is JSON");
    let published = metadata["packages"].as_array().expect("packages").iter();
    let names: BTreeSet<&str> =
        published.filter(|p| p["publish"].is_null()).filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, BUDGET.map(|(name, _)| name).into());
}

/// Threads, the solvers of argmin and direction numbers in an archive are not what a regression needs.
#[test]
fn a_gaussian_process_needs_neither_threads_nor_argmin() {
    let tree = tree("thrifty-gp");
    let found = packages(&tree);
    for absent in ["rayon ", "argmin ", "sobol ", "getrandom "] {
        assert!(!found.iter().any(|package| package.starts_with(absent)), "{absent}");
    }
}

#[test]
fn packages_count_once() {
    let tree = "a v1.0.0\nb v0.2.0 (proc-macro)\nb v0.2.0 (proc-macro) (*)\nb v0.3.0\n\n";
    assert_eq!(packages(tree).len(), 3);
}

//! Dependencies that crates may have: the table of docs/src/decisions/workspace.md, held against `cargo metadata`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A layer and the layers that its crates may use.
const LAYERS: [(&str, &[&str]); 7] = [
    ("numerics", &["numerics"]),
    ("models", &["numerics", "models"]),
    ("decisions", &["numerics", "models", "decisions"]),
    ("problem", &["numerics", "problem"]),
    ("optimizers", &["numerics", "models", "decisions", "problem", "optimizers"]),
    ("show", &["numerics", "models", "show"]),
    ("interfaces", &["numerics", "models", "decisions", "problem", "optimizers", "show", "interfaces"]),
];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

/// The folder between `crates` and the crate, if the manifest lies in one.
fn layer(manifest: &str) -> Option<String> {
    let mut folders = Path::new(manifest).components().rev().skip(2);
    let layer = folders.next()?.as_os_str().to_str()?.to_owned();
    (folders.next()?.as_os_str() == "crates").then_some(layer)
}

/// (package, its layer, the packages of this workspace that it uses at run time)
fn packages() -> Vec<(String, Option<String>, Vec<String>)> {
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let one = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
        let ours = dependencies.filter(|d| d["path"].is_string() && d["kind"] != "dev");
        (
            text(&package["name"]),
            layer(&text(&package["manifest_path"])),
            ours.map(|d| text(&d["name"])).collect(),
        )
    };
    packages.iter().map(one).collect()
}

#[test]
fn every_crate_uses_only_the_layers_below_it() {
    let packages = packages();
    assert!(packages.len() > 10, "only {} packages: is this the workspace?", packages.len());
    let layer_of = |name: &str| packages.iter().find(|p| p.0 == name).and_then(|p| p.1.clone());
    let mut checked = 0;
    for (name, layer, dependencies) in &packages {
        let Some(layer) = layer else { continue };
        let (_, allowed) = LAYERS
            .iter()
            .find(|(known, _)| known == layer)
            .unwrap_or_else(|| panic!("{name} lies in the unknown layer {layer}"));
        for dependency in dependencies {
            let target = layer_of(dependency)
                .unwrap_or_else(|| panic!("{name} uses {dependency}, which has no layer"));
            assert!(
                allowed.contains(&target.as_str()),
                "{name} ({layer}) must not use {dependency} ({target})"
            );
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} dependencies were checked");
}

#[test]
fn only_linalg_names_the_factorization_library() {
    let metadata = metadata();
    for package in metadata["packages"].as_array().expect("packages") {
        let uses =
            package["dependencies"].as_array().expect("dependencies").iter().any(|d| d["name"] == "faer");
        assert_eq!(uses, package["name"] == "thrifty-linalg", "{}", package["name"]);
    }
}

//! The workspace: its library crates and their sources.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use syn::Item;

use crate::enumerate::is_left_out;
use crate::error::MutationError;

/// A library crate.
#[derive(Debug, Clone)]
pub struct Library {
    /// Package name, such as `thrifty-gp`.
    pub package: String,
    /// Root source, relative to the workspace.
    pub root: PathBuf,
}

/// A source file and its syntax.
pub struct Source {
    /// Path relative to the workspace.
    pub file: PathBuf,
    /// The text.
    pub text: String,
    /// The parsed text.
    pub syntax: syn::File,
}

/// The library crates of a workspace: packages with a library under `crates/`, sorted by name.
pub fn libraries(workspace: &Path) -> Result<Vec<Library>, MutationError> {
    let command = "metadata";
    let output = Command::new("cargo")
        .args([command, "--no-deps", "--format-version", "1"])
        .current_dir(workspace)
        .output()
        .map_err(MutationError::io(workspace))?;
    if !output.status.success() {
        let output = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(MutationError::Cargo { command: command.to_owned(), output });
    }
    let unexpected = |reason: String| MutationError::CargoOutput { command: command.to_owned(), reason };
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| unexpected(e.to_string()))?;
    let packages = metadata["packages"].as_array().ok_or_else(|| unexpected("no packages".to_owned()))?;
    let root = metadata["workspace_root"].as_str().ok_or_else(|| unexpected("no root".to_owned()))?;
    let mut libraries: Vec<Library> =
        packages.iter().filter_map(|package| library(package, Path::new(root))).collect();
    libraries.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(libraries)
}

fn library(package: &Value, workspace: &Path) -> Option<Library> {
    let is_library =
        |target: &&Value| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "lib"));
    let target = package["targets"].as_array()?.iter().find(is_library)?;
    let root = Path::new(target["src_path"].as_str()?).strip_prefix(workspace).ok()?.to_owned();
    root.starts_with("crates").then_some(Library { package: package["name"].as_str()?.to_owned(), root })
}

/// The sources of a library, found by following its module declarations.
pub fn sources(workspace: &Path, library: &Library) -> Result<Vec<Source>, MutationError> {
    let mut found = Vec::new();
    let mut open = vec![library.root.clone()];
    while let Some(file) = open.pop() {
        let path = workspace.join(&file);
        let text = std::fs::read_to_string(&path).map_err(MutationError::io(&path))?;
        let syntax = syn::parse_file(&text).map_err(|source| MutationError::Syntax { path, source })?;
        let is_root = file == library.root || file.file_name().is_some_and(|name| name == "mod.rs");
        let folder = if is_root { file.with_file_name("") } else { file.with_extension("") };
        open.extend(modules(workspace, &file, &folder, &syntax.items)?);
        found.push(Source { file, text, syntax });
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(found)
}

/// Files of the modules that are declared in a source without a body.
fn modules(
    workspace: &Path,
    file: &Path,
    folder: &Path,
    items: &[Item],
) -> Result<Vec<PathBuf>, MutationError> {
    let mut files = Vec::new();
    for item in items {
        let Item::Mod(module) = item else { continue };
        if module.content.is_some() || is_left_out(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        let candidates = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
        let found = candidates.into_iter().find(|candidate| workspace.join(candidate).is_file());
        files.push(found.ok_or(MutationError::MissingModule { path: file.to_owned(), module: name })?);
    }
    Ok(files)
}

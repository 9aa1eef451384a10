//! Tells the binary from which commit it was built.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}

fn main() {
    let described = git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]);
    println!("cargo::rustc-env=THRIFTY_COMMIT={}", described.unwrap_or_else(|| "unknown".into()));
    // A commit or a change of sources.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    for sources in [
        "build.rs",
        "src",
        "learners",
        "data",
        "peers",
        "Cargo.toml",
        "../crates",
        "../tests/golden",
        "../Cargo.toml",
        "../Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={sources}");
    }
}

//! Tasks done by other packages.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::inputs::Inputs;
use super::line::Tool;
use crate::error::ExperimentError;

/// The scripts, in the binary so that it works wherever it is installed.
const COMMON: &str = include_str!("../../peers/common.py");
const SCRIPTS: [(&str, &str); 8] = [
    ("scikit-learn", include_str!("../../peers/sklearn_peer.py")),
    ("BoTorch", include_str!("../../peers/botorch_peer.py")),
    ("Optuna", include_str!("../../peers/optuna_peer.py")),
    ("egobox", include_str!("../../peers/egobox_peer.py")),
    ("rustuna", include_str!("../../peers/rustuna_peer.py")),
    ("Hyperopt", include_str!("../../peers/hyperopt_peer.py")),
    ("moocore", include_str!("../../peers/moocore_peer.py")),
    ("fcvopt", include_str!("../../peers/fcvopt_peer.py")),
];

/// Runs every peer on the inputs, one after the other. A peer that is not installed is reported and is no error.
///
/// # Errors
/// [`ExperimentError::Io`] when the temporary folder cannot be written.
pub fn run_all(python: &Path, inputs: &Inputs) -> Result<Vec<Tool>, ExperimentError> {
    let folder = tempfile::tempdir().map_err(ExperimentError::io("a temporary folder"))?;
    let save = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(ExperimentError::io(&path))?;
        Ok::<_, ExperimentError>(path)
    };
    save("common.py", COMMON)?;
    let text = serde_json::to_string(inputs).map_err(ExperimentError::measure("the inputs"))?;
    let inputs = save("inputs.json", &text)?;
    let mut tools = Vec::new();
    for (name, script) in SCRIPTS {
        eprintln!("{name} ...");
        let script = save("peer.py", script)?;
        tools.push(run(name, python, &script, &inputs));
    }
    Ok(tools)
}

/// Runs one script and reads what it printed, as far as it came.
fn run(name: &str, python: &Path, script: &Path, inputs: &Path) -> Tool {
    let output = Command::new(python)
        .arg(script)
        .arg(inputs)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            let missing = Some(format!("{} does not start: {error}", python.display()));
            return Tool { name: name.into(), missing, ..Tool::default() };
        }
    };
    let mut tool = Tool::parse(name, &String::from_utf8_lossy(&output.stdout));
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("nothing");
        tool.missing.get_or_insert(format!("{}; it said: {last}", output.status));
    }
    tool
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::clock::Budget;

    #[test]
    fn without_an_interpreter_every_peer_is_missing_by_name() {
        let inputs = Inputs::new(Budget { seconds: 0.0, repeats: 1 }, Vec::new(), 0).unwrap();
        let tools = run_all(Path::new("no-such-python"), &inputs).unwrap();
        assert_eq!(tools.len(), SCRIPTS.len());
        for tool in tools {
            assert!(tool.missing.unwrap().starts_with("no-such-python does not start"), "{}", tool.name);
        }
    }
}

//! The subcommand `thrifty repair`.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thrifty_check::counted;
use thrifty_study::{History, JournalError};

use crate::error::CliError;

/// The longest beginning of a journal that can be read.
struct Intact {
    bytes: Vec<u8>,
    trials: usize,
    /// The first line that cannot be read, and its defect.
    damage: Option<(usize, String)>,
}

/// Finds the longest beginning without damage. Lines after a damaged one are not kept: what they continue is not known.
fn intact(path: &Path, bytes: &[u8]) -> Result<Intact, CliError> {
    let mut kept = bytes.to_vec();
    let mut damage = None;
    loop {
        match History::<Value>::from_bytes(&kept) {
            Ok(history) => return Ok(Intact { trials: history.len(), bytes: kept, damage }),
            Err(JournalError::Corrupt { line, message, .. }) if line > 1 => {
                let start = kept.split_inclusive(|byte| *byte == b'\n').take(line - 1).map(<[u8]>::len).sum();
                kept.truncate(start);
                damage = Some((line, message));
            }
            Err(JournalError::Corrupt { message, .. }) => {
                return Err(JournalError::Corrupt { path: path.into(), line: 1, message }.into());
            }
            Err(JournalError::NotAJournal { .. }) => {
                return Err(JournalError::NotAJournal { path: path.into() }.into());
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// `thrifty repair`: writes what can be read of a damaged journal to another file.
pub(crate) fn repair(path: &Path, output: Option<&Path>) -> Result<(), CliError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        |source| CliError::File { path, source }
    };
    let bytes = std::fs::read(path).map_err(file(path))?;
    let Intact { bytes: kept, trials, damage } = intact(path, &bytes)?;
    let trials = counted(trials, "trials");
    let mut out = std::io::stdout();
    let Some((line, message)) = damage else {
        writeln!(out, "{} has no damage: {trials}", path.display())?;
        return Ok(());
    };
    let output = output.map_or_else(|| path.with_extension("repaired.jsonl"), PathBuf::from);
    let mut created = match std::fs::File::create_new(&output) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(CliError::Exists(output));
        }
        created => created.map_err(file(&output))?,
    };
    created.write_all(&kept).map_err(file(&output))?;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').count();
    writeln!(out, "{}: {trials} in {} of {lines} lines; line {line}: {message}", output.display(), line - 1)?;
    Ok(())
}

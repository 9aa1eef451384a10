//! Section `[transfer]`: earlier studies of related tasks.

use std::path::PathBuf;

use serde::Deserialize;
use thrifty_bo::EarlierStudies;
use thrifty_space::Config;

use crate::error::CliError;
use crate::known;
use crate::message::say;
use crate::method::Method;
use crate::study_file::StudyFile;

/// Section `[transfer]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransferEntry {
    /// Files with the trials of earlier studies, relative to the study file.
    from: Vec<PathBuf>,
    /// Number of their best configurations that are evaluated first.
    #[serde(default = "one")]
    first_trials: usize,
}

fn one() -> usize {
    1
}

impl TransferEntry {
    /// The studies, with a warning for each that teaches nothing.
    ///
    /// # Errors
    /// [`CliError`] names the file, and the trial or the parameter in it.
    pub(crate) fn read(&self, study: &StudyFile) -> Result<EarlierStudies, CliError> {
        let mut studies =
            EarlierStudies::new(&study.space).with_losses(study.method.losses(&study.directions)?);
        for path in &self.from {
            let (file, name) = (study.folder.join(path), path.display().to_string());
            studies = if path.extension().is_some_and(|extension| extension == "jsonl") {
                studies.with_history(name, &known::journal(&file, &study.directions)?)?
            } else {
                studies.with_trials(
                    name,
                    &known::read("transfer.from", &study.space, &file, &study.directions)?,
                )?
            };
        }
        for left_out in studies.left_out() {
            say(format_args!(
                "warning: the earlier study {} is left out: {}",
                left_out.name, left_out.reason
            ));
        }
        Ok(studies)
    }

    /// The configurations that are evaluated first.
    ///
    /// # Errors
    /// [`CliError`] names the study that no model can be fitted to.
    pub(crate) fn first_trials(
        &self,
        studies: &EarlierStudies,
        method: &Method,
    ) -> Result<Vec<Config>, CliError> {
        Ok(studies.first_trials(&studies.surrogate(method.surrogate())?, self.first_trials))
    }
}

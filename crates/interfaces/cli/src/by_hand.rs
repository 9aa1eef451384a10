//! Trials that are evaluated elsewhere: asked, reported and told by hand, in a journal or in a store.

use serde_json::{Value, json};
use thrifty_space::Config;
use thrifty_study::{History, Next, Outcome, StopReason, Trial, TrialId};

use crate::error::CliError;
use crate::leased::Leased;
use crate::outcome::Printed;
use crate::study::{ConfigStudy, EndedBefore, open};
use crate::study_file::StudyFile;
use crate::summary;

/// A study that is steered by hand.
pub(crate) enum ByHand {
    /// A study with a journal, which this process alone writes.
    Journal(Box<ConfigStudy>),
    /// A study in a store, which other processes write too.
    Store(Box<Leased>),
}

impl ByHand {
    /// Opens the study. Leases that it takes in a store are extended while this process lives. Failures among the trials of `before` are no reason
    /// to end it.
    ///
    /// # Errors
    /// [`CliError`] for settings, a journal or a store of another study, and a store that is down.
    pub(crate) fn open(file: &StudyFile, before: &EndedBefore) -> Result<Self, CliError> {
        Ok(match &file.store {
            Some(store) => Self::Store(Box::new(Leased::living(file, store, before)?)),
            None => Self::Journal(Box::new(open(file, before)?)),
        })
    }

    /// Waits for an interrupt that came with the end of the input; see [`Leased::await_interrupt`].
    pub(crate) fn await_interrupt(&self) {
        if let Self::Store(study) = self {
            study.await_interrupt();
        }
    }

    /// Reads what other processes have written, and returns all trials.
    pub(crate) fn history(&mut self) -> Result<&History<Config>, CliError> {
        match self {
            Self::Journal(study) => Ok(study.history()),
            Self::Store(study) => study.history(),
        }
    }

    /// The next trial as JSON (`trial`, `config`), or the reason for which there is none (`stopped`).
    pub(crate) fn ask(&mut self) -> Result<Value, CliError> {
        let asked = match self {
            Self::Journal(study) => next(study)?,
            Self::Store(study) => study.ask()?.map(|assignment| assignment.trial),
        };
        Ok(match asked {
            Ok(trial) => json!({ "trial": trial.id, "config": trial.query }),
            Err(reason) => json!({ "stopped": summary::reason(&reason, self.history()?.directions()) }),
        })
    }

    /// Records an intermediate value in the user's units; true if the pruner would stop the trial.
    pub(crate) fn report(&mut self, trial: TrialId, step: u64, value: f64) -> Result<bool, CliError> {
        let loss = self.history()?.directions().first().flip(value);
        match self {
            Self::Journal(study) => {
                study.report(trial, step, loss)?;
                Ok(study.should_prune(trial)?)
            }
            Self::Store(study) => study.report(trial, step, loss),
        }
    }

    /// Records reports and outcome of a trial as a command prints them, in the user's units.
    pub(crate) fn tell_printed(&mut self, trial: TrialId, printed: Printed) -> Result<(), CliError> {
        let (reports, outcome) = printed.into_losses(self.history()?.directions());
        // Reports cannot be taken back when the outcome is refused.
        match self {
            Self::Journal(study) => study.check_outcome(trial, &outcome)?,
            Self::Store(study) => study.check_outcome(trial, &outcome)?,
        }
        for (step, loss) in reports {
            match self {
                Self::Journal(study) => study.report(trial, step, loss)?,
                Self::Store(study) => study.report(trial, step, loss).map(drop)?,
            }
        }
        self.tell(trial, outcome)
    }

    /// Records the outcome of a trial, in losses.
    pub(crate) fn tell(&mut self, trial: TrialId, outcome: Outcome) -> Result<(), CliError> {
        match self {
            Self::Journal(study) => Ok(study.tell(trial, outcome)?),
            Self::Store(study) => study.tell(trial, outcome),
        }
    }
}

/// The next trial of a journal, or the reason for which there is none.
fn next(study: &mut ConfigStudy) -> Result<Result<Trial<Config>, StopReason>, CliError> {
    if let Some(reason) = study.check_stop() {
        return Ok(Err(reason));
    }
    match study.ask()? {
        Next::Evaluate(trial) => Ok(Ok(trial)),
        Next::Stop(reason) => Ok(Err(reason)),
        Next::Wait => Err(CliError::Waiting),
    }
}

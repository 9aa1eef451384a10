//! A study in a store that is steered by hand, and the leases of its trials.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use thrifty_space::Config;
use thrifty_study::shared::{Assignment, EventLog, Lease, SharedStudy, Step};
use thrifty_study::{AnyOptimizer, History, Outcome, StopReason, TrialId};

use crate::commands::INTERRUPTED;
use crate::error::CliError;
use crate::held::give_all_back;
use crate::interrupt::on_interrupt;
use crate::message::say;
use crate::shared::Store;
use crate::study::{EndedBefore, build};
use crate::study_file::StudyFile;

/// Time for which an ask waits while other processes ask or the optimiser needs their outcomes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time within which an interrupt reaches both a server and the program that asks it.
const GRACE: Duration = Duration::from_millis(100);

/// A study in a store, with the leases of the trials that this process may report and tell.
pub(crate) struct Leased {
    study: SharedStudy<AnyOptimizer<Config>>,
    leases: BTreeMap<TrialId, Lease>,
    extended: Arc<Mutex<Vec<Lease>>>,
    /// The thread that extends leases ends when this is dropped.
    end: Option<Sender<()>>,
    /// Locked from an interrupt until the end of the process.
    interrupt: Arc<Mutex<()>>,
}

impl Leased {
    /// Joins a study; nobody extends the leases of its trials, which last as long as `lease`.
    ///
    /// # Errors
    /// [`CliError`] for settings, a store that is down, or one of another study.
    pub(crate) fn new(
        file: &StudyFile,
        store: &Store,
        lease: Duration,
        before: &EndedBefore,
    ) -> Result<Self, CliError> {
        // The process may be killed while it asks: others then go on after the lease of the store.
        let study = store.join(build(file, before)?)?;
        let study = study.with_lease(lease).with_ask_lease(store.lease());
        study.warnings().iter().for_each(|warning| say(format_args!("warning: {warning}")));
        let (extended, interrupt) = (Arc::default(), Arc::default());
        Ok(Self { study, leases: BTreeMap::new(), extended, end: None, interrupt })
    }

    /// Joins a study; a thread extends the leases of running trials while this value lives, and an interrupt of the process gives them back.
    ///
    /// # Errors
    /// As [`Leased::new`].
    pub(crate) fn living(file: &StudyFile, store: &Store, before: &EndedBefore) -> Result<Self, CliError> {
        let mut study = Self::new(file, store, store.lease(), before)?;
        let (log, lease, leases) = (store.open()?, store.lease(), Arc::clone(&study.extended));
        let (end, ended) = channel();
        std::thread::spawn(move || {
            let mut log = log;
            while ended.recv_timeout(lease / 3) == Err(RecvTimeoutError::Timeout) {
                extend(&mut *log, &leases, lease);
            }
        });
        study.end = Some(end);
        let (store, leases, interrupt) =
            (store.clone(), Arc::clone(&study.extended), Arc::clone(&study.interrupt));
        on_interrupt(move || {
            let _until_exit = interrupt.lock();
            let held = leases.lock().unwrap_or_else(PoisonError::into_inner).clone();
            say(format_args!("interrupted; running trials {}", give_all_back(&store, held)));
            std::process::exit(INTERRUPTED);
        })?;
        Ok(study)
    }

    /// Waits for an interrupt that came with the end of the input: one of the terminal ends the asking program too. It gives the running
    /// trials back, and ends the process.
    pub(crate) fn await_interrupt(&self) {
        if !self.extended().is_empty() {
            std::thread::sleep(GRACE);
            drop(self.interrupt.lock());
        }
    }

    /// Adds a lease that an earlier process took.
    pub(crate) fn hold(&mut self, lease: Lease) {
        self.leases.insert(lease.trial, lease);
    }

    /// All trials as of now.
    pub(crate) fn history(&mut self) -> Result<&History<Config>, CliError> {
        self.study.sync()?;
        Ok(self.study.history())
    }

    /// The next trial with its lease, or the reason for which there is none.
    ///
    /// # Errors
    /// [`CliError::Waiting`] when there is neither for a while.
    pub(crate) fn ask(&mut self) -> Result<Result<Assignment<Config>, StopReason>, CliError> {
        let started_at = Instant::now();
        loop {
            match self.study.next_step()? {
                Step::Evaluate(assignment) => {
                    self.leases.insert(assignment.trial.id, assignment.lease.clone());
                    self.extended().push(assignment.lease.clone());
                    return Ok(Ok(assignment));
                }
                Step::Stop(reason) => return Ok(Err(reason)),
                Step::Wait => {
                    // The last trials of a study may run elsewhere; there is none to give out.
                    if let Some(reason) = self.study.check_stop() {
                        return Ok(Err(reason));
                    }
                    if started_at.elapsed() > PATIENCE {
                        return Err(CliError::Waiting);
                    }
                    self.study.wait()?;
                }
            }
        }
    }

    /// Records an intermediate value, a loss; true if the pruner would stop the trial.
    pub(crate) fn report(&mut self, trial: TrialId, step: u64, loss: f64) -> Result<bool, CliError> {
        let lease = self.lease(trial)?;
        self.study.report(&lease, step, loss)?;
        Ok(self.study.should_prune(trial)?)
    }

    /// Refuses an outcome that [`Leased::tell`] would refuse.
    pub(crate) fn check_outcome(&mut self, trial: TrialId, outcome: &Outcome) -> Result<(), CliError> {
        Ok(self.study.check_outcome(trial, outcome)?)
    }

    /// Records the outcome of a trial.
    pub(crate) fn tell(&mut self, trial: TrialId, outcome: Outcome) -> Result<(), CliError> {
        let lease = self.lease(trial)?;
        self.study.tell(&lease, outcome)?;
        self.extended().retain(|other| other.trial != trial);
        Ok(())
    }

    fn lease(&self, trial: TrialId) -> Result<Lease, CliError> {
        self.leases.get(&trial).cloned().ok_or(CliError::NotAskedHere(trial.0))
    }

    fn extended(&self) -> std::sync::MutexGuard<'_, Vec<Lease>> {
        self.extended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Extends all leases; those that another process has claimed since are dropped. A store that does not answer is tried again.
fn extend(log: &mut dyn EventLog, leases: &Mutex<Vec<Lease>>, duration: Duration) {
    let held = leases.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let lost: Vec<Lease> =
        held.into_iter().filter(|lease| matches!(log.heartbeat(lease, duration), Ok(false))).collect();
    leases.lock().unwrap_or_else(PoisonError::into_inner).retain(|lease| !lost.contains(lease));
}

/// A lease as text, for `thrifty tell`: the fencing number and the owner.
pub(crate) fn text(lease: &Lease) -> String {
    format!("{}:{}", lease.fence, lease.owner)
}

/// The lease of a trial in a text that [`text`] wrote.
///
/// # Errors
/// [`CliError::Setting`] with the text.
pub(crate) fn parse(trial: TrialId, text: &str) -> Result<Lease, CliError> {
    let lease = text.split_once(':').and_then(|(fence, owner)| {
        Some(Lease { trial, owner: owner.to_owned(), fence: fence.parse().ok()? })
    });
    lease.ok_or_else(|| CliError::Setting {
        name: "--lease".into(),
        value: format!("{text:?}"),
        expected: "the lease that thrifty ask printed with the trial".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_are_read_as_written() {
        for owner in ["host/12#5.0", "a:b", ""] {
            let lease = Lease { trial: TrialId(3), owner: owner.into(), fence: 7 };
            assert_eq!(parse(TrialId(3), &text(&lease)).unwrap(), lease);
        }
        for text in ["", "7", "x:host", "-1:host"] {
            assert!(parse(TrialId(0), text).unwrap_err().to_string().contains("--lease is"), "{text}");
        }
    }
}

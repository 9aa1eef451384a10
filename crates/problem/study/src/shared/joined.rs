//! A study over a shared log.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::keeper::Keeper;
use super::restart::MAX_RESTARTS;
use super::{AppendError, AtWork, EventLog, Lease, LogError};
use crate::event::{Event, Header};
use crate::{History, Optimizer, Schedule, StopReason, Study, StudyError, Trial, TrialId};

/// A worker of a shared study: an optimiser, and a history that follows the log.
///
/// Run the whole loop with [`SharedStudy::run_worker`], or steer it by hand with [`SharedStudy::next_step`], [`SharedStudy::report`] and
/// [`SharedStudy::tell`].
///
/// Observers are called for the trials of all workers when this one reads about them. A time limit counts from the start of the log, by the
/// clock of the store. It is the same for all workers, and includes pauses of the study.
pub struct SharedStudy<O: Optimizer> {
    pub(super) study: Study<O>,
    pub(super) log: Arc<Mutex<Box<dyn EventLog>>>,
    pub(super) keeper: Arc<Keeper>,
    /// Number of entries read so far.
    pub(super) seq: u64,
    pub(super) store: String,
    pub(super) schedule: Schedule,
    pub(super) owner: String,
    pub(super) lease: Duration,
    pub(super) ask_lease: Option<Duration>,
    /// Leases of the trials that [`SharedStudy::next_step`] handed out, until they are told, released or claimed by another worker.
    pub(super) given: BTreeMap<TrialId, Lease>,
    /// Fencing numbers of this worker's claims of running trials.
    pub(super) fences: BTreeMap<TrialId, u64>,
    pub(super) at_work: AtWork,
    pub(super) max_restarts: usize,
    pub(super) patience: Duration,
    /// The next trial if its claim was refused, and the time of the refusal.
    pub(super) refused: Option<(TrialId, Instant)>,
    /// Time of the last search for trials whose worker is gone.
    pub(super) searched: Option<Instant>,
    /// Number of suggestions that were dropped because another worker had asked their trial.
    pub(super) asked_again: usize,
    /// Time when observers were last notified that the store does not respond.
    pub(super) announced: Option<Instant>,
    /// True while the log is read for the first time: its trials are not announced.
    pub(super) is_joining: bool,
}

/// A trial to evaluate, with the right to record its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment<Q> {
    /// The trial.
    pub trial: Trial<Q>,
    /// The lease. It expires unless it is extended.
    pub lease: Lease,
}

impl<O: Optimizer> Study<O> {
    /// Joins a shared log as a worker, or starts the log with the queue and the trials of this study.
    ///
    /// All workers need the same seed, settings and stop rules. Without its own schedule, the study uses that of the log; a new log has
    /// [`Schedule::AsCompleted`]. The study must have no journal.
    ///
    /// # Errors
    /// [`StudyError::Log`]: the store fails, or the log is of another study; [`StudyError::OtherBeginning`] for a study with trials other
    /// than the first ones of the log.
    pub fn join(mut self, log: Box<dyn EventLog>) -> Result<SharedStudy<O>, StudyError> {
        let seed = self.history.seed();
        let before = std::mem::replace(&mut self.history, History::new(seed));
        self.history.directions = before.directions.clone();
        self.history.comparable.clone_from(&before.comparable);
        let mut shared = SharedStudy {
            store: log.name(),
            log: Arc::new(Mutex::new(log)),
            keeper: Arc::default(),
            seq: 0,
            schedule: self.schedule.unwrap_or(Schedule::AsCompleted),
            owner: owner(),
            lease: Duration::from_secs(60),
            ask_lease: None,
            given: BTreeMap::new(),
            fences: BTreeMap::new(),
            at_work: AtWork::default(),
            max_restarts: MAX_RESTARTS,
            patience: Duration::from_secs(60),
            refused: None,
            searched: None,
            asked_again: 0,
            announced: None,
            is_joining: true,
            study: self,
        };
        shared.begin(&before)?;
        let own = before.trials().iter().map(|trial| (&trial.query, trial.outcome.clone()));
        let begun = shared.study.begun(own)?;
        if begun < before.len() {
            return Err(StudyError::OtherBeginning { id: TrialId(begun as u64) });
        }
        shared.append(None, |study| {
            let missing = study.not_enqueued(before.queue.waiting().iter().cloned())?;
            Ok(missing.into_iter().map(Event::enqueued).collect())
        })?;
        shared.is_joining = false;
        Ok(shared)
    }
}

impl<O: Optimizer> SharedStudy<O> {
    /// Sets the name of the worker in leases; by default host and process. A unique number is added.
    #[must_use]
    pub fn with_owner(mut self, name: &str) -> Self {
        self.owner = unique(name);
        self
    }

    /// Sets the time after which a trial whose worker is gone is handed out again; 60 s by default. An active worker extends its leases
    /// three times in this time.
    #[must_use]
    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets the time after which a trial that [`SharedStudy::next_step`] is asking for becomes free if the worker is killed meanwhile. The
    /// default is that of [`SharedStudy::with_lease`], but at most 60 s. No new trial can be asked before.
    ///
    /// A thread extends this claim while the optimiser is asked. When the trial is handed out, the time of `with_lease` applies.
    #[must_use]
    pub fn with_ask_lease(mut self, lease: Duration) -> Self {
        self.ask_lease = Some(lease);
        self
    }

    /// Sets how often a trial is handed out again after the loss of its worker; 5 by default, and `usize::MAX` for no limit.
    ///
    /// A worker is lost when its lease expires: its process was killed, its machine went down, or it was disconnected. The next loss is
    /// recorded as a failure of the trial. Restarts after a [release](SharedStudy::release) do not count. If workers have different limits,
    /// that of the worker that claims the trial applies.
    #[must_use]
    pub fn with_max_restarts(mut self, restarts: usize) -> Self {
        self.max_restarts = restarts;
        self
    }

    /// Sets the time during which calls are repeated while the store is down or out of space; 60 s by default.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// All trials according to the entries read so far.
    pub fn history(&self) -> &History<O::Query> {
        &self.study.history
    }

    /// The schedule of the log.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// The optimiser.
    pub fn optimizer(&self) -> &O {
        &self.study.optimizer
    }

    /// Warnings from joining, such as another machine.
    pub fn warnings(&self) -> &[String] {
        self.study.warnings()
    }

    /// The optimiser's current recommendation.
    ///
    /// # Errors
    /// [`StudyError::Optimizer`].
    pub fn recommend(&mut self) -> Result<Option<O::Recommendation>, StudyError> {
        self.study.recommend()
    }

    /// Reason to stop by the first applicable stop rule, according to the entries read so far. Trials of other workers may still run.
    pub fn check_stop(&self) -> Option<StopReason> {
        self.study.check_stop()
    }

    /// Returns when the log has news, or after a short while. Call it when [`SharedStudy::next_step`] returns [`Step::Wait`](super::Step::Wait).
    ///
    /// # Errors
    /// [`StudyError::Log`].
    pub fn wait(&mut self) -> Result<(), StudyError> {
        let (seq, time) = (self.seq, self.pause_between_claims());
        self.retry(|log| log.wait(seq, time))
    }

    /// Enqueues a query, to be asked before the optimiser chooses again.
    ///
    /// # Errors
    /// [`StudyError`] for a query that is not of the space, or when the log fails.
    pub fn enqueue(&mut self, query: &O::Query) -> Result<(), StudyError> {
        self.study.optimizer.check(query, false)?;
        // If the store does not respond, an equal entry of another worker must not be taken for this one.
        let (query, by) = (query.clone(), Some(self.owner.clone()));
        let enqueued = Event::Enqueued { query, by, elapsed: None };
        self.append(None, |_| Ok(vec![enqueued.clone()]))?;
        Ok(())
    }

    /// Reads the log, and starts it with this study if it is empty.
    fn begin(&mut self, beginning: &History<O::Query>) -> Result<(), StudyError> {
        let started_at = Instant::now();
        while self.sync()? == 0 && self.seq == 0 {
            let began = Some(self.retry(|log| log.now())?);
            let bodies = std::iter::once(serde_json::to_string(&Header { began, ..self.header()? }))
                .chain(beginning.events().iter().map(serde_json::to_string))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| self.failed(&error))?;
            let appended = self.log().append(0, &bodies, None);
            match appended {
                Ok(()) | Err(AppendError::Conflict | AppendError::Fenced) => {}
                // Reading shows if the store has the first entries although it did not respond.
                Err(AppendError::Log(error)) => self.pause(error, started_at)?,
            }
        }
        Ok(())
    }

    fn header(&self) -> Result<Header, StudyError> {
        let header = Header::new(self.study.history.seed(), self.study.fingerprint()?);
        Ok(Header { schedule: Some(self.schedule), ..header })
    }

    /// Compares the header of the log with this study.
    pub(super) fn check_header(&mut self, found: &Header) -> Result<(), StudyError> {
        let (here, store) = (self.header()?, self.store.clone());
        let mismatch = |what, found: String, expected: String| {
            StudyError::from(LogError::Mismatch { store: store.clone(), what, found, expected })
        };
        if found.seed != here.seed {
            return Err(mismatch("seed", found.seed.0.to_string(), here.seed.0.to_string()));
        }
        let differences = found.fingerprint.differences_under(&here.fingerprint, here.seed);
        if !differences.is_empty() {
            return Err(LogError::Settings { store, differences }.into());
        }
        let schedule = found.schedule.unwrap_or(Schedule::AsCompleted);
        if self.study.schedule.is_some_and(|chosen| chosen != schedule) {
            return Err(mismatch("schedule", format!("{schedule:?}"), format!("{:?}", self.schedule)));
        }
        self.schedule = schedule;
        self.study.plan_as_recorded(here.fingerprint.budget, found.fingerprint.budget);
        self.study.warnings.extend(here.machine.warning(&found.machine));
        // Older logs do not record their start: their time counts from now.
        if let Some(began) = found.began {
            let elapsed = self.retry(|log| log.now())? - began;
            self.study.count_time_after(Duration::try_from_secs_f64(elapsed).unwrap_or_default());
        }
        Ok(())
    }

    pub(super) fn log(&self) -> MutexGuard<'_, Box<dyn EventLog>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn failed(&self, error: &serde_json::Error) -> StudyError {
        LogError::Failed { store: self.store.clone(), message: error.to_string() }.into()
    }
}

/// Name of a worker: host and process.
fn owner() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::env::var("HOSTNAME"));
    let host = host.unwrap_or_else(|_| "localhost".into());
    unique(&format!("{}/{}", host.trim(), std::process::id()))
}

/// Adds the time and a counter of this process.
fn unique(name: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{name}#{now:x}.{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

//! Studies in a store, which many processes and machines share.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde::Deserialize;
use thrifty_space::Config;
use thrifty_study::shared::{EventLog, LogError, SharedStudy};
use thrifty_study::{AnyOptimizer, Context, History, Outcome, StopReason, StudyError};

use crate::error::CliError;
use crate::held::Held;
use crate::message::say;
use crate::progress::Progress;
use crate::study::{ConfigStudy, EndedBefore, build};
use crate::study_file::StudyFile;
use crate::target::compare_at_target;

/// Section `[store]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreEntry {
    /// The address; none where it is an argument.
    address: Option<String>,
    /// Name of the study; the name of the study file by default.
    study: Option<String>,
    /// Seconds after which a trial whose worker is gone is handed out again.
    lease_seconds: Option<f64>,
    /// Restarts of a trial after the loss of its worker.
    max_restarts: Option<usize>,
}

/// A store and a study in it.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    address: String,
    study: String,
    lease: Duration,
    /// None for the number of the library.
    max_restarts: Option<usize>,
}

impl Store {
    /// The store of the study file `path`; `address` is the argument that replaces the file's. A relative path in the file is from
    /// the file's folder.
    ///
    /// # Errors
    /// [`CliError::Setting`] for a section without an address anywhere, and for a time that is none.
    pub(crate) fn new(
        entry: Option<StoreEntry>,
        address: Option<&str>,
        path: &Path,
    ) -> Result<Option<Self>, CliError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let own = entry.as_ref().and_then(|entry| entry.address.as_ref());
        let own = own.map(|address| match address.strip_prefix("sqlite://") {
            Some(file) => format!("sqlite://{}", folder.join(file).display()),
            None => address.clone(),
        });
        let address = match (address.map(str::to_owned).or(own), &entry) {
            (Some(address), _) => address,
            (None, None) => return Ok(None),
            (None, Some(_)) => {
                return Err(CliError::Setting {
                    name: "store.address".into(),
                    value: "missing".into(),
                    expected: "an address here, in --store or in THRIFTY_STORE".into(),
                });
            }
        };
        let seconds = entry.as_ref().and_then(|entry| entry.lease_seconds).unwrap_or(60.0);
        let lease =
            Duration::try_from_secs_f64(seconds).ok().filter(|lease| *lease >= Duration::from_secs(1));
        let lease = lease.ok_or_else(|| CliError::Setting {
            name: "store.lease_seconds".into(),
            value: seconds.to_string(),
            expected: "a number of seconds from 1".into(),
        })?;
        let max_restarts = entry.as_ref().and_then(|entry| entry.max_restarts);
        let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let study = entry.and_then(|entry| entry.study).unwrap_or_else(stem);
        Ok(Some(Self { address, study, lease, max_restarts }))
    }

    /// Time after which a trial whose process is gone is handed out again.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// A new connection.
    ///
    /// # Errors
    /// [`LogError`].
    pub(crate) fn open(&self) -> Result<Box<dyn EventLog>, LogError> {
        thrifty_store::open(&self.address, &self.study)
    }

    /// Joins the workers of the study.
    ///
    /// # Errors
    /// [`CliError`] for a store that is down, or one of another study.
    pub(crate) fn join(&self, study: ConfigStudy) -> Result<SharedStudy<AnyOptimizer<Config>>, CliError> {
        let shared = study.join(self.open()?)?.with_lease(self.lease);
        Ok(match self.max_restarts {
            Some(restarts) => shared.with_max_restarts(restarts),
            None => shared,
        })
    }

    /// All trials.
    ///
    /// # Errors
    /// [`LogError`]: the store cannot be read, or has no such study.
    pub(crate) fn history(&self) -> Result<History<Config>, CliError> {
        let mut log = thrifty_store::open_read_only(&self.address, &self.study)?;
        Ok(History::read_log(&mut *log)?)
    }

    /// Works on the study with some threads until it ends; `held` gets the trials that they evaluate.
    ///
    /// # Errors
    /// [`CliError`] of the first thread that fails.
    pub(crate) fn run(
        &self,
        file: &StudyFile,
        workers: usize,
        held: &Held,
        evaluate: &(dyn Fn(&Config, &mut Context<'_>) -> Outcome + Sync),
    ) -> Result<StopReason, CliError> {
        let history = compare_at_target(self.history().unwrap_or_default(), file.fidelity.as_ref());
        // One thread shows the trials of all.
        let progress = Mutex::new(Some(Progress::new(&history, file)));
        let work = || -> Result<StopReason, CliError> {
            let before = EndedBefore::default();
            let mut study = build(file, &before)?;
            let progress = progress.lock().ok().and_then(|mut progress| progress.take());
            let is_first = progress.is_some();
            if let Some(progress) = progress {
                study = study.with_observer(progress);
            }
            let mut study = self.join(study)?;
            held.add(study.at_work());
            before.set(study.history());
            if is_first {
                study.warnings().iter().for_each(|warning| say(format_args!("warning: {warning}")));
            }
            Ok(study.run_worker(evaluate)?.reason)
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let results = threads.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            let results = results.collect::<Result<Vec<_>, _>>()?;
            results.into_iter().next().ok_or(StudyError::ZeroLanes { name: "number of workers" }.into())
        })
    }
}

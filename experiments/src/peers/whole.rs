//! Whole studies of other libraries, after a design.

use std::sync::{Arc, Mutex, PoisonError};

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, Study, StudyError, TrialId,
};
use thrifty_testbed::Problem;

use super::interpreters::Interpreters;
use super::peer_study::{First, PeerStudy, Refusal};
use super::process::Process;
use crate::error::ExperimentError;
use crate::harness::method::AfterDesign;

/// A study of another library that has ended.
pub struct PeerRun<T> {
    pub found: T,
    /// Reason why it ended early; empty if it did not.
    pub failure: String,
    /// CPU seconds of the library.
    pub cpu_seconds: f64,
    /// Version of the package.
    pub version: String,
}

/// End of a request for a study.
pub enum Ended<T> {
    Run(PeerRun<T>),
    /// The package has no type for a parameter.
    Unsupported(String),
}

impl<T> Ended<T> {
    /// The same end with another form of what was found.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Ended<U> {
        match self {
            Self::Run(PeerRun { found, failure, cpu_seconds, version }) => {
                Ended::Run(PeerRun { found: form(found), failure, cpu_seconds, version })
            }
            Self::Unsupported(why) => Ended::Unsupported(why),
        }
    }
}

/// Part of the failure of a process that has died.
const DIED: &str = "the process";

impl Interpreters {
    /// A study of a problem after a design, without noise and constraints: the regret of the best that was evaluated.
    ///
    /// # Errors
    /// As [`Interpreters::whole`].
    pub fn best_found(
        &self,
        method: &'static str,
        problem: &dyn Problem,
        (seed, design): (Seed, &[Config]),
        evaluations: usize,
    ) -> Result<Ended<f64>, ExperimentError> {
        let (own, count) = (seed.0 & 0x7fff_ffff, design.len());
        let first = First { method, seed: own, design: count, evaluations, ..First::default() };
        self.whole(problem.space(), &first, design, |optimizer| {
            let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
            let failure = study.run(|config, context| problem.evaluate(config, &mut context.noise())).err();
            let best = study.history().best().map(|(trial, _)| problem.regret(&trial.query)).transpose()?;
            Ok((best.unwrap_or(f64::INFINITY), failure))
        })
    }

    /// Runs the study `work` with an optimiser that begins with a design. Where its process has died, it has a second try in a new one.
    ///
    /// `work` returns what it found, and the error that ended it early.
    ///
    /// # Errors
    /// The method has no interpreter or is missing there; errors of `work`.
    pub fn whole<T>(
        &self,
        space: &Space,
        first: &First<'static>,
        design: &[Config],
        work: impl Fn(AfterDesign<Shared>) -> Result<(T, Option<StudyError>), ExperimentError>,
    ) -> Result<Ended<T>, ExperimentError> {
        let once = |process: Process| self.once(process, space, first, design, &work);
        match once(self.process(first.method)?) {
            Ok(Ended::Run(run)) if run.failure.contains(DIED) => once(self.fresh(first.method)?),
            Err(_) => once(self.fresh(first.method)?),
            ended => ended,
        }
    }

    fn once<T>(
        &self,
        process: Process,
        space: &Space,
        first: &First<'static>,
        design: &[Config],
        work: impl Fn(AfterDesign<Shared>) -> Result<(T, Option<StudyError>), ExperimentError>,
    ) -> Result<Ended<T>, ExperimentError> {
        let study = match PeerStudy::begin(process, space, first) {
            Ok(study) => study,
            Err(Refusal::Unsupported(process, why)) => {
                self.give_back(first.method, *process);
                return Ok(Ended::Unsupported(why));
            }
            Err(Refusal::Missing(why)) => {
                return Err(ExperimentError::failed(format!("{}: {why}", first.method)));
            }
        };
        let shared = Arc::new(Mutex::new(study));
        let (found, failure) = work(AfterDesign { design: design.to_vec(), search: Shared(shared.clone()) })?;
        let study =
            Arc::into_inner(shared).map(|study| study.into_inner().unwrap_or_else(PoisonError::into_inner));
        let study = study.ok_or_else(|| ExperimentError::failed("a study outlives its run"))?;
        let failure = failure.map_or(String::new(), |error| error.to_string());
        let run = PeerRun { found, failure, cpu_seconds: study.cpu_seconds, version: study.version.clone() };
        // After a failure the state of the process is unknown.
        if run.failure.is_empty()
            && let Some(process) = study.end()
        {
            self.give_back(first.method, process);
        }
        Ok(Ended::Run(run))
    }
}

/// A study whose times are read after it has ended.
pub struct Shared(Arc<Mutex<PeerStudy>>);

impl Optimizer for Shared {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).ask(history, id)
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fingerprint()
    }
}

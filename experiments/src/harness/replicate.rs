//! Studies and jobs in parallel.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, Optimizer, StopRule, Study};
use thrifty_testbed::Problem;

use super::runs::{JobName, Runs, lossless_numbers};
use crate::error::ExperimentError;

/// Result of one method on one problem from one seed. Its names are those of its job, and are not in its line.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Run {
    #[serde(skip)]
    pub method: String,
    #[serde(skip)]
    pub problem: String,
    #[serde(skip)]
    pub replication: usize,
    /// Best regret so far after each evaluation, on the noiseless truth; failures count as the worst so far.
    #[serde(with = "lossless_numbers")]
    pub regret: Vec<f64>,
    pub failures: usize,
    /// Wall-clock seconds of the optimiser, apart from those of the evaluations.
    pub optimizer_seconds: f64,
    pub evaluation_seconds: f64,
}

impl Run {
    /// The regret at the end; infinite if there is none.
    pub fn last_regret(&self) -> f64 {
        self.regret.last().copied().unwrap_or(f64::INFINITY)
    }
}

impl AsMut<Self> for Run {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// Runs jobs in parallel with a progress bar; results are in the order of the jobs whatever the threads do.
pub fn in_parallel<J: Sync, T: Send>(
    title: &str,
    jobs: &[J],
    work: impl Fn(&J) -> Result<T, ExperimentError> + Sync,
) -> Result<Vec<T>, ExperimentError> {
    let bar = progress(title, jobs.len());
    let results = jobs.par_iter().map(|job| work(job).inspect(|_| bar.inc(1))).collect();
    bar.finish_and_clear();
    results
}

/// Runs jobs in their order, each thread taking the next one, for as long as `go_on` is true; the first failure ends it.
pub fn in_order<J: Sync>(
    title: &str,
    jobs: &[J],
    go_on: impl Fn() -> bool + Sync,
    work: impl Fn(&J) -> Result<(), ExperimentError> + Sync,
) -> Result<(), ExperimentError> {
    let bar = progress(title, jobs.len());
    let (next, failure) = (AtomicUsize::new(0), OnceLock::new());
    rayon::broadcast(|_| {
        while failure.get().is_none() && go_on() {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            match work(job) {
                Ok(()) => bar.inc(1),
                // Only the first failure is reported.
                Err(error) => drop(failure.set(error)),
            }
        }
    });
    bar.finish_and_clear();
    failure.into_inner().map_or(Ok(()), Err)
}

/// Runs jobs one after the other for as long as `go_on` is true.
pub fn in_turn<J>(
    title: &str,
    jobs: &[J],
    go_on: impl Fn() -> bool,
    work: impl Fn(&J) -> Result<(), ExperimentError>,
) -> Result<(), ExperimentError> {
    let bar = progress(title, jobs.len());
    let done = jobs.iter().take_while(|_| go_on()).try_for_each(|job| work(job).inspect(|()| bar.inc(1)));
    bar.finish_and_clear();
    done
}

fn progress(title: &str, jobs: usize) -> ProgressBar {
    let bar = ProgressBar::new(jobs as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(title.to_owned());
    bar
}

/// Studies that are jobs: runs with the names of their jobs.
///
/// # Errors
/// As [`Runs::collect`].
pub fn studies<J: Sync, R: AsMut<Run> + Serialize + DeserializeOwned + Send>(
    runs: &Runs<'_>,
    jobs: &[J],
    name: impl Fn(&J) -> JobName,
    work: impl Fn(&J) -> Result<R, ExperimentError> + Sync,
) -> Result<Vec<R>, ExperimentError> {
    let mut found: Vec<R> = runs.collect(jobs, &name, work)?;
    for (run, job) in found.iter_mut().zip(jobs) {
        let run = run.as_mut();
        let JobName { task, method, replication } = name(job);
        (run.problem, run.method, run.replication) = (task, method, replication);
    }
    Ok(found)
}

/// Runs one study of a problem to its end.
pub fn study<O>(
    method: &str,
    problem: &dyn Problem,
    optimizer: O,
    seed: Seed,
    replication: usize,
    stop: impl StopRule + 'static,
) -> Result<Run, ExperimentError>
where
    O: Optimizer<Query = Config>,
{
    Ok(study_with_history(method, problem, Study::new(optimizer, seed).with_stop(stop), replication)?.0)
}

/// Runs a study that has not begun to its end: its result and its trials.
pub fn study_with_history<O>(
    method: &str,
    problem: &dyn Problem,
    mut study: Study<O>,
    replication: usize,
) -> Result<(Run, History<Config>), ExperimentError>
where
    O: Optimizer<Query = Config>,
{
    study.run(|config, context| problem.evaluate(config, &mut context.noise()))?;
    let history = study.history().clone();
    let mut regret = Vec::with_capacity(history.len());
    let mut best = f64::INFINITY;
    for trial in history.trials() {
        if trial.outcome.as_ref().and_then(thrifty_study::Outcome::objective).is_some() {
            best = best.min(problem.regret(&trial.query)?);
        }
        regret.push(best);
    }
    let seconds =
        |pick: fn(&thrifty_study::Timing) -> f64| history.trials().iter().map(|t| pick(&t.timing)).sum();
    let run = Run {
        method: method.into(),
        problem: problem.name(),
        replication,
        regret,
        failures: history.unsuccessful().count(),
        optimizer_seconds: seconds(|t| t.ask),
        evaluation_seconds: seconds(|t| t.evaluate),
    };
    Ok((run, history))
}

//! The study of a study file.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use thrifty_bo::EarlierStudies;
use thrifty_check::counted;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{
    AnyOptimizer, History, HistoryView, MaxCost, MaxTrials, Optimizer, Outcome, Patience, StopReason,
    StopRule, Study, Target, WallTime,
};

use crate::error::CliError;
use crate::known;
use crate::message::say;
use crate::study_file::StudyFile;

/// A study on configurations.
pub(crate) type ConfigStudy = Study<AnyOptimizer<Config>>;

/// Stops after some failed trials in a row: a command that always fails would fail for ever.
struct FailuresInARow {
    /// Nothing for [`BROKEN`], and [`WORKED`] once a trial was measured.
    most: Option<usize>,
    before: EndedBefore,
}

/// Number of trials that ended before this process began to evaluate, or were known: their failures do not count, so that a study whose command was
/// mended goes on.
#[derive(Clone, Default)]
pub(crate) struct EndedBefore(Arc<AtomicUsize>);

impl EndedBefore {
    /// Sets the number to that of a history.
    pub(crate) fn set(&self, history: &History<Config>) {
        let ended = history.trials().iter().filter(|trial| trial.outcome.is_some());
        self.0.store(ended.count(), Ordering::Relaxed);
    }
}

/// Failures in a row of a command that never worked.
const BROKEN: usize = 10;

/// Failures in a row of a command that did. Where trials fail in a part of the space with the best configurations on its border, a search that learns
/// where tries that border, and some ten in a row may fail.
const WORKED: usize = 30;

/// Name of their number in the reason.
const FAILURES: &str = "failures";

impl StopRule for FailuresInARow {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let is_failure = |outcome: &&Outcome| matches!(outcome, Outcome::Failed(_));
        let of_this_run = view.outcomes().count().saturating_sub(self.before.0.load(Ordering::Relaxed));
        let failed = view.outcomes().rev().take(of_this_run).take_while(is_failure).count();
        let worked = || view.outcomes().any(|outcome| outcome.measurement().is_some());
        let most = self.most.unwrap_or_else(|| if worked() { WORKED } else { BROKEN });
        (failed >= most).then(|| StopReason::Decided {
            message: format!("{} in a row failed", counted(failed, "trials")),
            numbers: [(FAILURES.to_owned(), failed as f64)].into(),
        })
    }
}

/// The end of a study by its failures in words; nothing for another reason.
pub(crate) fn failures_in_a_row(reason: &StopReason) -> Option<&str> {
    match reason {
        StopReason::Decided { message, numbers } => numbers.contains_key(FAILURES).then_some(message),
        _ => None,
    }
}

/// The study, with its stop rules and its journal.
///
/// # Errors
/// [`CliError`] for settings, and for a journal of another study.
pub(crate) fn open(file: &StudyFile, before: &EndedBefore) -> Result<ConfigStudy, CliError> {
    let study = build(file, before)?.with_journal(&file.journal)?;
    for warning in study.warnings() {
        say(format_args!("warning: {warning}"));
    }
    Ok(study)
}

/// The optimiser, which knows the number of trials, and the earlier studies that it begins with.
///
/// # Errors
/// [`CliError`] for settings.
pub(crate) fn optimizer(
    file: &StudyFile,
) -> Result<(AnyOptimizer<Config>, Option<EarlierStudies>), CliError> {
    let earlier = file.transfer.as_ref().map(|entry| entry.read(file)).transpose()?;
    let mut optimizer = file.method.optimizer(file.space.clone(), earlier.as_ref(), &file.directions)?;
    if let Some(trials) = file.stop.trials {
        optimizer.plan(trials);
    }
    Ok((optimizer, earlier))
}

/// The study, with its stop rules.
///
/// # Errors
/// [`CliError`] for settings.
pub(crate) fn build(file: &StudyFile, before: &EndedBefore) -> Result<ConfigStudy, CliError> {
    let stop = &file.stop;
    let (optimizer, earlier) = optimizer(file)?;
    let mut study = Study::new(optimizer, Seed(file.seed))
        .with_directions(file.directions.clone())
        .with_stop(FailuresInARow { most: stop.failures, before: before.clone() });
    if let Some(axis) = file.fidelity.clone() {
        study = study.with_comparable(move |config| axis.is_at_target(config));
    }
    if let Some(trials) = stop.trials {
        study = study.with_stop(MaxTrials(trials));
    }
    if let Some(seconds) = stop.seconds {
        study = study.with_stop(WallTime(Duration::from_secs_f64(seconds)));
    }
    if let Some(cost) = stop.cost {
        study = study.with_stop(MaxCost(cost));
    }
    if let Some(target) = stop.target {
        study = study.with_stop(Target(file.directions.first().flip(target)));
    }
    if let Some(trials) = stop.patience {
        study = study.with_stop(Patience { trials, min_gain: 0.0 });
    }
    if let Some(pruner) = file.pruner {
        study = study.with_pruner(pruner);
    }
    if let Some(known) = &file.known {
        study = study.with_known(known::read_some(&file.space, known, &file.directions)?)?;
        before.set(study.history());
    }
    let mut queue = file.queue.clone();
    if let (Some(entry), Some(earlier)) = (&file.transfer, &earlier) {
        queue.extend(entry.first_trials(earlier, &file.method)?);
    }
    Ok(study.with_retries(file.limits.retries).with_queue(queue)?)
}

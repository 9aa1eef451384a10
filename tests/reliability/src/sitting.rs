//! One sitting of a study of the roster, in this process.

use std::path::Path;

use thrifty::prelude::*;
use thrifty::study::{Context, Next, Observer, StudyError, Trial};

use crate::roster::{Evaluate, Job, Place};
use crate::trace::trace;

/// Mode in which a study is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// One trial after the other by `run`.
    Run,
    /// Four threads by `run_parallel`.
    Threads,
    /// By `ask`, `report` and `tell`.
    Hand,
}

/// All modes.
pub const MODES: [Mode; 3] = [Mode::Run, Mode::Threads, Mode::Hand];

impl Mode {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Threads => "4 threads",
            Self::Hand => "ask and tell",
        }
    }
}

/// A study from wherever its journal ends to its last trial.
pub struct Sitting<'a> {
    /// Its journal; none for a study that nobody interrupts.
    pub journal: Option<&'a Path>,
    /// Seed of the study.
    pub seed: u64,
    /// Trials in all.
    pub trials: usize,
    /// Mode of the loop.
    pub mode: Mode,
    /// Called with the number of a trial whose outcome was acknowledged.
    pub acknowledged: Box<dyn FnMut(u64) + Send>,
}

impl<'a> Sitting<'a> {
    /// A sitting that nobody watches.
    pub fn new(journal: Option<&'a Path>, seed: u64, trials: usize, mode: Mode) -> Self {
        Self { journal, seed, trials, mode, acknowledged: Box::new(|_| {}) }
    }
}

struct Acknowledge(Box<dyn FnMut(u64) + Send>);

impl<Q> Observer<Q> for Acknowledge {
    fn told(&mut self, trial: &Trial<Q>, _: &Outcome) {
        (self.0)(trial.id.0);
    }
}

impl Job for Sitting<'_> {
    type Output = Result<Vec<String>, StudyError>;

    fn run<O>(self, optimizer: O, evaluate: Evaluate<O::Query>) -> Self::Output
    where
        O: Optimizer<Query: std::fmt::Debug + PartialEq> + Send,
    {
        let seed = Seed(self.seed);
        let mut study = Study::new(optimizer, seed)
            .with_stop(MaxTrials(self.trials))
            .with_observer(Acknowledge(self.acknowledged));
        if let Some(path) = self.journal {
            study = study.with_journal(path)?;
        }
        let in_loop = |query: &O::Query, context: &mut Context<'_>| {
            let id = context.id.0;
            // A report that nobody takes is of a study that failed, which the run returns.
            let report = &mut |step, value| {
                let _ = context.report(step, value);
            };
            evaluate(query, &mut Place { seed, id, report })
        };
        match self.mode {
            Mode::Run => drop(study.run(in_loop)?),
            Mode::Threads => drop(study.run_parallel(4, in_loop)?),
            Mode::Hand => by_hand(&mut study, seed, evaluate)?,
        }
        Ok(trace(study.history()))
    }
}

/// Asks, evaluates and tells until a rule or the optimiser stops; trials that are pending come first.
fn by_hand<O: Optimizer>(
    study: &mut Study<O>,
    seed: Seed,
    evaluate: Evaluate<O::Query>,
) -> Result<(), StudyError> {
    loop {
        let pending = study.history().pending().next().cloned();
        let trial = match pending {
            Some(trial) => trial,
            None if study.check_stop().is_some() => return Ok(()),
            None => match study.ask()? {
                Next::Evaluate(trial) => trial,
                Next::Wait | Next::Stop(_) => return Ok(()),
            },
        };
        let mut reports = Vec::new();
        let mut report = |step, value| reports.push((step, value));
        let outcome = evaluate(&trial.query, &mut Place { seed, id: trial.id.0, report: &mut report });
        for (step, value) in reports {
            study.report(trial.id, step, value)?;
        }
        study.tell(trial.id, outcome)?;
    }
}

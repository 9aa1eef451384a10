//! Context of an evaluation besides the query.

use thrifty_sampling::{Seed, Stream};

use crate::curves::Curves;
use crate::{Outcome, TrialId};

/// Context of an evaluation besides the query: the trial, its noise, and intermediate values.
///
/// ```
/// # use thrifty_study::{Context, Outcome, ReportError};
/// fn train(rate: &f64, context: &mut Context<'_>) -> Result<Outcome, ReportError> {
///     let mut loss = 1.0;
///     for epoch in 1..=50 {
///         loss *= 1.0 - rate;
///         context.report(epoch, loss)?;
///         if context.should_prune() {
///             return Ok(context.pruned());
///         }
///     }
///     Ok(loss.into())
/// }
/// ```
pub struct Context<'a> {
    /// The trial.
    pub id: TrialId,
    /// Number of earlier attempts at this trial that failed.
    pub attempt: usize,
    seed: Seed,
    reports: Vec<(u64, f64)>,
    curves: Option<&'a Curves>,
    send: &'a mut dyn FnMut(u64, f64) -> bool,
}

/// An intermediate value that nobody takes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nobody takes reports of trial {} any more: it need not go on", .id.0)]
pub struct ReportError {
    /// The trial.
    pub id: TrialId,
}

impl<'a> Context<'a> {
    /// The context of an attempt that has reported nothing.
    pub(crate) fn new(
        id: TrialId,
        attempt: usize,
        seed: Seed,
        curves: Option<&'a Curves>,
        send: &'a mut dyn FnMut(u64, f64) -> bool,
    ) -> Self {
        curves.inspect(|curves| curves.forget(id));
        Self { id, attempt, seed, reports: Vec::new(), curves, send }
    }

    /// The trial's own noise: the same whenever and wherever it is evaluated.
    #[must_use]
    pub fn noise(&self) -> Stream {
        self.seed.stream("evaluation", self.id.0)
    }

    /// Notes an intermediate value: a loss, as the objective. Steps are epochs, folds, seconds: any number that the trials count alike.
    ///
    /// # Errors
    /// [`ReportError`] when the study has ended with an error meanwhile, or another worker has the trial: the evaluation may stop.
    pub fn report(&mut self, step: u64, value: f64) -> Result<(), ReportError> {
        self.reports.push((step, value));
        self.curves.inspect(|curves| curves.report(self.id, step, value));
        if (self.send)(step, value) { Ok(()) } else { Err(ReportError { id: self.id }) }
    }

    /// True if the study's pruner would stop the trial after what it has reported. Without a pruner, and before the first report, no trial is stopped.
    #[must_use]
    pub fn should_prune(&self) -> bool {
        self.curves.is_some_and(|curves| curves.should_prune(self.id, &self.reports))
    }

    /// The outcome of a trial that stops now.
    #[must_use]
    pub fn pruned(&self) -> Outcome {
        Outcome::pruned(self.reports.last().map_or(0, |report| report.0))
    }
}

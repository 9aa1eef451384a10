//! Context of an evaluation besides the query.

use thrifty_sampling::{Seed, Stream};

use crate::curves::Curves;
use crate::{Outcome, TrialId};

/// Context of an evaluation in addition to the query: the trial, its random noise, and intermediate values.
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
    /// Number of earlier failed attempts at this trial.
    pub attempt: usize,
    seed: Seed,
    reports: Vec<(u64, f64)>,
    curves: Option<&'a Curves>,
    send: &'a mut dyn FnMut(u64, f64) -> bool,
}

/// Error for an intermediate value that is no longer accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nobody takes reports of trial {} any more: it need not go on", .id.0)]
pub struct ReportError {
    /// The trial.
    pub id: TrialId,
}

impl<'a> Context<'a> {
    /// The context of an attempt without reports.
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

    /// Random stream of the trial, independent of the time and place of its evaluation.
    #[must_use]
    pub fn noise(&self) -> Stream {
        self.seed.stream("evaluation", self.id.0)
    }

    /// Reports an intermediate value: a loss, like the objective. Steps may be epochs, folds or seconds, but must have the same meaning in
    /// all trials.
    ///
    /// # Errors
    /// [`ReportError`] if the study has ended with an error meanwhile, or another worker has the trial. The evaluation may stop.
    pub fn report(&mut self, step: u64, value: f64) -> Result<(), ReportError> {
        self.reports.push((step, value));
        self.curves.inspect(|curves| curves.report(self.id, step, value));
        if (self.send)(step, value) { Ok(()) } else { Err(ReportError { id: self.id }) }
    }

    /// True if the study's pruner would stop the trial after its reports so far. Without a pruner, and before the first report, it is false.
    #[must_use]
    pub fn should_prune(&self) -> bool {
        self.curves.is_some_and(|curves| curves.should_prune(self.id, &self.reports))
    }

    /// Outcome of a trial that is stopped now.
    #[must_use]
    pub fn pruned(&self) -> Outcome {
        Outcome::pruned(self.reports.last().map_or(0, |report| report.0))
    }
}

//! Evaluators that measure their own cost.

use std::time::Instant;

use cpu_time::ThreadTime;

use crate::run::caught;
use crate::{Context, Outcome};

/// Unit in which the cost of an evaluation is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostUnit {
    /// Seconds of wall-clock time.
    WallSeconds,
    /// Seconds of processor time of the calling thread, which other work does not increase. Threads started by the evaluation are not counted.
    ThreadCpuSeconds,
}

/// Wraps an evaluator so that it measures its own cost, unless it reports one. Failures and stopped trials have a cost too. A panic is a
/// failure, as in the loop of a study.
///
/// ```
/// use thrifty_study::{CostUnit, Outcome, costed};
/// let train = costed(CostUnit::WallSeconds, |x: &f64, _: &mut thrifty_study::Context<'_>| x * x);
/// # let _ = train;
/// ```
pub fn costed<Q, R: Into<Outcome>>(
    unit: CostUnit,
    evaluate: impl Fn(&Q, &mut Context<'_>) -> R,
) -> impl Fn(&Q, &mut Context<'_>) -> Outcome {
    move |query, context| {
        let (wall, processor) = (Instant::now(), ThreadTime::now());
        let mut outcome = caught(|| evaluate(query, context));
        let seconds = match unit {
            CostUnit::WallSeconds => wall.elapsed().as_secs_f64(),
            CostUnit::ThreadCpuSeconds => processor.elapsed().as_secs_f64(),
        };
        outcome.cost_mut().get_or_insert(seconds);
        outcome
    }
}

//! Epochs spent, and the regret that they buy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use thrifty_study::{Context, History, HistoryView, Outcome, ReportError, StopReason, StopRule};

/// Points of the curves of regret.
pub const GRID: usize = 60;

/// Result of one study.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Done {
    /// Epochs until a measured loss was at or below the target; those of the budget where none was.
    pub needed: usize,
    pub trials: usize,
    pub pruned: usize,
    /// Regret after equal parts of the budget, NaN before the first measurement.
    #[serde(with = "crate::harness::runs::lossless_numbers")]
    pub regret: Vec<f64>,
}

/// Stops when the epochs are spent.
struct Spent {
    epochs: Arc<AtomicUsize>,
    budget: usize,
}

impl StopRule for Spent {
    fn check(&self, _: &dyn HistoryView) -> Option<StopReason> {
        let spent = self.epochs.load(Ordering::Relaxed);
        (spent >= self.budget).then_some(StopReason::Cost(spent as f64))
    }
}

/// Counts epochs and keeps the best loss of a whole trial.
pub struct Meter {
    spent: Arc<AtomicUsize>,
    budget: usize,
    target: f64,
    /// The least loss of all configurations.
    least: f64,
    best: f64,
    done: Done,
}

impl Meter {
    /// A meter of so many epochs, with the loss to reach and the least loss of all configurations.
    pub fn new(budget: usize, (target, least): (f64, f64)) -> Self {
        let done = Done { needed: budget, trials: 0, pruned: 0, regret: Vec::new() };
        Self { spent: Arc::default(), budget, target, least, best: f64::INFINITY, done }
    }

    /// The rule that stops a study when the epochs are spent.
    pub fn stop(&self) -> impl StopRule + 'static {
        Spent { epochs: Arc::clone(&self.spent), budget: self.budget }
    }

    /// Spends an epoch; false when there is none left.
    pub fn spend(&mut self, loss: f64, is_last: bool) -> bool {
        if self.spent.load(Ordering::Relaxed) == self.budget {
            return false;
        }
        let now = self.spent.fetch_add(1, Ordering::Relaxed) + 1;
        if is_last && loss < self.best {
            self.best = loss;
            if self.best <= self.target && self.done.needed == self.budget {
                self.done.needed = now;
            }
        }
        self.note(now);
        true
    }

    fn note(&mut self, now: usize) {
        if now.is_multiple_of((self.budget / GRID).max(1)) {
            let regret = if self.best.is_finite() { self.best - self.least } else { f64::NAN };
            self.done.regret.push(regret);
        }
    }

    /// A whole trial, epoch by epoch, unless the pruner of the study stops it.
    ///
    /// # Errors
    /// [`ReportError`] when the study is over.
    pub fn train(&mut self, curve: &[f64], context: &mut Context<'_>) -> Result<Outcome, ReportError> {
        for (step, loss) in (1..).zip(curve) {
            let is_last = step == curve.len() as u64;
            if !self.spend(*loss, is_last) {
                return Ok(context.pruned());
            }
            context.report(step, *loss)?;
            if !is_last && context.should_prune() {
                return Ok(context.pruned());
            }
        }
        Ok(curve.last().copied().unwrap_or(f64::NAN).into())
    }

    /// The result of a study. Epochs that were not spent leave the regret as it is.
    pub fn done<Q>(mut self, history: &History<Q>) -> Done {
        for now in self.spent.load(Ordering::Relaxed) + 1..=self.budget {
            self.note(now);
        }
        let pruned = |outcome: &Option<Outcome>| matches!(outcome, Some(Outcome::Pruned { .. }));
        self.done.trials = history.len();
        self.done.pruned = history.trials().iter().filter(|trial| pruned(&trial.outcome)).count();
        self.done
    }
}

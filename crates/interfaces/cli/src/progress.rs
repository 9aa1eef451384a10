//! Progress of a run: a bar on a terminal, a line per trial elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use thrifty_fidelity::FidelityAxis;
use thrifty_space::Config;
use thrifty_study::shared::LogError;
use thrifty_study::{Directions, Failure, History, Measurement, Observer, Outcome, StopReason, Trial};

use crate::message::say;
use crate::study_file::StudyFile;

/// Shows the trials as they end.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// The best loss.
    best: Option<f64>,
    directions: Directions,
    fidelity: Option<FidelityAxis>,
    done: u64,
    total: Option<u64>,
}

impl Progress {
    /// The progress after the trials of a history.
    pub(crate) fn new(history: &History<Config>, file: &StudyFile) -> Self {
        let total = file.stop.trials;
        let done = history.trials().iter().filter(|trial| trial.outcome.is_some()).count();
        let (done, total) = (done as u64, total.map(|total| total as u64));
        let best = history.best().map(|(_, loss)| loss);
        let (directions, fidelity) = (file.directions.clone(), file.fidelity.clone());
        let bar = std::io::stderr().is_terminal().then(|| {
            let (bar, form) = match total {
                Some(total) => (
                    ProgressBar::new(total),
                    "{wide_bar} {pos}/{len} trials, {elapsed} elapsed, {eta} left, {msg}",
                ),
                None => (ProgressBar::new_spinner(), "{spinner} {pos} trials, {elapsed} elapsed, {msg}"),
            };
            if let Ok(style) = ProgressStyle::with_template(form) {
                bar.set_style(style);
            }
            bar.set_position(done);
            bar
        });
        Self { bar, best, directions, fidelity, done, total }
    }

    /// Shows a line of text, above the bar if there is one.
    fn line(&self, text: String) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => say(text),
        }
    }
}

impl Observer<Config> for Progress {
    fn told(&mut self, trial: &Trial<Config>, outcome: &Outcome) {
        self.done += 1;
        let feasible = outcome.measurement().is_some_and(Measurement::is_feasible);
        let compares = feasible && self.fidelity.as_ref().is_none_or(|axis| axis.is_at_target(&trial.query));
        if let Some(value) = outcome.objective().filter(|_| compares) {
            self.best = Some(self.best.map_or(value, |best| best.min(value)));
        }
        let shown = |loss: f64| self.directions.first().flip(loss);
        let best =
            self.best.map_or_else(|| "no best yet".to_owned(), |best| format!("best {:?}", shown(best)));
        let ask = format!("ask {:.0} ms", 1e3 * trial.timing.ask);
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
            bar.set_message(format!("{best}, {ask}"));
            if let Outcome::Failed(failure) = outcome {
                bar.println(format!("trial {} failed: {failure}", trial.id.0));
            }
            return;
        }
        let result = match outcome {
            Outcome::Measured(measurement) => {
                match self.directions.flip(&measurement.objectives).as_slice() {
                    [objective] => format!("{objective:?}"),
                    objectives => format!("{objectives:?}"),
                }
            }
            Outcome::Failed(failure) => format!("failed: {failure}"),
            Outcome::Pruned { last_step, .. } => format!("pruned at step {last_step}"),
        };
        let of = self.total.map_or_else(String::new, |total| format!(" of {total}"));
        say(format_args!("trial {} ({}{of}): {result}, {best}, {ask}", trial.id.0, self.done));
    }

    fn retried(&mut self, trial: &Trial<Config>, failure: &Failure) {
        self.line(format!("trial {} failed and is tried again: {failure}", trial.id.0));
    }

    fn waiting(&mut self, error: &LogError, patience: Duration) {
        self.line(format!("{error}; trying again for {} s", patience.as_secs()));
    }

    fn stopped(&mut self, _: &StopReason) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

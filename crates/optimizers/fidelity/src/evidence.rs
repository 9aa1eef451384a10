//! Trials as observations at fidelities: intermediate reports count at their steps.

use thrifty_model_based::measurement;
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, Memo, Outcome, Trial};

use crate::FidelityAxis;

/// The trials of a history, each preceded by observations at some of its reports. A pruned trial is an observation at its last report.
///
/// Of a trial at most `count` reports are taken: those nearest to evenly spaced positions on the axis below the end of the trial. Reports of running
/// trials are not taken, as they depend on the clock. Nothing is taken where measurements have constraints or several
/// objectives, which reports have not.
pub(crate) fn observations(
    space: &Space,
    axis: &FidelityAxis,
    history: &History<Config>,
    count: usize,
) -> Vec<Trial<Config>> {
    let is_single = |m: &Measurement| m.objectives.len() == 1 && m.constraints.is_empty();
    let simple = history.trials().iter().filter_map(measurement).all(is_single);
    let mut found: Vec<Trial<Config>> = Vec::with_capacity(history.len());
    for trial in history.trials() {
        if simple && count > 0 && trial.outcome.is_some() {
            push_observations(space, axis, trial, count, &mut found);
        } else {
            found.push(trial.clone());
        }
    }
    found
}

/// A finite report at a fidelity that the space has.
struct Report {
    config: Config,
    step: u64,
    loss: f64,
    position: f64,
}

fn push_observations(
    space: &Space,
    axis: &FidelityAxis,
    trial: &Trial<Config>,
    count: usize,
    found: &mut Vec<Trial<Config>>,
) {
    let mut reports: Vec<Report> = Vec::new();
    for &(step, loss) in trial.reports.iter().filter(|report| report.1.is_finite()) {
        if reports.iter().any(|known| known.step == step) {
            continue;
        }
        if let Some(config) = axis.at(space, &trial.query, step) {
            reports.push(Report { config, step, loss, position: axis.position(step as f64) });
        }
    }
    let is_pruned = matches!(trial.outcome, Some(Outcome::Pruned { .. }));
    let end = axis.position(axis.value(&trial.query));
    // The measurement itself is no report.
    reports.retain(|report| is_pruned || report.position < end - 1e-9);
    let last = if is_pruned { reports.pop() } else { None };
    let spacing = 1.0 / count as f64;
    let mut taken: Vec<usize> = Vec::new();
    for j in 0..count {
        let to = |at: usize| (reports[at].position - j as f64 * spacing).abs();
        let nearest = (0..reports.len()).min_by(|a, b| to(*a).total_cmp(&to(*b)));
        if let Some(at) = nearest.filter(|at| to(*at) <= 0.5 * spacing && !taken.contains(at)) {
            taken.push(at);
        }
    }
    let cost = trial.outcome.as_ref().and_then(Outcome::measurement).and_then(|m| m.cost);
    for at in taken {
        let share = reports[at].step as f64 / axis.value(&trial.query);
        found.push(observation(trial, &reports[at], cost.map(|cost| cost * share), found));
    }
    match last {
        Some(report) => {
            let memo = trial.memo.clone();
            found.push(Trial { memo, ..observation(trial, &report, None, found) });
        }
        None => found.push(trial.clone()),
    }
}

/// An observation at a report; unrelated to the model where the same point was observed before, as by a trial that this one continues.
fn observation(
    trial: &Trial<Config>,
    report: &Report,
    cost: Option<f64>,
    found: &[Trial<Config>],
) -> Trial<Config> {
    let is_known = found.iter().any(|known| known.query == report.config && known.outcome.is_some());
    let outcome = if is_known {
        Outcome::unrelated("observed before")
    } else {
        Measurement { cost, ..Measurement::from(report.loss) }.into()
    };
    Trial {
        query: report.config.clone(),
        memo: Memo::default(),
        reports: Vec::new(),
        outcome: Some(outcome),
        ..trial.clone()
    }
}

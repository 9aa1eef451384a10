//! Fidelities that evaluations reached, and points as keys.

use std::collections::HashMap;

use thrifty_domain::Points;
use thrifty_model_based::{measurement, points_of};
use thrifty_space::{Config, Space};
use thrifty_study::{History, OptimizerError, Outcome, Trial};

use crate::FidelityAxis;

/// The coordinates of a point as a map key; equal points have equal keys.
pub(crate) fn key(x: &[f64]) -> Vec<u64> {
    // Maps negative zero to zero.
    x.iter().map(|value| (value + 0.0).to_bits()).collect()
}

/// The configuration of a trial, with the fidelity up to which it was evaluated. For a measured trial this is its own fidelity. For a
/// pruned trial it is that of its last report, if reports are at steps of the fidelity. `None` if no evaluation can continue the trial.
fn reached(space: &Space, axis: &FidelityAxis, trial: &Trial<Config>, has_steps: bool) -> Option<Config> {
    if measurement(trial).is_some() {
        return Some(trial.query.clone());
    }
    if !has_steps || !matches!(trial.outcome, Some(Outcome::Pruned { .. })) {
        return None;
    }
    let mut finite = trial.reports.iter().rev().filter(|report| report.1.is_finite());
    finite.find_map(|(step, _)| axis.at(space, &trial.query, *step))
}

/// Points up to which trials were evaluated, for trials that can be continued. `has_steps` is true if reports are at steps of the fidelity.
///
/// # Errors
/// [`OptimizerError`] names a trial whose query is not of the space.
pub(crate) fn reached_points(
    space: &Space,
    axis: &FidelityAxis,
    history: &History<Config>,
    has_steps: bool,
) -> Result<Points, OptimizerError> {
    let of = |trial: &Trial<Config>| {
        Some(Trial {
            query: reached(space, axis, trial, has_steps)?,
            ..Trial::new(trial.id, Config::new(), None)
        })
    };
    let reached: Vec<Trial<Config>> = history.trials().iter().filter_map(of).collect();
    points_of(space, &reached)
}

/// The history with the points that must not be asked again. A pruned trial that can be continued has the point that it reached, not the
/// point that was asked. A point that was asked more than once is not asked again either; otherwise a pruner could stop it forever.
///
/// # Errors
/// As [`reached_points`].
pub(crate) fn evaluated(
    space: &Space,
    axis: &FidelityAxis,
    history: &History<Config>,
) -> Result<History<Config>, OptimizerError> {
    let keys: Vec<Vec<u64>> = points_of(space, history.trials())?.rows().map(key).collect();
    let mut times: HashMap<&[u64], usize> = HashMap::new();
    keys.iter().for_each(|key| *times.entry(key).or_default() += 1);
    let mut trials = Vec::with_capacity(history.len());
    for (trial, key) in history.trials().iter().zip(&keys) {
        let is_measured = measurement(trial).is_some();
        let reached = reached(space, axis, trial, true).filter(|_| !is_measured);
        if reached.is_none() || times[&key[..]] > 1 {
            trials.push(trial.clone());
        }
        trials.extend(reached.map(|query| Trial { query, ..trial.clone() }));
    }
    Ok(History::from_trials(trials, history.seed()))
}

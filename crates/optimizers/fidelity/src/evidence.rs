//! Trials as observations at fidelities: intermediate reports count at their steps.

use std::collections::{HashMap, HashSet};

use thrifty_model_based::{ended_without_loss, expected_noise, measurement};
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, Memo, Outcome, Trial};

use crate::FidelityAxis;
use crate::reached::key;

/// The trials of a history, each preceded by observations at some of its reports. A pruned trial is an observation at its last report.
///
/// If a step was reported more than once, its last value counts. At most `count` reports of a trial are used: those nearest to evenly
/// spaced positions on the axis, at least half a spacing below its end. Reports of running trials are not used, as they depend on the
/// clock. No reports are used if measurements have constraints or several objectives, since reports have neither.
///
/// A report has the noise variance of the measurement of its trial. For a pruned or failed trial this is the median of the variances of all
/// measurements.
pub(crate) fn observations(
    space: &Space,
    axis: &FidelityAxis,
    history: &History<Config>,
    count: usize,
) -> Vec<Trial<Config>> {
    let is_single = |m: &Measurement| m.objectives.len() == 1 && m.constraints.is_empty();
    let simple = history.trials().iter().filter_map(measurement).all(is_single);
    let measured = history.trials().iter().filter_map(measurement);
    let told: Vec<f64> = measured.map(|m| m.noise_variance.unwrap_or(0.0)).collect();
    let mut found = Found {
        space,
        trials: Vec::with_capacity(history.len()),
        seen: HashMap::new(),
        noise_variance: expected_noise(&told),
    };
    for trial in history.trials() {
        if simple && count > 0 && trial.outcome.is_some() {
            push_observations(axis, trial, count, &mut found);
        } else {
            found.push(trial.clone());
        }
    }
    found.trials
}

/// Observations collected so far.
struct Found<'a> {
    space: &'a Space,
    trials: Vec<Trial<Config>>,
    /// Observations by the [key] of their point.
    seen: HashMap<Vec<u64>, Seen>,
    /// Noise variance of a report of a trial without a measurement.
    noise_variance: f64,
}

/// Observations at one point.
#[derive(Default)]
struct Seen {
    is_measured: bool,
    /// Indices of those that ended without a loss.
    failed: Vec<usize>,
}

impl Found<'_> {
    fn push(&mut self, trial: Trial<Config>) {
        // A query that is not of the space has no point; the fit rejects it later.
        if let Ok(x) = self.space.encode(&trial.query) {
            let seen = self.seen.entry(key(&x)).or_default();
            seen.is_measured |= measurement(&trial).is_some();
            if ended_without_loss(&trial) {
                seen.failed.push(self.trials.len());
            }
        }
        self.trials.push(trial);
    }

    /// Appends the observation at a report. If the same point was observed before, for example by a trial that this one continues, the
    /// report becomes unrelated. A failure at this point also becomes unrelated, since its imputed loss would contradict the observation.
    fn push_report(&mut self, trial: &Trial<Config>, report: Report, (cost, memo): (Option<f64>, Memo)) {
        let seen = self.space.encode(&report.config).ok().and_then(|x| self.seen.get_mut(&key(&x)));
        let (is_known, failed) =
            seen.map_or((false, Vec::new()), |seen| (seen.is_measured, std::mem::take(&mut seen.failed)));
        for at in failed {
            self.trials[at].outcome = Some(Outcome::unrelated("observed since"));
        }
        let outcome = if is_known {
            Outcome::unrelated("observed before")
        } else {
            let told = match measurement(trial) {
                Some(measured) => measured.noise_variance,
                None => Some(self.noise_variance).filter(|variance| *variance > 0.0),
            };
            Measurement { cost, noise_variance: told, ..Measurement::from(report.loss) }.into()
        };
        self.push(Trial {
            query: report.config,
            memo,
            reports: Vec::new(),
            outcome: Some(outcome),
            ..trial.clone()
        });
    }
}

/// A finite report at a fidelity that the space has.
#[derive(Clone)]
struct Report {
    config: Config,
    step: u64,
    loss: f64,
    position: f64,
}

fn push_observations(axis: &FidelityAxis, trial: &Trial<Config>, count: usize, found: &mut Found<'_>) {
    let (mut reports, mut steps) = (Vec::new(), HashSet::new());
    // In reverse, since the last value of a step counts.
    for &(step, loss) in trial.reports.iter().rev().filter(|report| report.1.is_finite()) {
        if !steps.insert(step) {
            continue;
        }
        if let Some(config) = axis.at(found.space, &trial.query, step) {
            reports.push(Report { config, step, loss, position: axis.position(step as f64) });
        }
    }
    reports.reverse();
    let is_pruned = matches!(trial.outcome, Some(Outcome::Pruned { .. }));
    let end = axis.position(axis.value(&trial.query));
    let last = if is_pruned { reports.pop() } else { None };
    let end = last.as_ref().map_or(end, |report| report.position);
    let spacing = 1.0 / count as f64;
    // A report close to the end adds nothing to the measurement there.
    reports.retain(|report| report.position < end - 0.5 * spacing - 1e-9);
    let mut taken: Vec<usize> = Vec::new();
    for j in 0..count {
        let to = |at: usize| (reports[at].position - j as f64 * spacing).abs();
        let nearest = (0..reports.len()).min_by(|a, b| to(*a).total_cmp(&to(*b)));
        if let Some(at) = nearest.filter(|at| to(*at) <= 0.5 * spacing && !taken.contains(at)) {
            taken.push(at);
        }
    }
    // Cost, and the steps that it paid for. The number of steps of a failed trial is not known.
    let (cost, steps) = match (&trial.outcome, &last) {
        (Some(Outcome::Pruned { cost, .. }), Some(last)) => (*cost, last.step as f64),
        (Some(Outcome::Measured(measured)), _) => (measured.cost, axis.value(&trial.query)),
        _ => (None, f64::NAN),
    };
    for at in taken {
        let share = reports[at].step as f64 / steps;
        found.push_report(trial, reports[at].clone(), (cost.map(|cost| cost * share), Memo::default()));
    }
    match last {
        Some(report) => found.push_report(trial, report, (cost, trial.memo.clone())),
        None => found.push(trial.clone()),
    }
}

#[cfg(test)]
mod tests {

    use thrifty_sampling::Seed;
    use thrifty_study::TrialId;

    use super::*;

    fn space() -> Space {
        Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 64).build().unwrap()
    }

    /// A trial with a report of `1 / step` at every step up to `last`.
    fn trial(x: f64, epochs: i64, last: u64, outcome: Option<Outcome>) -> Trial<Config> {
        let mut query = Config::new();
        query.insert("x", x);
        query.insert("epochs", epochs);
        Trial {
            reports: (1..=last).map(|step| (step, 1.0 / step as f64)).collect(),
            ..Trial::new(TrialId(0), query, outcome)
        }
    }

    /// Epochs and losses of what a model sees of some trials, those without a measurement apart.
    fn seen(trials: Vec<Trial<Config>>, count: usize) -> Vec<(i64, f64)> {
        let axis = FidelityAxis::new(&space(), "epochs").unwrap();
        let history = History::from_trials(trials, Seed(0));
        let of = |trial: Trial<Config>| Some((trial.query.int("epochs").ok()?, trial.outcome?.objective()?));
        observations(&space(), &axis, &history, count).into_iter().filter_map(of).collect()
    }

    /// Positions 0, 1/3, 2/3 of the logarithmic axis from 1 to 64 are 1, 4 and 16; the measurement at the end is no report.
    #[test]
    fn reports_are_thinned_evenly_on_the_axis() {
        let all = seen(vec![trial(0.5, 64, 64, Some(0.01.into()))], 3);
        assert_eq!(all, [(1, 1.0), (4, 0.25), (16, 1.0 / 16.0), (64, 0.01)]);
        assert_eq!(seen(vec![trial(0.5, 9, 9, Some(0.1.into()))], 3), [(1, 1.0), (4, 0.25), (9, 0.1)]);
        assert_eq!(seen(vec![trial(0.5, 9, 9, Some(0.1.into()))], 0), [(9, 0.1)]);
        assert_eq!(seen(vec![trial(0.5, 9, 0, Some(0.1.into()))], 3), [(9, 0.1)]);
    }

    /// A single report counts wherever it is, half way between two even positions included. Within half a spacing of the end it
    /// repeats the end.
    #[test]
    fn a_single_report_counts_wherever_it_is() {
        let space = Space::builder().float("x", 0.0, 1.0).int("epochs", 1, 9).build().unwrap();
        let axis = FidelityAxis::new(&space, "epochs").unwrap();
        for step in 1..=9 {
            let mut trial = trial(0.5, 9, 0, Some(0.1.into()));
            trial.reports = vec![(step, 0.5)];
            let history = History::from_trials(vec![trial], Seed(0));
            let found = observations(&space, &axis, &history, 2);
            // Two positions, 1 and 5: half a spacing is two epochs.
            assert_eq!(found.len(), if step < 7 { 2 } else { 1 }, "{step}");
        }
    }

    /// A pruned trial counts at its last report. Reports of running trials, and steps off the axis, do not count.
    #[test]
    fn pruned_and_running_trials() {
        let pruned = |last| Some(Outcome::pruned(last));
        assert_eq!(seen(vec![trial(0.5, 64, 5, pruned(5))], 2), [(1, 1.0), (5, 0.2)]);
        assert!(seen(vec![trial(0.5, 64, 0, pruned(0))], 3).is_empty());
        assert!(seen(vec![trial(0.5, 64, 9, None)], 3).is_empty());
        let mut odd = trial(0.5, 2, 0, Some(0.3.into()));
        odd.reports = vec![(0, 5.0), (1, f64::NAN), (90, 7.0)];
        assert_eq!(seen(vec![odd], 3), [(2, 0.3)]);
        // A failed trial has reports all the same.
        assert_eq!(seen(vec![trial(0.5, 64, 4, Some(Outcome::failed("late")))], 3), [(1, 1.0), (4, 0.25)]);
    }

    /// The last value of a step that was reported twice, at the end of a pruned trial and before it.
    #[test]
    fn the_last_value_of_a_step_counts() {
        for (reports, expected) in [
            (vec![(1, 0.9), (5, 0.5), (5, 0.4)], [(1, 0.9), (5, 0.4)]),
            (vec![(1, 0.9), (1, 0.8), (5, 0.5)], [(1, 0.8), (5, 0.5)]),
        ] {
            let mut twice = trial(0.5, 64, 0, Some(Outcome::pruned(5)));
            twice.reports = reports;
            assert_eq!(seen(vec![twice], 2), expected, "the last value counts");
        }
    }

    /// Costs of observations at reports: the share of the trial's cost that its steps are of its epochs, none where it has none. What was
    /// measured keeps its cost.
    #[test]
    fn reports_cost_their_share_of_the_trial() {
        let axis = FidelityAxis::new(&space(), "epochs").unwrap();
        let costs = |last: u64, outcome: Outcome| -> Vec<Option<f64>> {
            let history = History::from_trials(vec![trial(0.5, 64, last, Some(outcome))], Seed(0));
            let of = |trial: Trial<Config>| trial.outcome.and_then(|outcome| outcome.cost());
            observations(&space(), &axis, &history, 3).into_iter().map(of).collect()
        };
        let measured = Outcome::from(0.01);
        let all = costs(64, measured.clone().with_cost(8.0));
        assert_eq!(all, [0.125, 0.5, 2.0, 8.0].map(Some), "steps 1, 4, 16 and 64 of 64");
        assert_eq!(costs(64, measured), [None; 4], "no costs");
        let pruned = costs(16, Outcome::pruned(16).with_cost(2.0));
        assert_eq!(pruned, [0.125, 0.5, 2.0].map(Some), "steps 1, 4 and 16 of the 16 that were paid for");
        // Which steps a failed trial has paid for is not known; what it cost at the end is.
        let failed = costs(16, Outcome::failed("late").with_cost(2.0));
        assert_eq!(failed, [None, None, None, Some(2.0)]);
    }

    /// A report is as uncertain as the measurement of its trial; that of a pruned trial as the median measurement. Without told noise none is.
    #[test]
    fn reports_have_the_noise_of_their_trial() {
        let axis = FidelityAxis::new(&space(), "epochs").unwrap();
        let noisy = |x: f64, noise_variance: Option<f64>| {
            let measured = Measurement { noise_variance, ..Measurement::from(0.01) };
            trial(x, 64, 64, Some(measured.into()))
        };
        let noise = |trials: Vec<Trial<Config>>| -> Vec<Option<f64>> {
            let history = History::from_trials(trials, Seed(0));
            let of = |trial: Trial<Config>| measurement(&trial).unwrap().noise_variance;
            observations(&space(), &axis, &history, 1).into_iter().map(of).collect()
        };
        let trials = vec![
            noisy(0.1, Some(0.5)),
            noisy(0.2, Some(3.0)),
            noisy(0.3, Some(2.0)),
            trial(0.4, 64, 16, Some(Outcome::pruned(16))),
        ];
        assert_eq!(noise(trials), [0.5, 0.5, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0].map(Some));
        let trials = vec![noisy(0.1, None), trial(0.4, 64, 16, Some(Outcome::pruned(16)))];
        assert_eq!(noise(trials), [None; 4]);
    }

    /// A point that an earlier trial observed is not observed again by one that continues it. One that still runs has observed nothing.
    #[test]
    fn a_point_counts_once() {
        let trials = vec![trial(0.5, 4, 4, Some(0.25.into())), trial(0.5, 64, 64, Some(0.01.into()))];
        assert_eq!(seen(trials, 3), [(1, 1.0), (4, 0.25), (16, 1.0 / 16.0), (64, 0.01)]);
        let trials = vec![trial(0.5, 4, 4, None), trial(0.5, 64, 64, Some(0.01.into()))];
        assert_eq!(
            seen(trials, 3),
            [(1, 1.0), (4, 0.25), (16, 1.0 / 16.0), (64, 0.01)],
            "the first one runs"
        );
    }

    /// An evaluation that failed observed nothing: the report of a later one counts, and the loss that would stand for the failure does not.
    #[test]
    fn failed_evaluations_observe_nothing() {
        for failed in [Outcome::unrelated("machine down"), Outcome::failed("diverged")] {
            let trials =
                || vec![trial(0.5, 4, 0, Some(failed.clone())), trial(0.5, 64, 64, Some(0.01.into()))];
            assert_eq!(seen(trials(), 3), [(1, 1.0), (4, 0.25), (16, 1.0 / 16.0), (64, 0.01)]);
            let axis = FidelityAxis::new(&space(), "epochs").unwrap();
            let found = observations(&space(), &axis, &History::from_trials(trials(), Seed(0)), 3);
            assert!(found[0].outcome.as_ref().is_some_and(Outcome::is_unrelated), "{:?}", found[0].outcome);
        }
    }

    /// Reports have no constraints and one objective: with others nothing is taken.
    #[test]
    fn reports_of_other_shapes_are_not_taken() {
        let constrained = Measurement { constraints: vec![-1.0], ..Measurement::from(0.1) };
        assert_eq!(seen(vec![trial(0.5, 9, 9, Some(constrained.into()))], 3), [(9, 0.1)]);
    }
}

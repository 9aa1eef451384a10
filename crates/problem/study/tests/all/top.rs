//! The best trials of a history, and stopping when they get no better.

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_study::{
    Ask, Fingerprint, History, MaxTrials, Measurement, Optimizer, OptimizerError, Outcome, Patience,
    StopReason, Study, Suggestion, Trial, TrialId,
};

fn history(outcomes: Vec<Option<Outcome>>) -> History<usize> {
    let trial = |(query, outcome)| Trial::new(TrialId(0), query, outcome);
    History::from_trials(outcomes.into_iter().enumerate().map(trial).collect(), Seed(0))
}

#[allow(clippy::unnecessary_wraps)] // the type of the outcome of a trial
fn constrained(objective: f64, constraint: f64) -> Option<Outcome> {
    Some(Measurement { constraints: vec![constraint], ..Measurement::from(objective) }.into())
}

#[test]
fn infeasible_failed_and_running_trials_are_not_among_the_best() {
    let history = history(vec![
        constrained(3.0, 0.0),
        constrained(1.0, 0.1),
        Some(Outcome::failed("no")),
        None,
        constrained(2.0, -1.0),
        constrained(3.0, -1.0),
    ]);
    let top = |count| history.top(count).iter().map(|(trial, loss)| (trial.query, *loss)).collect::<Vec<_>>();
    assert_eq!(top(0), []);
    assert_eq!(top(2), [(4, 2.0), (0, 3.0)]);
    assert_eq!(top(9), [(4, 2.0), (0, 3.0), (5, 3.0)]);
}

/// Suggests the number of the trial.
struct Count;

impl Optimizer for Count {
    type Query = u64;
    type Recommendation = ();

    fn ask(&mut self, _: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(id.0)))
    }

    fn recommend(&mut self, _: &History<u64>) -> Result<Option<()>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("count"))
    }
}

fn run(losses: Vec<Outcome>, patience: Patience) -> StopReason {
    let limit = losses.len();
    let mut study = Study::new(Count, Seed(0)).with_stop(patience).with_stop(MaxTrials(limit));
    study.run(move |query, _| losses[*query as usize].clone()).unwrap()
}

#[test]
fn a_study_stops_when_nothing_better_comes() {
    let losses = |values: &[f64]| values.iter().map(|value| Outcome::from(*value)).collect::<Vec<_>>();
    let patience = Patience { trials: 3, min_gain: 0.0 };
    let found = run(losses(&[5.0, 4.0, 4.0, 4.5, 4.0, 1.0]), patience);
    assert_eq!(found, StopReason::Stagnated { trials: 3, best: 4.0 });
    assert_eq!(run(losses(&[5.0, 4.0, 4.5, 4.5, 3.0, 3.5]), patience), StopReason::Trials(6));
    // An improvement of at most the least gain does not count.
    let slow = Patience { trials: 2, min_gain: 0.5 };
    assert_eq!(run(losses(&[5.0, 4.5, 4.5, 0.0]), slow), StopReason::Stagnated { trials: 2, best: 4.5 });
    assert_eq!(run(losses(&[5.0, 4.75, 4.25, 0.0]), slow), StopReason::Trials(4));
}

#[test]
fn failures_are_not_counted_and_infeasible_trials_are_never_the_best() {
    let failed = || Outcome::failed("no");
    let patience = Patience { trials: 2, min_gain: 0.0 };
    let losses = vec![1.0.into(), failed(), failed(), failed(), 0.5.into()];
    assert_eq!(run(losses, patience), StopReason::Trials(5));
    assert_eq!(run(vec![failed(); 5], patience), StopReason::Trials(5));
    let broken = |loss: f64| constrained(loss, 1.0).unwrap();
    let kept = constrained(9.0, 0.0).unwrap();
    let losses = vec![kept, broken(2.0), broken(1.0), broken(0.0)];
    assert_eq!(run(losses, patience), StopReason::Stagnated { trials: 2, best: 9.0 });
}

#[test]
fn patience_that_makes_no_sense_is_refused() {
    for (trials, min_gain) in [(0, 0.0), (3, -1.0), (3, f64::NAN), (3, f64::INFINITY)] {
        let mut study = Study::new(Count, Seed(0)).with_stop(Patience { trials, min_gain });
        let error = study.run(|_, _| 1.0).unwrap_err().to_string();
        assert!(error.contains("Patience"), "{error}");
    }
}

proptest! {
    #[test]
    fn the_best_come_first_and_none_is_left_out(losses in prop::collection::vec(-5..5_i32, 0..30), count in 0_usize..35) {
        let history = history(losses.iter().map(|loss| Some(f64::from(*loss).into())).collect());
        let top = history.top(count);
        prop_assert_eq!(top.len(), count.min(losses.len()));
        prop_assert!(top.windows(2).all(|pair| (pair[0].1, pair[0].0.id) < (pair[1].1, pair[1].0.id)));
        let worst = top.last().map_or(f64::NEG_INFINITY, |(_, loss)| *loss);
        let better = losses.iter().filter(|loss| f64::from(**loss) < worst).count();
        prop_assert!(better < count.max(1));
        prop_assert_eq!(history.top(1).first().map(|(trial, _)| trial.id), history.best().map(|(trial, _)| trial.id));
    }
}

//! Laws of outcomes and stop rules, on views of a study that no study has to make.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use thrifty_study::{
    All, Any, EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, Failure, FailureReason, History, HistoryView,
    MaxCost, MaxTrials, Measurement, MeasurementProblem, Memo, NoImprovement, Outcome, StopReason, StopRule,
    Target, Timing, Trial, TrialId, WallTime,
};

#[derive(Default)]
struct View {
    asked: usize,
    outcomes: Vec<Outcome>,
    memos: Vec<Memo>,
    elapsed: Duration,
}

impl HistoryView for View {
    fn asked(&self) -> usize {
        self.asked
    }
    fn outcomes(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_> {
        Box::new(self.outcomes.iter())
    }
    fn memos(&self) -> Box<dyn DoubleEndedIterator<Item = &Memo> + '_> {
        Box::new(self.memos.iter())
    }
    fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_> {
        static NONE: BTreeMap<String, f64> = BTreeMap::new();
        Box::new(self.memos.iter().map(|_| &NONE))
    }
    fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

fn costing(objective: f64, cost: Option<f64>) -> Outcome {
    Outcome::from(Measurement { cost, ..Measurement::from(objective) })
}

fn expectations(values: &[Option<f64>]) -> Vec<Memo> {
    let memo = |value: &Option<f64>| {
        let mut memo = Memo::default();
        value.iter().for_each(|value| memo.set(&EXPECTED_IMPROVEMENT, value));
        memo
    };
    values.iter().map(memo).collect()
}

/// Rules of no improvement that ask for none: there is nothing that all of them could be, and the study goes on.
#[test]
fn no_expectation_at_all_is_no_reason_to_stop() {
    let outcomes = [4.0, 1.0].map(Outcome::from).to_vec();
    let view = View { outcomes, memos: expectations(&[Some(1e-9)]), ..View::default() };
    let rule = |times: usize| NoImprovement { epsilon: 0.5, times }.check(&view);
    assert_eq!(rule(0), None, "none is asked for");
    assert_eq!(rule(1), Some(StopReason::NoImprovement { expected: 1e-9, threshold: 1.5 }));
    assert_eq!(rule(2), None, "two are asked for and there is one");
}

/// Expected improvements in units of a model are compared with the range in the same units; others with the range of the objective.
#[test]
fn improvements_are_compared_in_their_own_units() {
    let outcomes = [4e6, 1e6].map(Outcome::from).to_vec();
    let mut memos = expectations(&[Some(0.5), Some(0.2)]);
    memos[1].set(&EXPECTED_IMPROVEMENT_RANGE, &3.0);
    let view = View { outcomes, memos, ..View::default() };
    let rule = |epsilon: f64, times: usize| NoImprovement { epsilon, times }.check(&view);
    assert_eq!(rule(0.0625, 1), None);
    let stopped = Some(StopReason::NoImprovement { expected: 0.2, threshold: 0.375 });
    assert_eq!((rule(0.125, 1), rule(0.125, 2)), (stopped.clone(), stopped));
}

proptest! {
    /// Spent cost is the sum of the reported costs, whatever came of the trials.
    #[test]
    fn costs_add_up(
        costs in prop::collection::vec((prop::option::of(0.0..10.0_f64), 0_u8..4), 0..12),
        limit in 0.0..40.0_f64,
    ) {
        let kinds = || [1.0.into(), Outcome::failed("no"), Outcome::unrelated("no"), Outcome::pruned(3)];
        let outcome = |(cost, kind): &(Option<f64>, u8)| kinds()[*kind as usize].clone().with_cost(*cost);
        let outcomes: Vec<Outcome> = costs.iter().map(outcome).collect();
        prop_assert!(outcomes.iter().zip(&costs).all(|(outcome, (cost, _))| outcome.cost() == *cost));
        let spent: f64 = costs.iter().filter_map(|(cost, _)| *cost).sum();
        let reason = MaxCost(limit).check(&View { outcomes, ..View::default() });
        prop_assert_eq!(reason, (spent >= limit).then_some(StopReason::Cost(spent)));
    }

    /// The last expectations are all below the threshold, as many as are asked for; trials without one are left out.
    #[test]
    fn improvements_have_to_be_small_again_and_again(
        values in prop::collection::vec(prop::option::of(0.0..1.0_f64), 0..10),
        epsilon in 0.0..0.3_f64,
        times in 1_usize..4,
    ) {
        let outcomes = [4.0, 1.0, 3.0].map(Outcome::from).to_vec();
        let view = View { outcomes, memos: expectations(&values), ..View::default() };
        let told: Vec<f64> = values.iter().rev().flatten().copied().collect();
        let threshold = epsilon * 3.0;
        let small = told.len() >= times && told[..times].iter().all(|value| *value < threshold);
        let expected = small.then(|| StopReason::NoImprovement { expected: told[0], threshold });
        prop_assert_eq!(NoImprovement { epsilon, times }.check(&view), expected);
    }

    /// Any of some rules stops with the first that does, all of them with every reason.
    #[test]
    fn rules_combine_by_or_and_and(limits in prop::collection::vec(0_usize..6, 0..5), asked in 0_usize..6) {
        let view = View { asked, ..View::default() };
        let rules = || limits.iter().map(|limit| Box::new(MaxTrials(*limit)) as Box<dyn StopRule>).collect::<Vec<_>>();
        let met: Vec<StopReason> = limits.iter().filter(|limit| asked >= **limit).map(|l| StopReason::Trials(*l)).collect();
        prop_assert_eq!(Any(rules()).check(&view), met.first().cloned());
        let all = (!limits.is_empty() && met.len() == limits.len()).then_some(StopReason::All(met));
        prop_assert_eq!(All(rules()).check(&view), all);
    }

    /// A measurement is kept if all of it is finite and cost and noise are not negative; else the first thing that is wrong is named.
    #[test]
    fn what_is_wrong_with_a_measurement_is_named_first(
        kinds in prop::collection::vec(0_u8..4, 3),
        costs in prop::collection::vec(0_u8..4, 2),
    ) {
        let value = |kind: u8| [1.5, f64::NAN, f64::INFINITY, -2.0][kind as usize];
        let [a, b, c] = [kinds[0], kinds[1], kinds[2]].map(value);
        let (cost, noise) = (value(costs[0]), value(costs[1]));
        let measurement = Measurement { objectives: vec![a, b], constraints: vec![c], cost: Some(cost), noise_variance: Some(noise) };
        let first = [("objective 0", a), ("objective 1", b), ("constraint 0", c)].into_iter().find(|(_, v)| !v.is_finite());
        let negative = [("cost", cost), ("noise variance", noise)].into_iter().find(|(_, v)| !(v.is_finite() && *v >= 0.0));
        // A failure costs what its measurement did, unless that is wrong too.
        let valid = (cost.is_finite() && cost >= 0.0).then_some(cost);
        let failed = |reason| Outcome::Failed(Failure { reason, cost: valid });
        let expected = match (first, negative) {
            (Some((what, value)), _) => {
                failed(FailureReason::NonFinite { what: what.into(), value: value.to_string() })
            }
            (None, Some((what, value))) => {
                let problem = MeasurementProblem::Negative { what: what.into(), value: value.to_string() };
                failed(FailureReason::Invalid(problem))
            }
            (None, None) => Outcome::Measured(measurement.clone()),
        };
        prop_assert_eq!(Outcome::from(measurement).checked(), expected);
    }

    /// Losses, the best and its trial are those of the measured trials; of equals the first.
    #[test]
    fn histories_count_their_trials(losses in prop::collection::vec(prop::option::of(prop::option::of(0_u8..4)), 0..12)) {
        let trial = |loss: &Option<Option<u8>>| Trial {
            id: TrialId(99),
            query: 0.0,
            diagnostics: BTreeMap::new(),
            memo: Memo::default(),
            reports: vec![],
            // Running, failed or measured.
            outcome: loss.map(|loss| loss.map_or_else(|| Outcome::failed("no"), |loss| Outcome::from(f64::from(loss)))),
            timing: Timing::default(),
        };
        let history = History::from_trials(losses.iter().map(trial).collect(), thrifty_sampling::Seed(0));
        let ids: Vec<u64> = history.trials().iter().map(|trial| trial.id.0).collect();
        prop_assert_eq!(&ids, &(0..losses.len() as u64).collect::<Vec<_>>());
        prop_assert_eq!((history.len(), history.is_empty()), (losses.len(), losses.is_empty()));
        let numbers = |keep: &dyn Fn(&Option<Option<u8>>) -> bool| -> Vec<u64> {
            losses.iter().zip(0..).filter(|(loss, _)| keep(loss)).map(|(_, id)| id).collect()
        };
        let of = |trials: Vec<&Trial<f64>>| -> Vec<u64> { trials.iter().map(|trial| trial.id.0).collect() };
        prop_assert_eq!(of(history.pending().collect()), numbers(&|loss| loss.is_none()));
        prop_assert_eq!(of(history.unsuccessful().collect()), numbers(&|loss| *loss == Some(None)));
        prop_assert_eq!(of(history.measured().map(|(trial, _)| trial).collect()), numbers(&|loss| loss.flatten().is_some()));
        let best = (0..losses.len()).filter(|i| losses[*i].flatten().is_some()).min_by_key(|i| losses[*i].flatten());
        prop_assert_eq!(history.best().map(|(trial, _)| trial.id.0), best.map(|i| i as u64));
        prop_assert!(history.get(TrialId(losses.len() as u64)).is_none());
        prop_assert!((0..losses.len() as u64).all(|id| history.get(TrialId(id)).is_some_and(|trial| trial.id.0 == id)));
    }
}

#[test]
fn limits_are_met_at_equality() {
    let view = View {
        asked: 4,
        outcomes: vec![
            Outcome::failed("no"),
            costing(2.0, Some(3.0)),
            costing(1.0, None),
            costing(0.5, Some(0.5)),
        ],
        elapsed: Duration::from_secs(7),
        ..View::default()
    };
    assert_eq!(MaxTrials(4).check(&view), Some(StopReason::Trials(4)));
    assert_eq!(MaxTrials(5).check(&view), None);
    assert_eq!(WallTime(Duration::from_secs(7)).check(&view), Some(StopReason::WallTime(7.0)));
    assert_eq!(WallTime(Duration::from_millis(7001)).check(&view), None);
    assert_eq!(MaxCost(3.5).check(&view), Some(StopReason::Cost(3.5)));
    assert_eq!(MaxCost(3.6).check(&view), None);
    // The first loss that reaches it, not the least.
    assert_eq!(Target(1.0).check(&view), Some(StopReason::Target(1.0)));
    assert_eq!(Target(0.4).check(&view), None);
}

#[test]
fn rules_that_make_no_sense_are_named() {
    for (rule, name) in [
        (&MaxCost(-1.0) as &dyn StopRule, "MaxCost"),
        (&MaxCost(f64::NAN), "MaxCost"),
        (&Target(f64::NAN), "Target"),
        (&NoImprovement { epsilon: -0.1, times: 1 }, "epsilon"),
        (&NoImprovement { epsilon: 0.1, times: 0 }, "times"),
        (&Any(vec![Box::new(MaxTrials(1)), Box::new(Target(f64::NAN))]), "Target"),
        (&All(vec![Box::new(MaxTrials(1)), Box::new(MaxCost(-1.0))]), "MaxCost"),
    ] {
        let error = rule.validate().unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let rules: [&dyn StopRule; 4] =
        [&MaxCost(0.0), &Target(f64::NEG_INFINITY), &NoImprovement { epsilon: 0.0, times: 1 }, &MaxTrials(0)];
    assert!(rules.iter().all(|rule| rule.validate().is_ok()));
}

/// Only what is broken adds up, and nothing is broken where a measurement is feasible.
#[test]
fn a_violation_is_what_is_broken() {
    let of =
        |constraints: &[f64]| Measurement { constraints: constraints.to_vec(), ..Measurement::from(1.0) };
    for (constraints, violation) in
        [(&[][..], 0.0), (&[-1.0, 0.0], 0.0), (&[0.5, -3.0, 0.25], 0.75), (&[1e-300, -1e300], 1e-300)]
    {
        let found = of(constraints);
        assert_eq!(
            (found.violation(), found.is_feasible()),
            (violation, violation == 0.0),
            "{constraints:?}"
        );
    }
}

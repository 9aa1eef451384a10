//! Turns with one objective: numbers that a suggestion reports, the outlook, restarts, suggestions at other points.

use std::collections::BTreeMap;

use thrifty_acquisition::{AcquisitionFactory, AcquisitionKind, Schedule};
use thrifty_bo::{
    BayesianOptimizer, BoSettings, Candidate, Convergence, CostAwareness, FailurePolicy, InitialDesign,
    Maximizer, PendingPolicy,
};
use thrifty_model_based::{ModelBased, Modelled, Outlook, Turn, front};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, History, MaxTrials, Measurement, MemoKey, Optimizer, Outcome,
    PrunedAs, PrunedPolicy, StopReason, Study, Suggestion, Trial, TrialId,
};
use thrifty_surrogate::Prediction;

const POINTS: [f64; 7] = [0.03, 0.21, 0.34, 0.5, 0.63, 0.8, 0.97];

const RUN: MemoKey<u64> = MemoKey::new("run");
const MODEL: MemoKey<Vec<f64>> = MemoKey::new("model");

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn trial(x: f64, outcome: Option<Outcome>) -> Trial<Config> {
    Trial::new(TrialId(0), line().decode(&[x]), outcome)
}

/// A bumpy loss with a constraint x ≥ 0.3 and costs on both sides of 1.
fn measured(x: f64) -> Trial<Config> {
    let cost = Some(0.3 * (2.5 * x).exp());
    let loss = (9.0 * x).sin() + 2.0 * x;
    trial(x, Some(Measurement { constraints: vec![0.3 - x], cost, ..Measurement::from(loss) }.into()))
}

fn plain(x: f64) -> Trial<Config> {
    trial(x, Some(((9.0 * x).sin() + 2.0 * x).into()))
}

fn history(of: fn(f64) -> Trial<Config>) -> History<Config> {
    History::from_trials(POINTS.map(of).to_vec(), Seed(4))
}

fn optimizer(change: impl Fn(&mut BoSettings)) -> BayesianOptimizer {
    let mut settings = BoSettings {
        initial: InitialDesign::Sobol(2),
        maximizer: Maximizer { raw: 128, around_best: 4, climbs: 3 },
        ..BoSettings::default()
    };
    change(&mut settings);
    BayesianOptimizer::new(line()).with_settings(settings).unwrap()
}

fn suggestion(ask: Ask<Config>) -> Suggestion<Config> {
    match ask {
        Ask::Evaluate(suggestion) => suggestion,
        other => panic!("{other:?}"),
    }
}

fn ask(optimizer: &mut BayesianOptimizer, history: &History<Config>) -> Suggestion<Config> {
    suggestion(optimizer.ask(history, TrialId(history.len() as u64)).unwrap())
}

fn with_turn<T>(
    optimizer: &mut BayesianOptimizer,
    history: &History<Config>,
    look: impl FnOnce(&mut dyn Modelled<Config>) -> T,
) -> T {
    match optimizer.turn(history, TrialId(history.len() as u64)).unwrap() {
        Turn::Modelled(mut turn) => look(&mut *turn),
        Turn::Decided(ask) => panic!("{ask:?}"),
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + expected.abs())
}

/// Every number is that of the fitted surrogates at the suggested place; stop rules read three of them from the memo.
#[test]
fn suggestions_report_their_surrogates() {
    let cost = CostAwareness::PerUnit { exponent: 0.5 };
    for (of, is_weighted) in [(measured as fn(f64) -> Trial<Config>, true), (plain, false)] {
        let mut optimizer = optimizer(|s| s.cost = if is_weighted { cost } else { CostAwareness::Ignore });
        let history = history(of);
        let found = ask(&mut optimizer, &history);
        let x = line().encode(&found.query).unwrap();
        let state = optimizer.state(&history, TrialId(7)).unwrap().unwrap();
        let Prediction { mean, variance } = state.posterior().predict(&x);
        let target = state.target(optimizer.acquisition().target());
        let gain = state.expected_improvement(&x, target) * state.probability_feasible(&x).unwrap_or(1.0);
        let expected = if is_weighted { state.max_expected_improvement(target).unwrap().1 } else { gain };
        let mut numbers = BTreeMap::from([
            ("mean", mean),
            ("std_dev", variance.sqrt()),
            ("predicted", state.loss_of(mean)),
            ("predicted_low", state.loss_of(mean - 1.959_963_984_540_054 * variance.sqrt())),
            ("predicted_high", state.loss_of(mean + 1.959_963_984_540_054 * variance.sqrt())),
            ("threshold", target),
            ("acquisition", state.acquisition(optimizer.acquisition()).unwrap().value(&x)),
            ("max_expected_improvement", expected),
            ("expected_gain", state.in_units_of_loss(gain, target)),
        ]);
        if is_weighted {
            numbers.insert("probability_feasible", state.probability_feasible(&x).unwrap());
            numbers.insert("expected_cost", state.expected_cost(&x).unwrap());
        }
        assert_eq!(found.diagnostics.len(), numbers.len(), "{:?}", found.diagnostics);
        for (name, number) in numbers {
            assert!(close(found.diagnostics[name], number), "{name}: {:?} {number}", found.diagnostics[name]);
            let remembered = found.memo.get(&MemoKey::<f64>::named(name));
            let is_read = ["max_expected_improvement", "expected_gain", "expected_cost"].contains(&name);
            assert_eq!(remembered, is_read.then_some(found.diagnostics[name]), "{name}");
        }
        for name in ["model", "constraint 0", "cost"] {
            let start = found.memo.get(&MemoKey::<Vec<f64>>::named(name));
            assert_eq!(start, state.memo().get(&MemoKey::<Vec<f64>>::named(name)), "{name}");
            assert_eq!(start.is_some(), is_weighted || name == "model", "{name}");
        }
    }
}

/// The outlook is the largest expected improvement, by whatever acquisition function the point is chosen.
#[test]
fn the_outlook_is_the_largest_expected_improvement() {
    let (mut optimizer, history) = (optimizer(|_| ()), history(plain));
    let found = ask(&mut optimizer, &history);
    let (target, range, largest) = {
        let state = optimizer.state(&history, TrialId(7)).unwrap().unwrap();
        let target = state.target(optimizer.acquisition().target());
        (target, state.range(), state.max_expected_improvement(target).unwrap().1)
    };
    let outlook = with_turn(&mut optimizer, &history, |turn| turn.outlook(None)).unwrap().unwrap();
    let expected = found.diagnostics["max_expected_improvement"];
    assert_eq!(outlook, Outlook { expected, range, target: Some(target) });
    let least = AcquisitionKind::PosteriorMean;
    let outlook = with_turn(&mut optimizer, &history, |turn| turn.outlook(Some(&least))).unwrap().unwrap();
    assert_eq!(outlook, Outlook { expected: largest, range, target: Some(target) });
    // The choice is by the other function, and no improvement is reported.
    let chosen = with_turn(&mut optimizer, &history, |turn| {
        assert!(turn.outlook(Some(&least)).unwrap().is_some(), "built once in a turn");
        suggestion(turn.exploit(Some(&least)).unwrap())
    });
    assert!(!chosen.diagnostics.contains_key("max_expected_improvement"));
    let state = optimizer.state(&history, TrialId(7)).unwrap().unwrap();
    let grid = (0..=500).map(|i| state.posterior().predict(&[f64::from(i) / 500.0]).mean);
    assert!(chosen.diagnostics["mean"] <= grid.fold(f64::INFINITY, f64::min) + 1e-6);
}

/// The outlook is the largest expected improvement times the probability of being feasible, wherever the cost or another acquisition
/// function sends the search.
#[test]
fn the_outlook_counts_constraints_and_no_cost() {
    let history = history(measured);
    for cost in [CostAwareness::Ignore, CostAwareness::PerUnit { exponent: 3.0 }] {
        let mut optimizer = optimizer(|s| s.cost = cost);
        let largest = {
            let state = optimizer.state(&history, TrialId(7)).unwrap().unwrap();
            let target = state.target(optimizer.acquisition().target());
            let at =
                |x: &[f64]| state.expected_improvement(x, target) * state.probability_feasible(x).unwrap();
            (0..=4000).map(|i| at(&[f64::from(i) / 4000.0])).fold(0.0, f64::max)
        };
        for by in [None, Some(&AcquisitionKind::PosteriorMean as &dyn AcquisitionFactory)] {
            let outlook = with_turn(&mut optimizer, &history, |turn| turn.outlook(by)).unwrap().unwrap();
            assert!(
                (outlook.expected / largest - 1.0).abs() < 1e-4,
                "{cost:?}: {} {largest}",
                outlook.expected
            );
        }
        let found = ask(&mut optimizer, &history).diagnostics["max_expected_improvement"];
        assert!((found / largest - 1.0).abs() < 1e-4, "{cost:?}: {found} {largest}");
    }
}

/// Other points are suggested with the numbers of the surrogates, if they are new.
#[test]
fn other_points_are_suggested_if_they_are_new() {
    let (mut optimizer, history) = (optimizer(|_| ()), history(plain));
    let at = |x: f64| Candidate { x: vec![x], value: 0.0 };
    let (found, count, best) = with_turn(&mut optimizer, &history, |turn| {
        let found = turn.suggest(vec![at(POINTS[2]), at(0.42), at(0.9)]).unwrap().unwrap();
        let acquisition = thrifty_acquisition::ZeroLog;
        let best = turn.maximize(&acquisition, "elsewhere");
        assert_eq!(turn.space(), &line());
        (found, turn.posteriors().len(), best)
    });
    assert_eq!((found.query.float("x").unwrap(), count), (0.42, 1));
    let state = optimizer.state(&history, TrialId(7)).unwrap().unwrap();
    assert!(close(found.diagnostics["mean"], state.posterior().predict(&[0.42]).mean));
    assert!(!found.diagnostics.contains_key("acquisition") && found.memo.contains(&MODEL));
    assert_eq!(best, state.maximize(&thrifty_acquisition::ZeroLog, "elsewhere"));
}

/// A run ends when the largest expected improvement is below its share of the range, and not before.
#[test]
fn runs_end_at_their_share_of_the_range() {
    let history = history(plain);
    let outlook = with_turn(&mut optimizer(|_| ()), &history, |turn| turn.outlook(None)).unwrap().unwrap();
    let share = outlook.expected / outlook.range;
    let with = |epsilon| ask(&mut optimizer(|s| s.convergence = Convergence::Restart { epsilon }), &history);
    let goes_on = with(0.999 * share);
    assert_eq!((goes_on.memo.get(&RUN), goes_on.memo.contains(&MODEL)), (None, true));
    let restarted = with(1.001 * share);
    assert_eq!((restarted.memo.get(&RUN), restarted.memo.contains(&MODEL)), (Some(1), false));
}

/// Below its share of the range a run explores: a point of the front, with the numbers that stop rules read.
#[test]
fn a_run_without_gain_explores_the_front_of_mean_and_deviation() {
    let history = history(plain);
    let outlook = with_turn(&mut optimizer(|_| ()), &history, |turn| turn.outlook(None)).unwrap().unwrap();
    let share = outlook.expected / outlook.range;
    let with = |epsilon, rule: AcquisitionKind| {
        let mut optimizer = optimizer(|s| {
            s.convergence = Convergence::Explore { epsilon };
            s.rule = rule;
        });
        ask(&mut optimizer, &history)
    };
    let goes_on = with(0.999 * share, AcquisitionKind::default());
    let explores = with(1.001 * share, AcquisitionKind::default());
    assert!(!goes_on.diagnostics.contains_key("explored"));
    assert_eq!(goes_on, ask(&mut optimizer(|s| s.convergence = Convergence::Continue), &history));
    assert_eq!(explores.diagnostics["explored"], 1.0);
    assert!(!explores.diagnostics.contains_key("acquisition") && explores.memo.contains(&MODEL));
    for name in ["max_expected_improvement", "expected_gain", "threshold"] {
        assert_eq!(goes_on.diagnostics[name], explores.diagnostics[name], "{name}");
    }
    let front = with_turn(&mut optimizer(|_| ()), &history, |turn| {
        front(turn, turn.posteriors()[0], &mut Seed(4).stream("convergence", 7))
    });
    assert_eq!(explores.query.float("x").unwrap(), front[0].x[0]);
    // Only improvements say that nothing is to be gained.
    let bound = with(1e9, AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }));
    assert!(!bound.diagnostics.contains_key("explored"));
}

/// A point of the front is beaten in mean and standard deviation by none of the points that it was chosen from, and each of these by one of the front.
#[test]
fn a_front_has_the_points_that_none_beats() {
    let history = history(plain);
    with_turn(&mut optimizer(|_| ()), &history, |turn| {
        let posterior = turn.posteriors()[0];
        let found = front(turn, posterior, &mut Seed(9).stream("front", 0));
        let all = turn.uniform(1000, &mut Seed(9).stream("front", 0));
        let (mut mean, mut variance) = (vec![0.0; all.len()], vec![0.0; all.len()]);
        posterior.predict_into(all.as_ref(), &mut mean, &mut variance);
        let beats = |a: usize, b: usize| {
            mean[a] <= mean[b]
                && variance[a] >= variance[b]
                && (mean[a], variance[a]) != (mean[b], variance[b])
        };
        let at = |x: &[f64]| all.rows().position(|other| other == x).unwrap();
        let of_front: Vec<usize> = found.iter().map(|point| at(&point.x)).collect();
        for (point, &own) in found.iter().zip(&of_front) {
            assert_eq!(point.value, variance[own].sqrt());
            assert!(!(0..all.len()).any(|other| beats(other, own)), "{point:?}");
        }
        for own in 0..all.len() {
            assert!(of_front.iter().any(|&front| front == own || beats(front, own)), "{own}");
        }
    });
}

/// Points that probably break a constraint are not explored while there are others.
#[test]
fn exploration_keeps_to_what_is_probably_feasible() {
    for seed in 0..20 {
        let history = History::from_trials(POINTS.map(measured).to_vec(), Seed(seed));
        let mut optimizer = optimizer(|s| s.convergence = Convergence::Explore { epsilon: 1e9 });
        let explored = ask(&mut optimizer, &history);
        assert_eq!(explored.diagnostics["explored"], 1.0);
        assert!(explored.diagnostics["probability_feasible"] >= 0.5, "{:?}", explored.diagnostics);
    }
}

/// The front is that of the points that are probably feasible, also where all that beats them is not.
#[test]
fn exploration_is_on_the_front_of_what_is_probably_feasible() {
    let falling = |x: f64| {
        let measured = Measurement { constraints: vec![10.0 * (x - 0.5)], ..Measurement::from(-5.0 * x) };
        trial(x, Some(measured.into()))
    };
    for seed in 0..10 {
        let trials = [0.02, 0.1, 0.18, 0.26, 0.34, 0.42, 0.5, 0.7, 0.9].map(falling);
        let history = History::from_trials(trials.to_vec(), Seed(seed));
        let mut optimizer = optimizer(|s| s.convergence = Convergence::Explore { epsilon: 1e9 });
        let explored = ask(&mut optimizer, &history);
        assert_eq!(explored.diagnostics["explored"], 1.0);
        assert!(explored.diagnostics["probability_feasible"] >= 0.5, "{:?}", explored.diagnostics);
    }
}

/// Allowed points are found around those that were measured, where random ones are hopeless.
#[test]
fn exploration_finds_the_few_points_that_are_allowed() {
    let space = || Space::unit_cube(4);
    let allowed = |config: &Config| space().encode(config).unwrap().iter().all(|x| (x - 0.5).abs() < 0.02);
    let given: Vec<Config> =
        [[0.5; 4], [0.49, 0.5, 0.51, 0.5], [0.51; 4]].map(|x| space().decode(&x)).to_vec();
    let settings = BoSettings {
        initial: InitialDesign::Only(given),
        convergence: Convergence::Explore { epsilon: 1e9 },
        ..BoSettings::default()
    };
    let optimizer = BayesianOptimizer::new(space()).with_settings(settings).unwrap().with_known_constraint(
        |config: &Config| Space::unit_cube(4).encode(config).unwrap().iter().all(|x| (x - 0.5).abs() < 0.02),
    );
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(8));
    let stop = study.run(|config, _| space().encode(config).unwrap()[0]).unwrap();
    assert_ne!(stop, StopReason::Exhausted);
    assert!(study.history().len() == 8 && study.history().trials().iter().all(|trial| allowed(&trial.query)));
    assert_eq!(study.history().trials()[7].diagnostics["explored"], 1.0);
}

/// An infinite space in which nothing new is allowed is no exhausted one.
#[test]
fn a_hopeless_constraint_is_an_error() {
    let given = vec![line().decode(&[0.25]), line().decode(&[0.75])];
    let at = |config: &Config| config.float("x").unwrap();
    let mut optimizer = optimizer(|s| s.initial = InitialDesign::Only(given.clone()))
        .with_known_constraint(move |config| at(config) == 0.25 || at(config) == 0.75);
    let history = History::from_trials(vec![plain(0.25), plain(0.75)], Seed(4));
    let error = optimizer.ask(&history, TrialId(2)).unwrap_err();
    let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
    assert!(text.contains("trial 2") && text.contains("random configurations is allowed"), "{text}");
}

/// A Latin hypercube begins anew with each run.
#[test]
fn a_restarted_run_has_a_latin_hypercube() {
    let settings = |s: &mut BoSettings| {
        (s.initial, s.convergence) =
            (InitialDesign::LatinHypercube(5), Convergence::Restart { epsilon: 1e9 });
    };
    let mut study = Study::new(optimizer(settings), Seed(4)).with_stop(MaxTrials(15));
    study.run(|config, _| config.float("x").unwrap()).unwrap();
    for run in study.history().trials().chunks(5) {
        let slice = |trial: &Trial<Config>| (5.0 * trial.query.float("x").unwrap()) as usize;
        let mut slices: Vec<usize> = run.iter().map(slice).collect();
        slices.sort_unstable();
        assert_eq!(slices, [0, 1, 2, 3, 4]);
    }
}

/// The exponent of the cost falls with everything that was spent, runs before a restart included.
#[test]
fn a_restart_gives_nothing_back_of_the_budget() {
    let of = |costs: [f64; 7], runs: [u64; 7]| {
        let mut trials = POINTS.map(plain).to_vec();
        for ((trial, cost), run) in trials.iter_mut().zip(costs).zip(runs) {
            let loss = trial.outcome.as_ref().and_then(Outcome::objective).unwrap();
            trial.outcome = Some(Measurement { cost: Some(cost), ..Measurement::from(loss) }.into());
            if run > 0 {
                trial.memo.set(&RUN, &run);
            }
        }
        let history = History::from_trials(trials, Seed(4));
        let weight = |cost: CostAwareness| {
            let optimizer = optimizer(|s| s.cost = cost);
            let state = optimizer.state(&history, TrialId(7)).unwrap().unwrap();
            state.weight(&[0.4]).ln()
        };
        weight(CostAwareness::Cooled { budget: 20.0 }) / weight(CostAwareness::PerUnit { exponent: 1.0 })
    };
    let costs = [1.0, 2.0, 3.0, 4.0, 2.0, 1.5, 0.5];
    // (20 - 14)/(20 - 3): the design of the first run cost 3.
    for runs in [[0; 7], [0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2, 2]] {
        assert!((of(costs, runs) - 6.0 / 17.0).abs() < 1e-9, "{runs:?}: {}", of(costs, runs));
    }
}

/// A run after a restart may spend more on its design than the first run had: the initial cost is that of the first.
#[test]
fn a_dear_design_after_a_restart_is_no_error() {
    let mut trials = POINTS[..4].iter().copied().map(plain).collect::<Vec<_>>();
    for (trial, (cost, run)) in trials.iter_mut().zip([(1.0, 0), (2.0, 0), (12.0, 1), (12.0, 1)]) {
        let loss = trial.outcome.as_ref().and_then(Outcome::objective).unwrap();
        trial.outcome = Some(Measurement { cost: Some(cost), ..Measurement::from(loss) }.into());
        if run > 0 {
            trial.memo.set(&RUN, &run);
        }
    }
    let optimizer = optimizer(|s| {
        (s.cost, s.initial) = (CostAwareness::Cooled { budget: 20.0 }, InitialDesign::Sobol(2));
    });
    let history = History::from_trials(trials, Seed(4));
    let state = optimizer.state(&history, TrialId(4)).unwrap().unwrap();
    // All of the budget is spent: costs do not count any more.
    assert_eq!(state.weight(&[0.4]), 1.0);
}

/// Losses that stand for running trials say nothing about the best measured one.
#[test]
fn recommendations_do_not_depend_on_lies() {
    let mut trials = POINTS.map(plain).to_vec();
    trials.push(trial(0.485, None));
    trials.push(trial(0.05, None));
    let history = History::from_trials(trials, Seed(4));
    let best = |pending| optimizer(|s| s.pending = pending).recommend(&history).unwrap();
    let expected = best(PendingPolicy::default());
    for pending in [PendingPolicy::LiarBest, PendingPolicy::LiarMean, PendingPolicy::LiarWorst] {
        assert_eq!(best(pending), expected, "{pending:?}");
    }
}

/// Recommendations by histories that differ in trials without a loss: their kind, and the policy for pruned ones, make no difference, in any bit.
#[test]
fn recommendations_are_made_of_measured_trials() {
    let all = (0..11).map(|i| f64::from(i) / 10.0).map(|x| trial(x, Some((x - 0.3).powi(2).into())));
    let with = |outcome: &Outcome| -> History<Config> {
        let more = [0.29, 0.31, 0.305].map(|x| trial(x, Some(outcome.clone())));
        History::from_trials(all.clone().chain(more).collect(), Seed(4))
    };
    let expected =
        optimizer(|_| ()).recommend(&History::from_trials(all.clone().collect(), Seed(4))).unwrap();
    let best = expected.as_ref().map(|best| best.config.float("x").unwrap());
    assert_eq!(best, Some(0.3), "the smallest loss");
    for outcome in [Outcome::pruned(3), Outcome::failed("out of memory")] {
        let history = with(&outcome);
        for failures in [FailurePolicy::AsWorst, FailurePolicy::AsValue(9.0), FailurePolicy::Ignore] {
            let mut bo = optimizer(|s| s.failures = failures);
            assert_eq!(bo.recommend(&history).unwrap(), expected, "{outcome:?} {failures:?}");
        }
        for policy in [PrunedPolicy::Ignore, PrunedPolicy::LastReport, PrunedPolicy::Worst] {
            let mut bo = PrunedAs::new(optimizer(|_| ()), policy);
            assert_eq!(bo.recommend(&history).unwrap(), expected, "{outcome:?} {policy:?}");
        }
    }
}

/// Before anything feasible was measured every loss is an improvement: the search for it goes on.
#[test]
fn a_run_without_a_feasible_measurement_has_not_converged() {
    let infeasible = |x: f64| {
        let measured =
            Measurement { constraints: vec![1.0 + x], ..Measurement::from((9.0 * x).sin() + 2.0 * x) };
        trial(x, Some(measured.into()))
    };
    let history = History::from_trials(POINTS.map(infeasible).to_vec(), Seed(4));
    let expected = ask(&mut optimizer(|s| s.convergence = Convergence::Continue), &history);
    let explore = Convergence::Explore { epsilon: 1e9 };
    assert_eq!(ask(&mut optimizer(|s| s.convergence = explore), &history), expected);
    let restart = Convergence::Restart { epsilon: 1e9 };
    assert_eq!(ask(&mut optimizer(|s| s.convergence = restart), &history).query, expected.query);
}

/// Journals of studies that knew restarts alone are continued by rules that suggest the same.
#[test]
fn rules_that_older_journals_had_have_the_same_fingerprint() {
    let settings = |convergence| {
        let fingerprint = optimizer(|s| s.convergence = convergence).fingerprint().unwrap();
        let parts = serde_json::to_value(&fingerprint).unwrap();
        let named = |part: &&serde_json::Value| part[0] == "settings";
        parts["parts"].as_array().unwrap().iter().find(named).unwrap()[1].clone()
    };
    let before = settings(Convergence::Continue);
    assert_eq!((before.get("convergence"), &before["restarts"]), (None, &serde_json::Value::Null));
    let restarted = settings(Convergence::Restart { epsilon: 0.5 });
    assert_eq!((restarted.get("convergence"), &restarted["restarts"]["epsilon"]), (None, &0.5.into()));
    let explored = settings(Convergence::Explore { epsilon: 0.5 });
    assert_eq!(
        (explored.get("restarts"), &explored["convergence"]["explore"]["epsilon"]),
        (None, &0.5.into())
    );
}

/// The surrogates see the last run alone: its number is in the memo, and in older journals among the diagnostics.
#[test]
fn surrogates_see_the_last_run_alone() {
    let in_run = |by_memo: bool, of: [u64; 7]| {
        let mut trials = POINTS.map(plain).to_vec();
        for (trial, run) in trials.iter_mut().zip(of).filter(|(_, run)| *run > 0) {
            if by_memo {
                trial.memo.set(&RUN, &run);
            } else {
                trial.diagnostics.insert("run".to_owned(), run as f64);
            }
        }
        History::from_trials(trials, Seed(4))
    };
    for by_memo in [true, false] {
        let second = in_run(by_memo, [0, 0, 0, 0, 1, 1, 1]);
        let mut optimizer = optimizer(|s| s.convergence = Convergence::Restart { epsilon: 1e-9 });
        let found = ask(&mut optimizer, &second);
        assert_eq!((found.memo.get(&RUN), found.memo.contains(&MODEL)), (Some(1), true));
        let state = optimizer.state(&second, TrialId(7)).unwrap().unwrap();
        assert_eq!(state.losses().len(), 3);
        assert!(POINTS.iter().all(|x| state.is_known(&[*x])), "points of earlier runs are not asked again");
        // One measurement is no design of two.
        let begun = in_run(by_memo, [0, 0, 0, 0, 0, 0, 1]);
        assert!(optimizer.state(&begun, TrialId(7)).unwrap().is_none());
        let designed = ask(&mut optimizer, &begun);
        assert_eq!((designed.memo.get(&RUN), designed.memo.contains(&MODEL)), (Some(1), false));
        let third = in_run(by_memo, [0, 1, 0, 1, 2, 2, 2]);
        let ended =
            ask(&mut self::optimizer(|s| s.convergence = Convergence::Restart { epsilon: 1e9 }), &third);
        assert_eq!((ended.memo.get(&RUN), ended.memo.contains(&MODEL)), (Some(3), false));
    }
}

/// Settings, surrogate and known constraint are those that were given; configurations outside the space are refused.
#[test]
fn parts_are_those_that_were_given() {
    let refused =
        BoSettings { maximizer: Maximizer { raw: 0, around_best: 0, climbs: 0 }, ..Default::default() };
    assert!(BayesianOptimizer::new(line()).with_settings(refused).is_err());
    let given = optimizer(|s| s.budget = Some(31));
    assert_eq!((given.settings().budget, given.space()), (Some(31), &line()));
    assert_eq!(given.acquisition().describe().unwrap(), AcquisitionKind::default().describe().unwrap());
    let own = optimizer(|_| ()).with_acquisition(AcquisitionKind::PosteriorMean);
    let described = AcquisitionKind::PosteriorMean.describe().unwrap();
    assert_eq!(own.acquisition().describe().unwrap(), described);
    assert!(!own.fingerprint().unwrap().differences(&optimizer(|_| ()).fingerprint().unwrap()).is_empty());
    let mut outside = Config::new();
    outside.insert("x", 1.5);
    assert!(given.check(&outside, true).is_err() && given.check(&line().decode(&[0.5]), true).is_ok());
}

/// A part of the space where nothing is left to gain, of a space where there is: asked for that part, the optimiser begins no new run and says
/// nothing of what is left to gain.
#[test]
fn a_part_of_the_space_is_no_reason_to_converge() {
    let space = Space::builder().categorical("solver", ["good", "bad"]).float("x", 0.0, 1.0).build().unwrap();
    let config = |solver: &str, x: f64| {
        let mut config = Config::new();
        config.insert("solver", solver);
        config.insert("x", x);
        config
    };
    let trial = |i: usize| {
        let x = (i as f64 + 0.5) / 12.0;
        let (solver, loss) = if i.is_multiple_of(2) { ("good", (14.0 * x).sin()) } else { ("bad", 50.0) };
        Trial::new(TrialId(i as u64), config(solver, x), Some(loss.into()))
    };
    let history = History::from_trials((0..12).map(trial).collect(), Seed(1));
    let mut given = Config::new();
    given.insert("solver", "bad");
    for convergence in [Convergence::Restart { epsilon: 1e-6 }, Convergence::default()] {
        let settings = BoSettings { convergence, ..BoSettings::default() };
        let mut optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings).unwrap();
        let whole = suggestion(optimizer.ask(&history, TrialId(12)).unwrap());
        assert!(whole.memo.contains(&EXPECTED_IMPROVEMENT), "the whole space has more to gain");
        let part = suggestion(optimizer.ask_given(&history, TrialId(12), &given).unwrap());
        assert_eq!(part.query.str("solver"), Ok("bad"));
        assert!(part.memo.entries().next().is_some_and(|_| !part.memo.contains(&EXPECTED_IMPROVEMENT)));
        assert_eq!(part.memo.get(&MemoKey::<u64>::new("run")), None, "no new run");
        assert!(!part.diagnostics.contains_key(EXPECTED_GAIN.name()));
        assert_eq!(optimizer.settings().convergence, convergence, "the setting is as it was");
    }
}

//! NSGA-II: recorded suggestions, generations, ends of finite spaces, recommendations.
//!
//! The recorded numbers come from this crate (`made_by` in the file); that they are right is the matter of other tests.

use std::collections::BTreeMap;

use serde_json::Value;
use thrifty_sampling::Seed;
use thrifty_search::{InitialDesign, Nsga2, Nsga2Settings, ParetoSet};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, Next, Optimizer, Outcome, Schedule, StopReason, Study, Trial,
    TrialId,
};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_search.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-4 * expected.abs().max(0.01), "{name}: {found} {expected}");
    }
}

fn space() -> Space {
    Space::builder()
        .float("x", -1.0, 2.0)
        .log_float("rate", 1e-3, 1.0)
        .categorical("kind", ["a", "b"])
        .build()
        .unwrap()
}

fn losses(config: &Config) -> (f64, f64) {
    let (x, rate) = (config.float("x").unwrap(), config.float("rate").unwrap().log10());
    let side = if config.str("kind") == Ok("a") { 0.0 } else { 0.3 };
    (x * x + 0.3 * (rate + 1.5).powi(2) + side, (x - 1.0).powi(2) + 0.2 * (rate + 1.0).powi(2) - 0.5 * side)
}

/// Measured losses; trial 2 fails.
fn measured(id: u64, objectives: Vec<f64>, constraints: Vec<f64>) -> Outcome {
    if id == 2 {
        return Outcome::failed("the third");
    }
    Measurement { objectives, constraints, ..Measurement::default() }.into()
}

fn one(config: &Config, id: u64) -> Outcome {
    measured(id, vec![losses(config).0], vec![])
}

fn several(config: &Config, id: u64) -> Outcome {
    let (a, b) = losses(config);
    measured(id, vec![a, b], vec![])
}

fn constrained(config: &Config, id: u64) -> Outcome {
    let (a, b) = losses(config);
    measured(id, vec![a, b], vec![0.3 - config.float("x").unwrap()])
}

fn nsga2(space: Space, settings: Nsga2Settings) -> Nsga2 {
    Nsga2::new(space).with_settings(settings).unwrap()
}

fn of_size(population: usize) -> Nsga2Settings {
    Nsga2Settings { population, ..Nsga2Settings::default() }
}

fn run(optimizer: Nsga2, trials: usize, outcome: impl Fn(&Config, u64) -> Outcome) -> History<Config> {
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(trials));
    study.run(|config, context| outcome(config, context.id.0)).unwrap();
    study.history().clone()
}

#[test]
fn searches_keep_their_suggestions() {
    let recorded = |name: &str, population, outcome: fn(&Config, u64) -> Outcome| {
        let history = run(nsga2(space(), of_size(population)), 40, outcome);
        let numbers = |trial: &Trial<Config>| {
            let mut numbers = space().encode(&trial.query).unwrap();
            numbers.extend(trial.diagnostics.values());
            numbers
        };
        check(name, &history.trials().iter().flat_map(numbers).collect::<Vec<f64>>());
    };
    recorded("nsga2", 8, several);
    recorded("nsga2_constrained", 6, constrained);
    recorded("nsga2_one", 6, one);
}

/// Generation g holds the trials from `first + (g - 1) population` on; the design has none.
#[test]
fn generations_are_numbered_after_the_design() {
    let settings = Nsga2Settings { initial: InitialDesign::Sobol(9), ..of_size(4) };
    let history = run(nsga2(space(), settings), 21, several);
    let found: Vec<Option<f64>> =
        history.trials().iter().map(|trial| trial.diagnostics.get("generation").copied()).collect();
    let expected: Vec<Option<f64>> =
        (0..21_u32).map(|i| (i >= 9).then(|| f64::from((i - 9) / 4 + 1))).collect();
    assert_eq!(found, expected);
}

/// Without crossover and mutation the children are parents; as no point is suggested twice, other points take their place.
#[test]
fn children_that_were_asked_give_way_to_new_points() {
    let settings = Nsga2Settings { crossover: 0.0, mutation: Some(0.0), ..of_size(4) };
    let history = run(nsga2(space(), settings), 30, several);
    for (at, trial) in history.trials().iter().enumerate() {
        assert!(history.trials()[..at].iter().all(|other| other.query != trial.query), "trial {at}");
    }
}

/// Children take both parents' columns, and with a large η and no mutation stay close to them.
#[test]
fn children_are_near_their_parents_where_eta_is_large() {
    let unit = || Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    let outcome = |config: &Config, _: u64| {
        let (x, y) = (config.float("x0").unwrap(), config.float("x1").unwrap());
        measured(0, vec![x + y], vec![])
    };
    let settings = Nsga2Settings {
        crossover: 1.0,
        mutation: Some(1.0),
        crossover_eta: 1e6,
        mutation_eta: 1e6,
        initial: InitialDesign::Sobol(4),
        ..of_size(4)
    };
    let history = run(nsga2(unit(), settings), 8, outcome);
    let points: Vec<Vec<f64>> =
        history.trials().iter().map(|trial| unit().encode(&trial.query).unwrap()).collect();
    for child in &points[4..] {
        // Each column is that of a parent, but for a step of the order of 1/η.
        for k in 0..2 {
            let gap = points[..4].iter().map(|p| (p[k] - child[k]).abs()).fold(f64::INFINITY, f64::min);
            assert!(gap > 0.0 && gap < 1e-4, "{gap}");
        }
    }
}

/// The parents are the best half of two generations, so that a single loss is followed to the best ones alone.
#[test]
fn a_generation_descends_from_the_best_so_far() {
    let unit = || Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let outcome = |config: &Config, _: u64| measured(0, vec![config.float("x0").unwrap()], vec![]);
    let settings = Nsga2Settings {
        crossover: 0.0,
        mutation: Some(1.0),
        mutation_eta: 1e6,
        initial: InitialDesign::Sobol(8),
        ..of_size(2)
    };
    let history = run(nsga2(unit(), settings), 20, outcome);
    let x = |i: usize| history.trials()[i].query.float("x0").unwrap();
    let mut first: Vec<f64> = (0..8).map(x).collect();
    first.sort_by(f64::total_cmp);
    for child in (8..20).map(x) {
        assert!(first[..2].iter().any(|parent| (parent - child).abs() < 1e-3), "{child} {first:?}");
    }
    let best = (8..20).map(x).fold(f64::INFINITY, f64::min);
    assert!((18..20).map(x).all(|last| last <= first[0] + 1e-3), "{best}");
}

/// The duplicates that a child is compared with are there when it is asked, told or not.
#[test]
fn generations_wait_for_the_one_before() {
    let sequence = |window: usize, threads: usize| {
        let mut study = Study::new(Nsga2::new(space()), Seed(2))
            .with_stop(MaxTrials(70))
            .with_schedule(Schedule::Window(window));
        study.run_parallel(threads, |config: &Config, context| several(config, context.id.0)).unwrap();
        study.history().trials().iter().map(|t| t.query.clone()).collect::<Vec<Config>>()
    };
    assert_eq!(sequence(1, 1), sequence(7, 3));
    // A running trial of the generation before is waited for, one of the same generation is not.
    let mut optimizer = nsga2(space(), of_size(4));
    let mut trials =
        run(nsga2(space(), Nsga2Settings { initial: InitialDesign::Sobol(4), ..of_size(4) }), 6, several)
            .trials()
            .to_vec();
    optimizer =
        optimizer.with_settings(Nsga2Settings { initial: InitialDesign::Sobol(4), ..of_size(4) }).unwrap();
    let waits = |optimizer: &mut Nsga2, trials: &[Trial<Config>]| {
        let history = History::from_trials(trials.to_vec(), Seed(3));
        matches!(optimizer.ask(&history, TrialId(trials.len() as u64)).unwrap(), Ask::Wait)
    };
    trials[5].outcome = None;
    assert!(!waits(&mut optimizer, &trials));
    trials[3].outcome = None;
    assert!(waits(&mut optimizer, &trials));
}

#[test]
fn finite_spaces_are_exhausted_without_repeats() {
    let space = Space::builder().int("n", 1, 4).categorical("c", ["a", "b"]).build().unwrap();
    for (population, initial) in [(2, InitialDesign::Random(2)), (20, InitialDesign::Automatic)] {
        let settings = Nsga2Settings { initial, ..of_size(population) };
        let mut study = Study::new(nsga2(space.clone(), settings), Seed(1)).with_stop(MaxTrials(100));
        let outcome = |config: &Config| config.int("n").unwrap() as f64;
        assert_eq!(study.run(|config, _| outcome(config)).unwrap(), StopReason::Exhausted);
        let asked: BTreeMap<String, usize> =
            study.history().trials().iter().map(|t| (t.query.to_string(), 0)).collect();
        assert_eq!((asked.len(), study.history().len()), (8, 8), "{population}");
    }
}

#[test]
fn bad_settings_are_named_with_their_value() {
    let error = |settings| Nsga2::new(space()).with_settings(settings).unwrap_err().to_string();
    assert!(error(of_size(3)).contains("population is 3"));
    assert!(error(Nsga2Settings { crossover: 1.5, ..of_size(4) }).contains("crossover is 1.5"));
    assert!(error(Nsga2Settings { mutation: Some(-0.5), ..of_size(4) }).contains("mutation is -0.5"));
    assert!(
        error(Nsga2Settings { mutation_eta: f64::INFINITY, ..of_size(4) }).contains("mutation_eta is inf")
    );
}

/// Generations recommend the Pareto set of what was measured, and nothing where nothing feasible was.
#[test]
fn generations_recommend_their_pareto_set() {
    let mut optimizer = Nsga2::new(space());
    let history = run(Nsga2::new(space()), 30, several);
    let recommended = optimizer.recommend(&history).unwrap().unwrap();
    assert!(recommended.members.len() > 1);
    assert_eq!(recommended, ParetoSet::of(&history).unwrap());
    let infeasible = run(Nsga2::new(space()), 5, |config, id| match several(config, id) {
        Outcome::Measured(measured) => Measurement { constraints: vec![1.0], ..measured }.into(),
        other => other,
    });
    assert_eq!(optimizer.recommend(&infeasible).unwrap(), None);
    assert_eq!(optimizer.recommend(&History::from_trials(vec![], Seed(3))).unwrap(), None);
}

fn config(entries: &[(&str, thrifty_space::Value)]) -> Config {
    entries.iter().fold(Config::new(), |mut config, (name, value)| {
        config.insert(*name, value.clone());
        config
    })
}

/// A thousandth of the square is allowed: children that are not give way to random ones that are.
#[test]
fn a_narrow_constraint_does_not_exhaust_a_continuous_space() {
    let space = Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
    let allowed = |config: &Config| (config.float("x").unwrap() - config.float("y").unwrap()).abs() < 5e-4;
    let mut study =
        Study::new(nsga2(space, of_size(4)).with_known_constraint(allowed), Seed(3)).with_stop(MaxTrials(40));
    let stop = study.run(|config, _| config.float("x").unwrap()).unwrap();
    assert_ne!(stop, StopReason::Exhausted);
    assert!(
        study.history().len() == 40 && study.history().trials().iter().all(|trial| allowed(&trial.query))
    );
}

/// A design that has another branch than the one that is given keeps what both have.
#[test]
fn a_design_gives_way_to_what_is_given() {
    let space = Space::builder()
        .categorical("solver", ["sgd", "adam"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .float("rate", 0.0, 1.0)
        .build()
        .unwrap();
    let sgd = config(&[("solver", "sgd".into()), ("momentum", 0.9.into()), ("rate", 0.1.into())]);
    let adam = config(&[("solver", "adam".into()), ("rate", 0.1.into())]);
    for (given, solver, expected) in [
        (&sgd, "adam", adam.clone()),
        (&adam, "sgd", config(&[("solver", "sgd".into()), ("momentum", 0.5.into()), ("rate", 0.1.into())])),
        (&sgd, "sgd", sgd.clone()),
    ] {
        for initial in [InitialDesign::Given(vec![given.clone()]), InitialDesign::Only(vec![given.clone()])] {
            let settings = Nsga2Settings { initial, ..of_size(4) };
            let mut study = Study::new(nsga2(space.clone(), settings), Seed(3)).with_stop(MaxTrials(6));
            study.enqueue(config(&[("solver", solver.into())])).unwrap();
            study.run(|config, _| config.float("rate").unwrap()).unwrap();
            let found = &study.history().trials()[0].query;
            space.validate(found).unwrap();
            assert_eq!(found.str("solver"), Ok(solver));
            for name in ["rate", "momentum"] {
                let number = |config: &Config| config.float(name).unwrap_or(f64::NAN);
                let (found, expected) = (number(found), number(&expected));
                assert!(
                    (found - expected).abs() < 1e-12 || (found.is_nan() && expected.is_nan()),
                    "{name}: {found}"
                );
            }
        }
    }
}

/// A part is completed at random where everything allowed was asked, and the rest is still allowed.
#[test]
fn completions_of_an_exhausted_part_are_allowed() {
    let space = Space::builder().int("a", 0, 3).int("b", 0, 9).build().unwrap();
    let allowed = |config: &Config| config.int("b").unwrap() % 5 == config.int("a").unwrap();
    let mut study = Study::new(nsga2(space, of_size(4)).with_known_constraint(allowed), Seed(3));
    for _ in 0..8 {
        study.enqueue(config(&[("a", 2.into())])).unwrap();
    }
    let mut study = study.with_stop(MaxTrials(8));
    study.run(|config, _| config.int("b").unwrap() as f64).unwrap();
    for trial in study.history().trials() {
        assert!(trial.query.int("a") == Ok(2) && allowed(&trial.query), "{:?}", trial.query);
    }
}

/// Given configurations are asked beside known trials, also when these fill the first generation.
#[test]
fn given_configurations_are_asked_beside_known_trials() {
    let at = |x: f64| {
        let mut config = Config::new();
        config.insert("x0", x);
        config
    };
    let given = [at(0.125), at(0.875)];
    let line = || Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    for known in [0, 1, 10, 19, 20, 25] {
        let initial = InitialDesign::Given(given.to_vec());
        let optimizer = nsga2(line(), Nsga2Settings { initial, ..of_size(20) });
        let elsewhere = (0..known).map(|i| (at((f64::from(i) + 0.5) / 32.0), measured(0, vec![1.0], vec![])));
        let mut study = Study::new(optimizer, Seed(3)).with_known(elsewhere.collect::<Vec<_>>()).unwrap();
        for config in &given {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            assert_eq!(trial.query, *config, "{known} known trials");
        }
    }
}

//! Laws of the methods without a surrogate: known and measured constraints, seeds, the Sobol sequence.

use proptest::prelude::*;
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::{Nsga2, RandomSearch, SobolSearch};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, Optimizer, Schedule, Study, Suggestion, TrialId, contract,
};

fn square() -> Space {
    Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap()
}

fn at(config: &Config) -> (f64, f64) {
    (config.float("x").unwrap(), config.float("y").unwrap())
}

fn below_the_diagonal(config: &Config) -> bool {
    let (x, y) = at(config);
    x + y <= 0.7
}

fn queries<O: Optimizer<Query = Config>>(optimizer: O, seed: u64, trials: usize) -> Vec<Config> {
    let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(trials));
    let loss = |config: &Config| {
        let (x, y) = at(config);
        Measurement { objectives: vec![x, y], ..Measurement::default() }
    };
    study.run(|config, _| loss(config)).unwrap();
    study.history().trials().iter().map(|trial| trial.query.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_known_constraint_holds_for_every_suggestion(seed in 0_u64..1000) {
        let random = RandomSearch::new(square()).with_known_constraint(below_the_diagonal);
        let sobol = SobolSearch::new(square()).with_known_constraint(below_the_diagonal);
        let nsga2 = Nsga2::new(square()).with_known_constraint(below_the_diagonal);
        for found in [queries(random, seed, 40), queries(sobol, seed, 40), queries(nsga2, seed, 60)] {
            prop_assert!(found.iter().all(below_the_diagonal));
        }
    }

    /// Without a constraint the points are those of the sequence, and a constraint that holds changes none.
    #[test]
    fn sobol_search_follows_its_sequence(seed in 0_u64..1000) {
        let found = queries(SobolSearch::new(square()), seed, 33);
        let sequence = Sobol::scrambled(2, &mut Seed(seed).stream("sobol search", 0)).take(33);
        for (config, point) in found.iter().zip(sequence.rows()) {
            prop_assert_eq!(config, &square().decode(point));
        }
        prop_assert_eq!(found, queries(SobolSearch::new(square()).with_known_constraint(|_| true), seed, 33));
    }
}

#[test]
fn nothing_allowed_is_an_error_that_names_the_trial() {
    for optimizer in [
        &mut RandomSearch::new(square()).with_known_constraint(|_| false) as &mut dyn Asks,
        &mut SobolSearch::new(square()).with_known_constraint(|_| false),
    ] {
        let error = optimizer.error_at(7);
        assert!(error.contains("trial 7") && error.contains("is allowed"), "{error}");
    }
}

/// A whole configuration is returned as it is, without a word from the optimiser, which would suggest nothing here.
#[test]
fn whole_configurations_are_returned_as_they_are() {
    let mut given = Config::new();
    given.insert("x", 0.25);
    let mut random = RandomSearch::new(square()).with_known_constraint(|_| false);
    let history = History::new(Seed(1));
    assert!(random.ask_given(&history, TrialId(0), &given).is_err(), "a part has to be completed");
    given.insert("y", 0.75);
    let asked = random.ask_given(&history, TrialId(0), &given).unwrap();
    assert_eq!(asked, Ask::Evaluate(Suggestion::new(given)));
}

/// The error of an ask without history.
trait Asks {
    fn error_at(&mut self, id: u64) -> String;
}

impl<O: Optimizer<Query = Config>> Asks for O {
    fn error_at(&mut self, id: u64) -> String {
        let error = Optimizer::ask(self, &History::new(Seed(1)), TrialId(id)).map(|_| ()).unwrap_err();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        format!("{error} {source:?}")
    }
}

/// A configuration that breaks a measured constraint is never recommended.
#[test]
fn recommendations_are_feasible() {
    let mut study = Study::new(RandomSearch::new(square()), Seed(3)).with_stop(MaxTrials(30));
    let measure = |config: &Config| {
        let (x, y) = at(config);
        Measurement { constraints: vec![0.5 - x], ..Measurement::from(x + y) }
    };
    study.run(|config, _| measure(config)).unwrap();
    let best = study.recommend().unwrap().unwrap();
    assert!(at(&best.config).0 >= 0.5 && best.is_observed());
    let (x, y) = at(&best.config);
    assert!((best.value - (x + y)).abs() < 1e-12);
    let mut hopeless = Study::new(RandomSearch::new(square()), Seed(3)).with_stop(MaxTrials(9));
    hopeless.run(|_, _| Measurement { constraints: vec![1.0], ..Measurement::from(0.0) }).unwrap();
    assert!(hopeless.recommend().unwrap().is_none());
}

/// Quasi-random search recommends the best trial, with the value that was measured, and nothing before one is.
#[test]
fn sobol_search_recommends_the_best_trial() {
    let mut study = Study::new(SobolSearch::new(square()), Seed(3)).with_stop(MaxTrials(20));
    assert!(study.recommend().unwrap().is_none(), "no trials");
    let loss = |config: &Config| at(config).0;
    study.run(|config, _| loss(config)).unwrap();
    let best = study.recommend().unwrap().expect("the best of twenty trials");
    let losses = study.history().trials().iter().map(|trial| loss(&trial.query));
    assert_eq!(best.value, losses.fold(f64::INFINITY, f64::min));
    assert_eq!(loss(&best.config), best.value);
    assert!(best.is_observed());
}

/// Asking out of order, and from threads, gives the points of the trial numbers.
#[test]
fn suggestions_depend_on_the_number_alone() {
    let mut sobol = SobolSearch::new(square());
    let history = History::new(Seed(4));
    let mut ask = |id| match sobol.ask(&history, TrialId(id)).unwrap() {
        Ask::Evaluate(suggestion) => suggestion.query,
        other => panic!("{other:?}"),
    };
    let later = ask(90);
    let first = ask(0);
    assert_eq!((ask(90), ask(0)), (later, first));
    contract::optimizer(
        || SobolSearch::new(square()).with_known_constraint(below_the_diagonal),
        |config, _| at(config).0.into(),
        12,
    );
    let mut study = Study::new(SobolSearch::new(square()), Seed(4))
        .with_stop(MaxTrials(20))
        .with_schedule(Schedule::Window(4));
    study.run_parallel(3, |config: &Config, _| at(config).0).unwrap();
    let found: Vec<Config> = study.history().trials().iter().map(|trial| trial.query.clone()).collect();
    assert_eq!(found, queries(SobolSearch::new(square()), 4, 20));
}

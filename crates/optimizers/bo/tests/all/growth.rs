//! Long studies: hyperparameters that are kept between fits, and the same suggestions after every break.

use thrifty_bo::{BayesianOptimizer, MultiObjectiveOptimizer, MultiObjectiveRule, MultiObjectiveSettings};
use thrifty_gp::{Conditioning, GpSurrogate, Refit};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Measurement, MemoKey, Optimizer, Study, Trial, TrialId};
use thrifty_testbed::{Problem, TestFunction};

fn optimizer(refit: Refit) -> BayesianOptimizer {
    BayesianOptimizer::new(TestFunction::branin().space().clone())
        .with_surrogate(GpSurrogate { refit, ..GpSurrogate::default() })
}

fn finished(refit: Refit, trials: usize) -> History<Config> {
    let mut study = Study::new(optimizer(refit), Seed(3)).with_stop(MaxTrials(trials));
    study.run(|config: &Config, _| TestFunction::branin().truth(config)).unwrap();
    study.history().clone()
}

fn learnt_from(trial: &Trial<Config>) -> Option<u64> {
    trial.memo.get(&MemoKey::named("model learnt from"))
}

#[test]
fn every_step_of_a_long_study_is_a_function_of_its_history() {
    let history = finished(Refit::default(), 300);
    let all = history.trials();
    for at in 0..all.len() {
        let before = History::from_trials(all[..at].to_vec(), Seed(3));
        let asked = optimizer(Refit::default()).ask(&before, TrialId(at as u64)).unwrap();
        let Ask::Evaluate(again) = asked else { panic!("{at}: {asked:?}") };
        assert_eq!(again.query, all[at].query, "trial {at}");
        assert_eq!(again.memo, all[at].memo, "trial {at}");
    }
}

/// Beyond its size a subset is chosen in each ask, from what is in the history alone.
#[test]
fn every_step_of_a_study_on_a_subset_is_a_function_of_its_history() {
    let optimizer = || {
        let conditioning = Conditioning::Subset { size: 48 };
        let space = TestFunction::branin().space().clone();
        BayesianOptimizer::new(space).with_surrogate(GpSurrogate { conditioning, ..GpSurrogate::default() })
    };
    let mut study = Study::new(optimizer(), Seed(3)).with_stop(MaxTrials(150));
    study.run(|config: &Config, _| TestFunction::branin().truth(config)).unwrap();
    let all = study.history().trials();
    for at in (0..all.len()).filter(|at| at % 3 == 0 || (47..52).contains(at)) {
        let before = History::from_trials(all[..at].to_vec(), Seed(3));
        let Ask::Evaluate(again) = optimizer().ask(&before, TrialId(at as u64)).unwrap() else {
            panic!("{at}: no suggestion")
        };
        assert_eq!(again.query, all[at].query, "trial {at}");
        assert_eq!(again.memo, all[at].memo, "trial {at}");
    }
    // Up to the size nothing has changed.
    let exact = finished(Refit::default(), 49);
    for (few, exact) in all.iter().zip(exact.trials()) {
        assert_eq!(few.query, exact.query, "trial {}", few.id.0);
    }
    let best = study.history().best().map(|(_, best)| best).unwrap();
    assert!(best - TestFunction::branin().optimum() < 1e-5, "{best}");
}

#[test]
fn hyperparameters_are_learnt_by_growth() {
    let history = finished(Refit::default(), 160);
    let fits: Vec<u64> = history.trials().iter().filter_map(learnt_from).collect();
    let modelled = fits.len();
    for (at, fit) in fits.iter().enumerate() {
        let observations = (history.len() - modelled + at) as u64;
        assert!(*fit <= observations, "trial of {observations} observations learnt from {fit}");
        if observations <= 40 {
            assert_eq!(*fit, observations, "every fit learns up to 40");
        }
        assert!((observations as f64) < 1.02 * *fit as f64 || *fit == observations, "{observations} {fit}");
    }
    let mut distinct = fits;
    distinct.retain(|fit| *fit > 40);
    distinct.dedup();
    // The next fit comes with at least 1.02 times as many: 54 fits from 41 to 160 observations. Surprises come earlier, and delay others.
    assert!((50..70).contains(&distinct.len()), "{distinct:?}");
}

#[test]
fn fewer_fits_lose_no_regret() {
    for refit in [Refit::default(), Refit::Always] {
        let best = finished(refit, 80).best().map(|(_, best)| best).unwrap();
        assert!(best - TestFunction::branin().optimum() < 1e-5, "{refit:?}: {best}");
    }
}

/// The weights of a scalarisation are drawn in each ask, so its hyperparameters are learnt in each.
#[test]
fn a_scalarisation_is_learnt_in_every_ask() {
    let rule = MultiObjectiveRule::Chebyshev { augmentation: 0.05 };
    let settings = MultiObjectiveSettings { rule, ..MultiObjectiveSettings::default() };
    let optimizer = MultiObjectiveOptimizer::new(Space::unit_cube(1)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(46));
    let objectives = |config: &Config| {
        let x = config.float("x0").unwrap();
        Measurement { objectives: vec![x * x, (x - 0.7).powi(2)], ..Measurement::default() }
    };
    study.run(|config: &Config, _| objectives(config)).unwrap();
    let key = MemoKey::<u64>::named("scalarisation learnt from");
    for trial in &study.history().trials()[41..] {
        assert_eq!(trial.memo.get(&key), Some(trial.id.0), "trial {}", trial.id.0);
    }
}

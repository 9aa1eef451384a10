//! Long studies: hyperparameters that are kept between fits, and the same suggestions after every break.

use thrifty_bo::BayesianOptimizer;
use thrifty_gp::{GpSurrogate, Refit};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, MemoKey, Optimizer, Study, Trial, TrialId};

fn optimizer(refit: Refit) -> BayesianOptimizer {
    BayesianOptimizer::new(Space::unit_cube(2))
        .with_surrogate(GpSurrogate { refit, ..GpSurrogate::default() })
}

/// Branin's function on the unit square; its minimum is 0.397887.
fn branin(config: &Config) -> f64 {
    let (x, y) = (15.0 * config.float("x0").unwrap() - 5.0, 15.0 * config.float("x1").unwrap());
    let parabola =
        y - 5.1 / (4.0 * std::f64::consts::PI.powi(2)) * x * x + 5.0 / std::f64::consts::PI * x - 6.0;
    parabola.powi(2) + 10.0 * (1.0 - 1.0 / (8.0 * std::f64::consts::PI)) * x.cos() + 10.0
}

fn finished(refit: Refit, trials: usize) -> History<Config> {
    let mut study = Study::new(optimizer(refit), Seed(3)).with_stop(MaxTrials(trials));
    study.run(|config: &Config, _| branin(config)).unwrap();
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
        assert!((observations as f64) < 1.2 * *fit as f64 || *fit == observations, "{observations} {fit}");
    }
    let mut distinct = fits;
    distinct.retain(|fit| *fit > 40);
    distinct.dedup();
    // 40 · 1.2^k up to 160 are 8; surprises add some.
    assert!((7..40).contains(&distinct.len()), "{distinct:?}");
}

#[test]
fn fewer_fits_lose_no_regret() {
    for refit in [Refit::default(), Refit::Always] {
        let (_, best) = finished(refit, 80).best().map(|(trial, best)| (trial.id, best)).unwrap();
        assert!(best - 0.397_887 < 1e-5, "{refit:?}: {best}");
    }
}

//! Last trials of a planned study.

use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, InitialDesign};
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{EXPECTED_IMPROVEMENT, History, MaxTrials, Optimizer, Study, Trial};

fn loss(config: &Config) -> Result<f64, SpaceError> {
    let (x, y) = (config.float("x0")?, config.float("x1")?);
    Ok((5.0 * x).sin() + (y - 0.4).powi(2) + 0.3 * (13.0 * y).cos())
}

/// The trials of a study of 24 that is planned for so many, if for any.
fn trials(ending: usize, planned: Option<usize>) -> Vec<Trial<Config>> {
    let settings = BoSettings { ending, budget: planned, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
    study.run(|config, _| loss(config)).unwrap();
    study.history().trials().to_vec()
}

fn queries(trials: &[Trial<Config>]) -> Vec<Config> {
    trials.iter().map(|trial| trial.query.clone()).collect()
}

/// The trials before the last ones are those of a study without an ending; the last ones expect no improvement to maximize.
#[test]
fn the_last_planned_trials_alone_are_others() {
    let (without, with) = (trials(0, Some(24)), trials(3, Some(24)));
    assert_eq!(queries(&with)[..21], queries(&without)[..21]);
    assert_ne!(queries(&with)[21], queries(&without)[21]);
    let improves = |trial: &Trial<Config>| trial.memo.get(&EXPECTED_IMPROVEMENT).is_some();
    assert!(without[21..].iter().all(improves));
    assert!(!with[21..].iter().any(improves));
}

/// No other point has a lower posterior mean, but for the tolerance of a search.
#[test]
fn they_are_at_the_least_posterior_mean() {
    let all = trials(3, Some(24));
    let settings = BoSettings { ending: 3, budget: Some(24), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    for at in 21..24 {
        let history = History::from_trials(all[..at].to_vec(), Seed(3));
        let state = optimizer.state(&history, all[at].id).unwrap().unwrap();
        let mean = |x: &[f64]| state.posterior().predict(x).mean;
        let chosen = mean(&Space::unit_cube(2).encode(&all[at].query).unwrap());
        let points = Sobol::scrambled(2, &mut Seed(9).stream("points", 0)).take(512);
        let least = points.rows().map(mean).fold(f64::INFINITY, f64::min);
        assert!(chosen <= least + 1e-6, "{at}: {chosen} {least}");
    }
}

/// Without a plan, and beyond it, there is no end to prepare for.
#[test]
fn without_a_plan_there_is_no_ending() {
    assert_eq!(queries(&trials(3, None)), queries(&trials(0, None)));
    let (short, never) = (queries(&trials(3, Some(20))), queries(&trials(0, Some(20))));
    assert_eq!(short[..17], never[..17]);
    assert_ne!(short[17..20], never[17..20]);
    let beyond = trials(3, Some(20));
    assert!(beyond[20..].iter().all(|trial| trial.memo.get(&EXPECTED_IMPROVEMENT).is_some()));
}

/// A run that would begin anew, or explore, does not do so in the last trials.
#[test]
fn an_ending_comes_before_convergence() {
    for convergence in [Convergence::Restart { epsilon: 1e3 }, Convergence::Explore { epsilon: 1e3 }] {
        // Runs of a design alone: the third one ends with trial 20.
        let initial = InitialDesign::Sobol(7);
        let settings =
            BoSettings { initial, ending: 3, budget: Some(24), convergence, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
        study.run(|config, _| loss(config)).unwrap();
        let last = &study.history().trials()[21..];
        assert!(last.iter().all(|trial| trial.diagnostics.contains_key("acquisition")), "{convergence:?}");
    }
}

/// A journal of a study before there were endings knows the same study, and one with an ending another.
#[test]
fn an_ending_is_part_of_the_study() {
    let of = |ending| {
        let settings = BoSettings { ending, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
        serde_json::to_value(optimizer.fingerprint().unwrap()).unwrap().to_string()
    };
    assert!(!of(0).contains("\"ending"));
    assert!(of(2).contains("\"ending"));
}

//! Importance on objectives whose order of parameters is known.

use std::collections::BTreeMap;

use thrifty_report::{Figure, Report};
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Study};

#[test]
fn what_matters_is_important() {
    let space = Space::builder()
        .float("much", 0.0, 1.0)
        .float("little", 0.0, 1.0)
        .categorical("none", [1, 2, 3])
        .build()
        .unwrap();
    let mut study = Study::new(RandomSearch::new(space.clone()), Seed(3)).with_stop(MaxTrials(200));
    let value =
        |config: &Config| 5.0 * (config.float("much").unwrap() - 0.3).abs() + config.float("little").unwrap();
    study.run(|config: &Config, _| value(config)).unwrap();
    let importance = Report::new(study.history(), Some(&space)).unwrap().importance().unwrap();

    let near_best: BTreeMap<&str, f64> =
        importance.iter().map(|of| (of.name.as_str(), of.near_best)).collect();
    let whole: BTreeMap<&str, f64> = importance.iter().map(|of| (of.name.as_str(), of.share)).collect();
    assert!((near_best.values().sum::<f64>() - 1.0).abs() < 1e-12, "{near_best:?}");
    assert!(whole.values().sum::<f64>() <= 1.0 + 1e-12, "{whole:?}");
    for shares in [near_best, whole] {
        assert!(shares["much"] > 2.0 * shares["little"] && shares["little"] > shares["none"], "{shares:?}");
    }
}

/// A study without a trial at the target fidelity: nothing is near the best one, which leaves shares of 0 beside those over the space.
#[test]
fn importance_near_the_best_is_zero_without_a_trial_to_compare() {
    let space = Space::unit_cube(2);
    let mut study = Study::new(RandomSearch::new(space.clone()), Seed(3)).with_stop(MaxTrials(40));
    study.run(|config: &Config, _| config.float("x0").unwrap()).unwrap();
    let history = study.history().clone().with_comparable(|_| false);
    let importance = Report::new(&history, Some(&space)).unwrap().importance().unwrap();
    assert!(importance[0].share > 0.9 && importance.iter().all(|of| of.near_best == 0.0), "{importance:?}");
    // Bars of 0 would say that nothing matters there.
    let drawn = Report::new(&history, Some(&space)).unwrap().draw(Figure::Importance).unwrap();
    assert!(drawn.contains("functional ANOVA") && !drawn.contains("PED-ANOVA"));
}

/// A whole number on a logarithmic scale is uniform by its logarithm, as the space samples it, however many values it has: both parameters
/// explain half of the variance.
#[test]
fn a_logarithmic_whole_number_is_uniform_by_its_logarithm() {
    for high in [1000, 1001] {
        let space = Space::builder().log_int("n", 1, high).float("x", 0.0, 1.0).build().unwrap();
        let mut study = Study::new(RandomSearch::new(space.clone()), Seed(0)).with_stop(MaxTrials(400));
        let value =
            |config: &Config| (config.int("n").unwrap() as f64).log10() / 3.0 + config.float("x").unwrap();
        study.run(|config: &Config, _| value(config)).unwrap();
        let importance = Report::new(study.history(), Some(&space)).unwrap().importance().unwrap();
        let shares: Vec<f64> = importance.iter().map(|of| of.share).collect();
        assert!(shares.iter().all(|share| (share - 0.5).abs() < 0.05), "up to {high}: {shares:?}");
    }
}

//! Bayesian optimisation under the transform of losses that predicts best.

use std::collections::BTreeSet;

use thrifty_bo::{BayesianOptimizer, BoSettings, LossTransform, Maximizer};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Study};

/// A curved valley with steep walls.
fn valley(config: &Config) -> f64 {
    let [x, y] = ["x0", "x1"].map(|name| config.float(name).unwrap());
    let along = 0.5 + 0.3 * (5.0 * x).sin();
    (x - 0.7).powi(2) + 100.0 * (y - along).powi(2)
}

fn optimizer() -> BayesianOptimizer {
    let maximizer = Maximizer { raw: 64, around_best: 3, climbs: 2 };
    let settings = BoSettings { losses: LossTransform::Chosen, maximizer, ..BoSettings::default() };
    BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap()
}

fn queries(history: &History<Config>) -> Vec<Config> {
    history.trials().iter().map(|trial| trial.query.clone()).collect()
}

/// A study that is interrupted, also where hyperparameters and the choice are kept from one ask to the next, goes on with the same bits. The
/// diagnostic `lambda` says what was chosen: 1 where losses are as they are.
#[test]
fn a_study_with_a_chosen_transform_is_resumed() {
    let mut whole = Study::new(optimizer(), Seed(4)).with_stop(MaxTrials(66));
    whole.run(|config: &Config, _| valley(config)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for count in [6, 25, 44, 52, 61, 66] {
        let path = folder.path().join("study.jsonl");
        let mut part =
            Study::new(optimizer(), Seed(4)).with_stop(MaxTrials(count)).with_journal(path).unwrap();
        part.run(|config: &Config, _| valley(config)).unwrap();
        assert_eq!(queries(part.history()), queries(whole.history())[..count], "{count} trials");
    }
    let lambdas: BTreeSet<u64> = whole
        .history()
        .trials()
        .iter()
        .filter_map(|trial| trial.diagnostics.get("lambda"))
        .map(|lambda| lambda.to_bits())
        .collect();
    let as_they_are = 1.0_f64.to_bits();
    assert!(lambdas.contains(&as_they_are), "losses as they are, at times");
    assert!(lambdas.iter().any(|lambda| *lambda != as_they_are), "a transform, at times");
}

//! Fixed parameters under every optimiser: each suggestion keeps the value.

use thrifty::cv::OnFolds;
use thrifty::fcvopt::MultiTaskCv;
use thrifty::prelude::*;
use thrifty::study::AnyOptimizer;

use crate::elsewhere::optimizers;

fn space() -> Space {
    Space::builder()
        .categorical("model", ["tree", "line"])
        .float("x", -1.0, 1.0)
        .int("depth", 1, 5)
        .when("model", ["tree"])
        .log_float("rate", 1e-3, 1e-3)
        .int("epochs", 1, 9)
        .build()
        .and_then(|space| space.with_fixed("depth", 3_i64))
        .and_then(|space| space.with_fixed("model", "tree"))
        .expect("a space")
}

/// Runs a study; `config` is the configuration of a query.
fn check<O: Optimizer>(name: &str, optimizer: O, config: impl Fn(&O::Query) -> &Config + Sync) {
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(14));
    let loss = |config: &Config| config.float("x").map_or(f64::NAN, |x| (x - 0.3).powi(2));
    let reason = study.run(|query, _| loss(config(query))).expect(name);
    assert!(study.history().len() >= 10, "{name}: {reason:?}");
    for trial in study.history().trials() {
        let config = config(&trial.query);
        assert_eq!(config.get("model"), Some(&Value::Str("tree".into())), "{name}");
        assert_eq!(config.get("depth"), Some(&Value::Int(3)), "{name}");
        assert_eq!(config.float("rate"), Ok(1e-3), "{name}");
    }
    assert!(study.history().best().is_some_and(|(_, loss)| loss < 0.1), "{name}");
}

#[test]
fn every_optimizer_keeps_fixed_parameters() {
    for (name, optimizer) in optimizers(&space()) {
        check(name, optimizer, |config| config);
    }
    let fidelity = MultiFidelityOptimizer::new(space(), "epochs").expect("a space for it");
    check("multi-fidelity", fidelity, |config| config);
}

#[test]
fn every_optimizer_of_folds_keeps_fixed_parameters() {
    let on_folds = OnFolds::new(&space(), 4, |space| Ok(BayesianOptimizer::new(space)));
    let all_folds = AllFolds::new(BayesianOptimizer::new(space()), 2);
    for (name, optimizer) in [
        ("fractional", AnyOptimizer::new(FractionalCv::new(space(), 4).expect("a space for it"))),
        ("several tasks", AnyOptimizer::new(MultiTaskCv::new(space(), 4).expect("a space for it"))),
        ("on folds", AnyOptimizer::new(on_folds.expect("a space for it"))),
        ("all folds", AnyOptimizer::new(all_folds.expect("folds"))),
    ] {
        check(name, optimizer, |query: &FoldQuery| &query.config);
    }
}

//! Fixed parameters under every optimiser of configurations: each suggestion keeps the value.

use thrifty::prelude::*;

fn space() -> Space {
    Space::builder()
        .categorical("model", ["tree", "line"])
        .float("x", -1.0, 1.0)
        .int("depth", 1, 5)
        .when("model", ["tree"])
        .log_float("rate", 1e-3, 1e-3)
        .build()
        .and_then(|space| space.with_fixed("depth", 3_i64))
        .and_then(|space| space.with_fixed("model", "tree"))
        .expect("a space")
}

fn check<O: Optimizer<Query = Config>>(name: &str, optimizer: O) {
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(14));
    let reason = study
        .run(|config: &Config, _| config.float("x").map_or(f64::NAN, |x| (x - 0.3).powi(2)))
        .expect(name);
    assert!(study.history().len() >= 10, "{name}: {reason:?}");
    for trial in study.history().trials() {
        assert_eq!(trial.query.get("model"), Some(&Value::Str("tree".into())), "{name}");
        assert_eq!(trial.query.get("depth"), Some(&Value::Int(3)), "{name}");
        assert_eq!(trial.query.float("rate"), Ok(1e-3), "{name}");
    }
    assert!(study.history().best().is_some_and(|(_, loss)| loss < 0.1), "{name}");
}

#[test]
fn every_optimizer_keeps_fixed_parameters() {
    check("bo", BayesianOptimizer::new(space()));
    check("tpe", TpeOptimizer::new(space()).expect("a space for it"));
    check("random", RandomSearch::new(space()));
    check("sobol", SobolSearch::new(space()));
    check("hybrid", Hybrid::new(BayesianOptimizer::new(space())));
}

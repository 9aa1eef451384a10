//! A planned number of trials reaches the optimiser that needs it through every wrapper.

use thrifty_bo::{BayesianOptimizer, BoSettings, MultiObjectiveOptimizer};
use thrifty_hybrid::{CoinFlip, Hybrid};
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_study::{AnyOptimizer, Optimizer, PrunedAs, PrunedPolicy};

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn bo(budget: Option<usize>) -> BayesianOptimizer {
    let settings = BoSettings { budget, ..BoSettings::default() };
    BayesianOptimizer::new(line()).with_settings(settings).unwrap()
}

/// The budget that an optimiser writes into journals, once 48 trials are planned.
fn budget(mut optimizer: impl Optimizer<Query = Config>) -> String {
    optimizer.plan(48);
    let written = serde_json::to_value(optimizer.fingerprint().unwrap()).unwrap();
    written["budget"].to_string()
}

#[test]
fn a_plan_reaches_the_optimizer_within() {
    assert_eq!(budget(bo(None)), "48");
    assert_eq!(budget(MultiObjectiveOptimizer::new(line())), "48");
    assert_eq!(budget(Hybrid::new(bo(None))), "48");
    assert_eq!(budget(CoinFlip::new(bo(None), line(), 0.5).unwrap()), "48");
    assert_eq!(budget(PrunedAs::new(bo(None), PrunedPolicy::LastReport)), "48");
    assert_eq!(budget(AnyOptimizer::new(Box::new(bo(None)))), "48");
}

/// A number in the settings counts more, and an optimiser without a design takes no notice.
#[test]
fn settings_count_more_than_a_plan() {
    assert_eq!(budget(bo(Some(20))), "20");
    assert_eq!(budget(AnyOptimizer::new(Hybrid::new(bo(Some(20))))), "20");
    assert_eq!(budget(RandomSearch::new(line())), "null");
}

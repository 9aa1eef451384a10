//! Exploration by coin flip around Parzen estimators, several objectives and level sets.

use std::error::Error;

use thrifty::hybrid::CoinFlip;
use thrifty::levelset::{LevelSetOptimizer, LevelSetSettings};
use thrifty::prelude::*;
use thrifty::study::contract;

fn space() -> Space {
    Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().expect("two numbers")
}

fn loss(config: &Config) -> f64 {
    let at = |name| config.float(name).unwrap_or(f64::NAN);
    (at("x") - 0.3).powi(2) + (at("y") - 0.6).powi(2)
}

fn parzen(rate: f64) -> CoinFlip<TpeOptimizer> {
    let optimizer = TpeOptimizer::new(space()).expect("a space");
    CoinFlip::new(optimizer, space(), rate).expect("a rate").after(10)
}

/// Explored shares of 200 trials, and queries.
fn run(rate: f64) -> Result<(f64, Vec<Config>), Box<dyn Error>> {
    let mut study = Study::new(parzen(rate), Seed(1)).with_stop(MaxTrials(200));
    study.run(|config: &Config, _| loss(config))?;
    let trials = study.history().trials();
    let explored: f64 = trials[10..].iter().map(|trial| trial.diagnostics["explored"]).sum();
    Ok((explored / 190.0, trials.iter().map(|trial| trial.query.clone()).collect()))
}

#[test]
fn the_coin_has_its_rate() -> Result<(), Box<dyn Error>> {
    // Four standard deviations of a share of 190 flips.
    let (share, _) = run(0.3)?;
    assert!((share - 0.3).abs() < 4.0 * (0.3_f64 * 0.7 / 190.0).sqrt(), "{share}");
    assert_eq!(run(1.0)?.0, 1.0);
    let (never, queries) = run(0.0)?;
    assert_eq!(never, 0.0);
    let mut plain = Study::new(TpeOptimizer::new(space())?, Seed(1)).with_stop(MaxTrials(200));
    plain.run(|config: &Config, _| loss(config))?;
    assert!(plain.history().trials().iter().map(|trial| &trial.query).eq(&queries));
    Ok(())
}

#[test]
fn it_obeys_the_contract_of_optimizers() {
    contract::optimizer(|| parzen(0.4), |config: &Config, _| loss(config).into(), 24);
}

#[test]
fn several_objectives_and_level_sets_explore() -> Result<(), Box<dyn Error>> {
    let several = MultiObjectiveOptimizer::new(space());
    let mut study = Study::new(CoinFlip::new(several, space(), 0.5)?, Seed(1)).with_stop(MaxTrials(12));
    study.run(|config: &Config, _| Measurement {
        objectives: vec![loss(config), 1.0 - config.float("x").unwrap_or(f64::NAN)],
        ..Measurement::default()
    })?;
    assert!(study.recommend()?.ok_or("a front")?.members.len() > 1);
    let level = LevelSetOptimizer::new(space(), LevelSetSettings::above(0.2))?;
    let mut study = Study::new(CoinFlip::new(level, space(), 0.5)?, Seed(1)).with_stop(MaxTrials(12));
    study.run(|config: &Config, _| loss(config))?;
    assert!(study.history().trials().iter().any(|trial| trial.diagnostics["explored"] == 1.0));
    assert!(CoinFlip::new(TpeOptimizer::new(space())?, space(), 1.5).is_err());
    Ok(())
}

//! Optimal stopping of Bayesian optimisation and of fractional cross-validation: gain against γ times cost.

use std::error::Error;

use thrifty::cv::FoldQuery;
use thrifty::fcvopt::FractionalCv;
use thrifty::prelude::*;
use thrifty::study::{StopReason, WorthItsCost};

fn unit() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().expect("one number")
}

fn loss(config: &Config) -> f64 {
    (config.float("x").unwrap_or(f64::NAN) - 0.3).powi(2)
}

#[test]
fn a_study_stops_when_a_trial_is_not_worth_its_cost() -> Result<(), Box<dyn Error>> {
    let trials = |gamma: f64| -> Result<usize, Box<dyn Error>> {
        let optimizer = BayesianOptimizer::new(unit());
        let mut study =
            Study::new(optimizer, Seed(1)).with_stop(MaxTrials(40)).with_stop(WorthItsCost::new(gamma));
        let reason =
            study.run(|config: &Config, _| Measurement { cost: Some(2.0), ..loss(config).into() })?;
        let StopReason::NotWorthItsCost { gain, cost, .. } = reason else {
            return Err(format!("{reason:?}").into());
        };
        assert!(gain < gamma * cost && cost == 2.0, "{gain} {cost}");
        Ok(study.history().len())
    };
    // The dearer a unit of cost, the sooner it ends.
    let (cheap, dear) = (trials(1e-7)?, trials(1e-2)?);
    assert!(dear < cheap && dear >= 5, "{dear} {cheap}");
    Ok(())
}

#[test]
fn fractional_cross_validation_stops_likewise() -> Result<(), Box<dyn Error>> {
    let mut study = Study::new(FractionalCv::new(unit(), 3)?, Seed(1))
        .with_stop(MaxTrials(60))
        .with_stop(WorthItsCost::new(1e-3));
    let reason = study.run(|query: &FoldQuery, _| loss(&query.config) + 0.05 * query.fold as f64)?;
    assert!(matches!(reason, StopReason::NotWorthItsCost { .. }), "{reason:?}");
    Ok(())
}

#[test]
fn a_price_that_is_not_positive_is_refused() {
    let optimizer = BayesianOptimizer::new(unit());
    let mut study = Study::new(optimizer, Seed(1)).with_stop(WorthItsCost::new(-1.0));
    let error = study.run(|config: &Config, _| loss(config)).expect_err("a negative price").to_string();
    assert!(error.contains("gamma") && error.contains("-1"), "{error}");
}

#[test]
fn an_error_of_the_evaluator_is_the_reason_of_the_failure() -> Result<(), Box<dyn Error>> {
    let mut study = Study::new(BayesianOptimizer::new(unit()), Seed(1)).with_stop(MaxTrials(3));
    study.run(|config: &Config, context| -> Result<f64, Box<dyn Error>> {
        if context.id.0 == 1 {
            return Err("the simulator diverged".into());
        }
        Ok(config.float("x")?)
    })?;
    let outcome = study.history().trials()[1].outcome.as_ref().ok_or("an outcome")?;
    assert!(outcome.objective().is_none());
    assert!(format!("{outcome:?}").contains("the simulator diverged"), "{outcome:?}");
    assert_eq!(study.history().measured().count(), 2);
    Ok(())
}

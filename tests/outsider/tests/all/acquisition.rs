//! Acquisition functions: one of one's own in Bayesian optimisation, in the hybrid and in fractional cross-validation, with cost and
//! constraints.

use std::error::Error;

use thrifty::acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, Description,
    ExpectedUtilityFactory, Utility, UtilityScale,
};
use thrifty::bo::CostAwareness;
use thrifty::cv::FoldQuery;
use thrifty::domain::PointsRef;
use thrifty::fcvopt::{FoldCosts, FractionalCv, FractionalSettings};
use thrifty::prelude::*;

/// The lower confidence bound with a width that shrinks: -(μ - σ √(4/t)).
struct Shrinking {
    width: f64,
}

impl Utility for Shrinking {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.width * std_dev - mean
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        (self.value(mean, std_dev), -1.0, self.width)
    }

    fn has_unit(&self) -> bool {
        true
    }
}

struct ShrinkingFactory;

impl AcquisitionFactory for ShrinkingFactory {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let width = (40.0 / context.t as f64).sqrt();
        Ok(Box::new(Analytic::new(context.posterior, Shrinking { width })))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Signed
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("shrinking bound"))
    }
}

fn unit() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().expect("one number")
}

fn x_of(config: &Config) -> f64 {
    config.float("x").unwrap_or(f64::NAN)
}

/// The smaller x the better, but for a constraint x ≥ 0.5 and a cost that grows with x.
fn measure(config: &Config) -> Measurement {
    let x = x_of(config);
    Measurement {
        objectives: vec![(x - 0.2).powi(2)],
        constraints: vec![0.5 - x],
        cost: Some((4.0 * x).exp()),
        ..Measurement::default()
    }
}

#[test]
fn an_acquisition_of_ones_own_in_bayesian_optimization_with_cost_and_constraints()
-> Result<(), Box<dyn Error>> {
    let settings = BoSettings { cost: CostAwareness::PerUnit { exponent: 1.0 }, ..BoSettings::default() };
    let optimizer =
        BayesianOptimizer::new(unit()).with_settings(settings)?.with_acquisition(ShrinkingFactory);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    study.run(|config: &Config, _| measure(config))?;
    let best = x_of(&study.recommend()?.ok_or("a feasible configuration")?.config);
    assert!((0.5..0.53).contains(&best), "{best}");
    Ok(())
}

#[test]
fn an_acquisition_of_ones_own_in_the_hybrid() -> Result<(), Box<dyn Error>> {
    let hybrid = Hybrid::new(BayesianOptimizer::new(unit()).with_acquisition(ShrinkingFactory));
    let mut study = Study::new(hybrid, Seed(1)).with_stop(MaxTrials(20));
    study.run(|config: &Config, _| (x_of(config) - 0.37).powi(2))?;
    let best = x_of(&study.recommend()?.ok_or("a configuration")?.config);
    assert!((best - 0.37).abs() < 0.02, "{best}");
    Ok(())
}

#[test]
fn an_acquisition_of_ones_own_in_fractional_cross_validation_with_cost_and_constraints()
-> Result<(), Box<dyn Error>> {
    let settings = FractionalSettings { costs: FoldCosts::Measured, ..FractionalSettings::new(3) };
    let optimizer = FractionalCv::new(unit(), settings.folds)
        .and_then(|cv| cv.with_settings(settings))?
        .with_acquisition(ShrinkingFactory);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(36));
    study.run(|query: &FoldQuery, _| {
        let mut measured = measure(&query.config);
        measured.objectives[0] += 0.02 * query.fold as f64;
        measured.constraints[0] += 0.01 * (query.fold as f64 - 1.0);
        measured
    })?;
    let best = x_of(&study.recommend()?.ok_or("a configuration")?.config);
    assert!((0.49..0.56).contains(&best), "{best}");
    Ok(())
}

#[test]
fn any_expected_utility_is_an_acquisition() -> Result<(), Box<dyn Error>> {
    // Not the minimum but the place where the objective is 0.09.
    let near = ExpectedUtilityFactory::new("near 0.09", |_, v| -(v - 0.09_f64).powi(2));
    let optimizer = BayesianOptimizer::new(unit())
        .with_settings(BoSettings { losses: thrifty::bo::LossTransform::None, ..BoSettings::default() })?
        .with_acquisition(near);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(16));
    study.run(|config: &Config, _| (x_of(config) - 0.2).powi(2))?;
    let last = study.history().trials().last().ok_or("trials")?;
    let value = last.outcome.as_ref().and_then(Outcome::objective).ok_or("an objective")?;
    assert!((value - 0.09).abs() < 0.02, "{value}");
    Ok(())
}

/// An acquisition that is NaN on half of the domain.
struct HalfNan;

impl Acquisition for HalfNan {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(x, slot)| *slot = if x[0] > 0.5 { f64::NAN } else { x[0] });
    }
}

impl AcquisitionFactory for HalfNan {
    fn build<'a>(&self, _: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(Box::new(HalfNan))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("half of a utility"))
    }
}

/// A factory that always fails.
struct Failing;

impl AcquisitionFactory for Failing {
    fn build<'a>(&self, _: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Err(AcquisitionError::Failed { factory: "failing".into(), message: "no data server".into() })
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("failing"))
    }
}

fn error_of(optimizer: BayesianOptimizer) -> String {
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(9));
    study.run(|config: &Config, _| x_of(config)).expect_err("an error").to_string()
}

#[test]
fn a_defect_is_an_error_that_names_the_acquisition_and_the_point() {
    let error = error_of(BayesianOptimizer::new(unit()).with_acquisition(HalfNan));
    assert!(error.contains("half of a utility is NaN at [0."), "{error}");
    let error = error_of(BayesianOptimizer::new(unit()).with_acquisition(Failing));
    assert!(error.contains("failing: no data server"), "{error}");
    let fractional = FractionalCv::new(unit(), 2).expect("two folds").with_acquisition(HalfNan);
    let mut study = Study::new(fractional, Seed(1)).with_stop(MaxTrials(12));
    let error = study.run(|query: &FoldQuery, _| x_of(&query.config)).expect_err("an error").to_string();
    assert!(error.contains("half of a utility is NaN at [0."), "{error}");
}

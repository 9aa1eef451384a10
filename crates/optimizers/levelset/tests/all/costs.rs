//! Costs of evaluations: known, measured, and those of failures.

use thrifty_levelset::{Criterion, LevelSetOptimizer, LevelSetSettings};
use thrifty_model_based::{CostAwareness, InitialDesign};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{Context, MaxTrials, Measurement, Outcome, Study, Trial};

use crate::behaviour::{CRITERIA, at, branin, known, settings, square};

/// Half of the square is a thousand times as dear: what is known there comes from the other half as long as it can.
#[test]
fn costs_count() {
    let dear = |config: &Config| if at(config)[0] > 0.5 { 1000.0 } else { 1.0 };
    let spent = |with_cost: bool| {
        let settings = settings(Criterion::TruncatedVariance { shrink: 0.1, slack: 0.0 });
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known());
        let optimizer = if with_cost { optimizer.with_cost("halves", dear) } else { optimizer };
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(20));
        study.run(|config, _| branin(&at(config))).unwrap();
        study.history().trials()[3..].iter().map(|trial| dear(&trial.query)).sum::<f64>()
    };
    assert!(spent(true) < 0.4 * spent(false), "{} {}", spent(true), spent(false));
}

/// A failure that cost the budget of cooling: costs count no more, as the budget is spent.
#[test]
fn failures_spend_the_budget_of_cooling() {
    let next = |failed: f64, cost: CostAwareness| {
        let initial = InitialDesign::Sobol(5);
        let settings = LevelSetSettings { cost, initial, ..settings(Criterion::IntegratedBernoulli) };
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap();
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(8));
        let outcome = |config: &Config, context: &mut Context<'_>| {
            let u = at(config);
            let cost = if u[0] > 0.5 { 20.0 } else { 1.0 };
            match context.id.0 {
                2 => Outcome::failed("lost").with_cost(failed),
                _ => Measurement { cost: Some(cost), ..Measurement::from(branin(&u)) }.into(),
            }
        };
        study.run(outcome).unwrap();
        study.history().trials()[6..].iter().map(|trial| at(&trial.query)).collect::<Vec<_>>()
    };
    let cooled = CostAwareness::Cooled { budget: 1000.0 };
    let spent = next(1000.0, cooled);
    assert_eq!(spent, next(1000.0, CostAwareness::PerUnit { exponent: 0.0 }), "nothing is left");
    assert_ne!(spent, next(1.0, cooled), "most is left");
}

/// Every criterion spends less where a known cost counts.
#[test]
fn known_costs_count_for_every_criterion() {
    let dear = |config: &Config| if at(config)[0] > 0.5 { 1000.0 } else { 1.0 };
    for criterion in CRITERIA.into_iter().filter(|criterion| *criterion != Criterion::Random) {
        let spent = |with_cost: bool| {
            let optimizer =
                LevelSetOptimizer::new(square(), settings(criterion)).unwrap().with_fixed_model(known());
            let optimizer = if with_cost { optimizer.with_cost("halves", dear) } else { optimizer };
            let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(11));
            study.run(|config, _| branin(&at(config))).unwrap();
            study.history().trials()[3..].iter().map(|trial| dear(&trial.query)).sum::<f64>()
        };
        let (with, without) = (spent(true), spent(false));
        assert!(with < without || without <= 8.0, "{criterion:?}: {with} {without}");
    }
}

/// Points that probably break a measured constraint are evaluated less; measured costs count according to the settings.
#[test]
fn measured_constraints_and_costs_count() {
    let measure = |config: &Config| {
        let u = at(config);
        Measurement {
            objectives: vec![branin(&u)],
            constraints: vec![u[0] - 0.5],
            cost: Some(if u[1] > 0.5 { 1000.0 } else { 1.0 }),
            ..Measurement::default()
        }
    };
    for criterion in
        [Criterion::Straddle { kappa: 1.96 }, Criterion::IntegratedBernoulli, Criterion::Ambiguity]
    {
        let settings = LevelSetSettings { initial: InitialDesign::Sobol(8), ..settings(criterion) };
        let optimizer = LevelSetOptimizer::new(square(), settings.clone()).unwrap().with_fixed_model(known());
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(24));
        study.run(|config, _| measure(config)).unwrap();
        let suggested = &study.history().trials()[8..];
        let broken = suggested.iter().filter(|trial| at(&trial.query)[0] > 0.5).count();
        assert!(broken <= 4, "{criterion:?}: {broken} of 16");
        assert!(suggested.iter().all(|trial| trial.diagnostics.contains_key("probability_feasible")));
        let settings = LevelSetSettings { cost: CostAwareness::PerUnit { exponent: 1.0 }, ..settings };
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known());
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(24));
        study.run(|config, _| measure(config)).unwrap();
        let dear = |trials: &[Trial<Config>]| trials.iter().filter(|t| at(&t.query)[1] > 0.5).count();
        assert!(dear(&study.history().trials()[8..]) < dear(suggested).max(1), "{criterion:?}");
        let query = study.history().trials()[0].query.clone();
        let error = study.add_known(query, 1.0).unwrap_err().to_string();
        assert!(error.contains("cost is missing"), "{error}");
    }
}

/// Known costs that are not positive count as 1: suggestions are those of a cost of 1 everywhere.
#[test]
fn costs_that_are_not_positive_count_as_1() {
    for criterion in
        [Criterion::Straddle { kappa: 1.96 }, Criterion::IntegratedBernoulli, Criterion::Ambiguity]
    {
        let queries = |odd: f64| {
            let optimizer =
                LevelSetOptimizer::new(square(), settings(criterion)).unwrap().with_fixed_model(known());
            let cost = move |config: &Config| if at(config)[0] > 0.5 { 1.0 } else { odd };
            let mut study = Study::new(optimizer.with_cost("odd", cost), Seed(2)).with_stop(MaxTrials(8));
            study.run(|config, _| branin(&at(config))).unwrap();
            study.history().trials().iter().map(|trial| trial.query.clone()).collect::<Vec<Config>>()
        };
        let expected = queries(1.0);
        for odd in [0.0, -3.0, f64::NAN] {
            assert_eq!(queries(odd), expected, "{criterion:?} with a cost of {odd}");
        }
    }
}

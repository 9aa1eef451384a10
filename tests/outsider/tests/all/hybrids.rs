//! Hybrid exploration around every model-based optimiser.

use std::error::Error;

use thrifty::levelset::ClassificationSet;
use thrifty::prelude::*;

fn space() -> Space {
    Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().expect("two numbers")
}

fn bowl(config: &Config) -> f64 {
    let at = |name| config.float(name).unwrap_or(f64::NAN);
    (at("x") - 0.3).powi(2) + (at("y") - 0.6).powi(2)
}

fn always<O: ModelBased>(optimizer: O) -> Result<Hybrid<O>, Box<dyn Error>> {
    let settings = HybridSettings { exploration: Exploration::FixedRate { rate: 1.0 }, ..Default::default() };
    Ok(Hybrid::new(optimizer).with_settings(settings)?)
}

/// Standard deviations at the suggested points, and whether they were explored.
fn shares<O: Optimizer>(
    optimizer: O,
    trials: usize,
    evaluate: impl Fn(&O::Query) -> Outcome,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(trials));
    study.run(|query, _| evaluate(query))?;
    Ok(study.history().trials().iter().filter_map(|t| t.diagnostics.get("explored").copied()).collect())
}

#[test]
fn a_rate_of_one_explores_around_each() -> Result<(), Box<dyn Error>> {
    let several = |config: &Config| -> Outcome {
        let objectives = vec![bowl(config), 1.0 - config.float("x").unwrap_or(f64::NAN)];
        Measurement { objectives, ..Measurement::default() }.into()
    };
    let fold = |query: &FoldQuery| -> Outcome { (bowl(&query.config) + 0.01 * query.fold as f64).into() };
    let settings =
        LevelSetSettings { over: ClassificationSet::Grid { per_axis: 9 }, ..LevelSetSettings::above(0.2) };
    let explored = [
        shares(always(BayesianOptimizer::new(space()))?, 9, |config| bowl(config).into())?,
        shares(always(MultiObjectiveOptimizer::new(space()))?, 9, several)?,
        shares(always(FractionalCv::new(space(), 3)?)?, 9, fold)?,
        shares(always(LevelSetOptimizer::new(space(), settings)?)?, 9, |config| bowl(config).into())?,
    ];
    for shares in explored {
        assert!(shares.len() >= 4 && shares.iter().all(|share| *share == 1.0), "{shares:?}");
    }
    Ok(())
}

#[test]
fn rules_of_one_objective_are_an_error_elsewhere() -> Result<(), Box<dyn Error>> {
    for exploration in [
        Exploration::PiScaled { basis: 1.0, floor: 0.0 },
        Exploration::EpsPareto { epsilon: 1.0 },
        Exploration::EpsRandom { epsilon: 0.5 },
    ] {
        let settings = HybridSettings { exploration, ..Default::default() };
        let optimizer = Hybrid::new(MultiObjectiveOptimizer::new(space())).with_settings(settings)?;
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(9));
        let measure = |config: &Config| Measurement {
            objectives: vec![bowl(config), 1.0 - bowl(config)],
            ..Measurement::default()
        };
        let error = study.run(|config, _| measure(config)).map(|_| ());
        // The greedy rules have nothing to converge by and say so when they exploit or explore.
        let text = error.map_or_else(|error| error.to_string(), |()| "no error".into());
        assert!(
            text.contains("one objective") || text.contains("several objectives"),
            "{exploration:?}: {text}"
        );
    }
    Ok(())
}

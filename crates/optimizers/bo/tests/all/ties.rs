//! Losses that tie.

use std::collections::BTreeSet;

use thrifty_bo::{BayesianOptimizer, BoSettings, CostAwareness, InitialDesign, TiePolicy};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Measurement, Schedule, Study, Trial};

fn numbers(config: &Config) -> (f64, f64) {
    (config.float("x0").unwrap(), config.float("x1").unwrap())
}

fn smooth(x: f64, y: f64) -> f64 {
    (x - 0.71).powi(2) + 2.0 * (y - 0.37).powi(2) + 0.1 * (9.0 * x).sin()
}

/// Eight steps along each parameter.
fn stairs(x: f64, y: f64) -> f64 {
    let step = |x: f64| ((8.0 * x).floor().min(7.0) + 0.5) / 8.0;
    smooth(step(x), step(y))
}

fn trials(f: fn(f64, f64) -> f64, ties: TiePolicy, count: usize) -> Vec<Trial<Config>> {
    let settings = BoSettings { ties, initial: InitialDesign::Sobol(8), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(4)).with_stop(MaxTrials(count));
    study
        .run(|config, _| {
            let (x, y) = numbers(config);
            f(x, y)
        })
        .unwrap();
    study.history().trials().to_vec()
}

/// A smooth function has no ties: the policy changes nothing, to the last bit.
#[test]
fn without_ties_nothing_changes() {
    let queries =
        |ties| -> Vec<Config> { trials(smooth, ties, 20).iter().map(|trial| trial.query.clone()).collect() };
    assert_eq!(queries(TiePolicy::Pieces), queries(TiePolicy::Ignore));
    assert!(
        trials(smooth, TiePolicy::Pieces, 20).iter().all(|t| !t.diagnostics.contains_key("probability_tied"))
    );
}

/// A search that knows of steps sees more of them.
#[test]
fn a_search_on_stairs_leaves_steps_that_it_knows() {
    let seen = |ties| {
        let steps = trials(stairs, ties, 36);
        steps
            .iter()
            .map(|trial| trial.outcome.as_ref().unwrap().objective().unwrap().to_bits())
            .collect::<BTreeSet<u64>>()
            .len()
    };
    let (knowing, ignoring) = (seen(TiePolicy::Pieces), seen(TiePolicy::Ignore));
    assert!(knowing > ignoring + 3, "{knowing} {ignoring}");
}

/// From the first tie in the lower half on suggestions say how probable another one is.
#[test]
fn suggestions_say_how_probable_a_tie_is() {
    let trials = trials(stairs, TiePolicy::Pieces, 36);
    let noted: Vec<f64> =
        trials.iter().filter_map(|t| t.diagnostics.get("probability_tied").copied()).collect();
    assert!(noted.len() > 10 && noted.iter().all(|p| (0.0..=1.0).contains(p)), "{noted:?}");
    // What is expected of a suggestion counts that it may be none.
    for trial in trials.iter().filter(|trial| trial.diagnostics.contains_key("probability_tied")) {
        let largest = trial.diagnostics["max_expected_improvement"];
        assert!(largest.is_finite() && largest >= 0.0);
    }
}

/// A constant function, and one of two values: suggestions stay in the cube and apart.
#[test]
fn constants_are_searched_on() {
    for f in [(|_, _| 3.0) as fn(f64, f64) -> f64, |x, _| f64::from(u8::from(x > 0.3)), |_, _| -1e300] {
        let trials = trials(f, TiePolicy::Pieces, 24);
        let points: Vec<(f64, f64)> = trials.iter().map(|trial| numbers(&trial.query)).collect();
        for (i, a) in points.iter().enumerate() {
            assert!((0.0..=1.0).contains(&a.0) && (0.0..=1.0).contains(&a.1));
            assert!(points[..i].iter().all(|b| (a.0 - b.0).abs() + (a.1 - b.1).abs() > 1e-3), "{points:?}");
        }
    }
}

/// The recommendation has no noise where losses tie: it is the best that was measured.
#[test]
fn the_best_step_is_recommended() {
    let settings = BoSettings { initial: InitialDesign::Sobol(8), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(4)).with_stop(MaxTrials(30));
    let of = |config: &Config| {
        let (x, y) = numbers(config);
        stairs(x, y)
    };
    study.run(|config, _| of(config)).unwrap();
    let best = study.recommend().unwrap().unwrap();
    let least = study.history().best().unwrap().1;
    assert_eq!(of(&best.config), least);
}

/// Ties beside a constraint, a cost and running trials: all of them weight one suggestion.
#[test]
fn ties_beside_other_weights() {
    let cost = CostAwareness::PerUnit { exponent: 1.0 };
    let settings = BoSettings { initial: InitialDesign::Sobol(8), cost, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let study = Study::new(optimizer, Seed(4)).with_stop(MaxTrials(24));
    let mut study = study.with_schedule(Schedule::Window(3));
    study
        .run(|config, _| {
            let (x, y) = numbers(config);
            let constraints = vec![x + y - 1.2];
            Measurement { constraints, cost: Some(1.0 + x), ..Measurement::from(stairs(x, y)) }
        })
        .unwrap();
    let has_tie = |trial: &&Trial<Config>| trial.diagnostics.contains_key("probability_tied");
    let tied: Vec<&Trial<Config>> = study.history().trials().iter().filter(has_tie).collect();
    assert!(!tied.is_empty());
    for trial in tied {
        for name in ["probability_tied", "probability_feasible", "expected_cost", "max_expected_improvement"]
        {
            assert!(trial.diagnostics.get(name).is_some_and(|value| value.is_finite()), "{name}: {trial:?}");
        }
    }
}

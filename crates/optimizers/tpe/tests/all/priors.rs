//! Priors of parameters, and densities of one parameter.

use std::collections::{BTreeMap, HashSet};

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Optimizer, Study, TrialId};
use thrifty_tpe::{ParameterPrior, Startup, TpeOptimizer, TpeSettings};

use crate::behaviour::{loss, mixed, optimizer};

/// Random configurations at the start follow the prior: a normal one cut at the bounds has the quantiles of that, at its
/// middle and at an end.
#[test]
fn the_start_follows_the_prior() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    for (mean, std_dev) in [(0.5, 0.1), (1.0, 0.2), (-0.1, 0.3)] {
        let prior = ParameterPrior::Normal { mean, std_dev };
        let settings = TpeSettings { startup: Startup::Random(1000), ..TpeSettings::default() };
        let mut optimizer = TpeOptimizer::new(space.clone())
            .unwrap()
            .with_settings(settings)
            .unwrap()
            .with_priors(BTreeMap::from([("x".to_owned(), prior)]))
            .unwrap();
        let history = History::new(Seed(4));
        let mut draws: Vec<f64> = (0..1000)
            .map(|id| match optimizer.ask(&history, TrialId(id)).unwrap() {
                Ask::Evaluate(suggestion) => suggestion.query.float("x").unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        draws.sort_by(f64::total_cmp);
        let below = |x: f64| thrifty_prob::cdf((x - mean) / std_dev);
        // Kolmogorov's distance of 1000 draws is above 1.95/√1000 once in a thousand.
        let distance = draws
            .iter()
            .enumerate()
            .map(|(i, x)| ((below(*x) - below(0.0)) / (below(1.0) - below(0.0)) - i as f64 / 1000.0).abs())
            .fold(0.0, f64::max);
        assert!(distance < 0.062, "{mean} {std_dev}: {distance}");
    }
}

/// Marginal densities: one pair a value, of which both integrate to 1 between the bounds, and that of the good trials is higher at the best.
#[test]
fn marginals_are_densities() {
    let mut study =
        Study::new(optimizer(mixed(), TpeSettings::recommended()), Seed(1)).with_stop(MaxTrials(60));
    study.run(|config: &Config, _| loss(config)).unwrap();
    // Middles of 2000 intervals between -2 and 3.
    let (count, width) = (2000, 5.0 / 2000.0);
    let values: Vec<f64> = (0..count).map(|i| -2.0 + (f64::from(i) + 0.5) * width).collect();
    let mut anew = optimizer(mixed(), TpeSettings::recommended());
    let found = anew.marginals(study.history(), "x", &values).unwrap();
    assert_eq!(found.len(), values.len(), "pairs");
    let integral = |of: &dyn Fn(&(f64, f64)) -> f64| found.iter().map(|p| of(p).exp() * width).sum::<f64>();
    let integrals = (integral(&|p| p.0), integral(&|p| p.1));
    assert!((integrals.0 - 1.0).abs() < 1e-3 && (integrals.1 - 1.0).abs() < 1e-3, "{integrals:?}");
    let best = anew.marginals(study.history(), "x", &[0.0]).unwrap()[0];
    assert!(best.0 > best.1, "{best:?} at the smallest loss");
    assert!(anew.marginals(study.history(), "z", &values).is_err(), "no such parameter");
}

fn normal(mean: f64, std_dev: f64) -> ParameterPrior {
    ParameterPrior::Normal { mean, std_dev }
}

/// Space of one number with a normal prior that is centred beyond a bound: the start is near that bound. Without mass between the bounds
/// the prior is an error.
#[test]
fn priors_beyond_the_bounds_start_at_the_nearer_bound() {
    let with = |low: f64, high: f64, prior: ParameterPrior| {
        let space = Space::builder().float("x", low, high).build().unwrap();
        TpeOptimizer::new(space)?.with_priors(BTreeMap::from([("x".to_owned(), prior)]))
    };
    for (low, high) in [(9.0, 20.0), (-20.0, -9.0), (36.0, 40.0), (-40.0, -36.0)] {
        let mut study =
            Study::new(with(low, high, normal(0.0, 1.0)).unwrap(), Seed(1)).with_stop(MaxTrials(25));
        study.run(|config: &Config, _| config.float("x").unwrap()).unwrap();
        let nearer = low.abs().min(high.abs());
        let first = study.history().trials().iter().take(10).map(|t| t.query.float("x").unwrap());
        let first: Vec<f64> = first.collect();
        assert!(first.iter().all(|x| (nearer..nearer + 2.0).contains(&x.abs())), "{low} {high}: {first:?}");
        let distinct: HashSet<u64> = first.iter().map(|x| x.to_bits()).collect();
        assert_eq!(distinct.len(), 10, "{low} {high}: {first:?}");
        let mut tpe = with(low, high, normal(0.0, 1.0)).unwrap();
        for (l, g) in tpe.marginals(study.history(), "x", &[low, 0.5 * (low + high), high]).unwrap() {
            assert!(l.is_finite() && g.is_finite(), "{low} {high}: {l} {g}");
        }
    }
    for (low, high) in [(50.0, 60.0), (-60.0, -50.0)] {
        let error = with(low, high, normal(0.0, 1.0)).err().unwrap();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains("\"x\"") || text.contains("`x`") || text.contains(" x"), "{text}");
        assert!(text.contains("no mass between the bounds"), "{text}");
    }
}

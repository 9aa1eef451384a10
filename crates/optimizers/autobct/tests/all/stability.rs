//! Values that only change on purpose: looks ahead, clouds, value functions and short trainings.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_autobct::{
    AutoBct, AutoBctSettings, Baseline, BeliefSamples, Branching, Controls, Decision, Expectation, Features,
    MapSettings, NoiseStdDev, OneStep, Plan, Quadrature, Regressor, SamplingSettings, Scale, Shrunk, State,
    TwoSteps, ValueFunction, ValueMap,
};
use thrifty_linear::{Coefficients, CovariancePrior, Polynomial};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Measurement, Study};
use thrifty_trees::{BoostingSettings, ForestSettings};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_autobct.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(0.01), "{name}: {found} {expected}");
    }
}

fn cubic() -> Polynomial {
    Polynomial::of_one(3, 0.5)
}

fn controls(count: usize) -> Controls {
    let noise = |u: &[f64]| NoiseStdDev { score: 0.05 + 0.01 * u[0], cost: 0.1 - 0.02 * u[0] };
    Controls::new(Controls::grid(1, count).as_ref(), &cubic(), &cubic(), noise).unwrap()
}

fn prior() -> State {
    State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0, 0.8, 0.9, 1.1]).unwrap(),
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0]).unwrap(),
    }
}

/// The belief after two trainings.
fn learnt() -> State {
    let (controls, mut state) = (controls(7), prior());
    state.learn(&controls, 1, 0.6, 0.4).unwrap();
    state.learn(&controls, 4, 0.8, 0.9).unwrap();
    state
}

fn rules() -> Vec<(&'static str, Quadrature)> {
    vec![
        ("hermite", Quadrature::Hermite(5)),
        ("composite", Quadrature::Composite { panels: 4, nodes: 3 }),
        ("bent", Quadrature::Bent { nodes: 4 }),
        ("adaptive", Quadrature::Adaptive { tolerance: 1e-5 }),
    ]
}

#[test]
fn looks_ahead_keep_their_values() {
    for (name, rule) in rules() {
        let nodes = rule.rule().into_iter().flat_map(|(z, weight)| [z, weight]);
        check(&format!("rule_{name}"), &nodes.collect::<Vec<f64>>());
        let decision = Decision::with_later(0.16, controls(7), controls(4), rule).unwrap();
        let (one, two) = (OneStep(&decision), TwoSteps(&decision));
        for (of, state) in [("prior", prior()), ("learnt", learnt())] {
            check(&format!("one_step_{name}_{of}"), &decision.one_step(&state).of_controls);
            check(&format!("two_steps_{name}_{of}"), &decision.two_steps(&state).of_controls);
            check(&format!("leaves_{name}_{of}"), &[one.value(&state).unwrap(), two.value(&state).unwrap()]);
            let cautious = Shrunk { of: &two, epsilon: 0.2 };
            check(&format!("cautious_{name}_{of}"), &[cautious.value(&state).unwrap()]);
            for (how, expectation) in [
                ("interpolated", Expectation::Interpolated { of_score: 5, of_cost: Quadrature::Hermite(3) }),
                (
                    "product",
                    Expectation::Quadrature {
                        of_score: Quadrature::Composite { panels: 2, nodes: 2 },
                        of_cost: Quadrature::Hermite(2),
                    },
                ),
                ("sampled", Expectation::Sampled { samples: 5, seed: Seed(3) }),
            ] {
                let three = decision.steps(&state, 3, &expectation).unwrap().of_controls;
                check(&format!("three_{name}_{of}_{how}"), &three);
                let fly = decision.on_the_fly(&state, 1, &two, &expectation).unwrap().of_controls;
                check(&format!("fly_{name}_{of}_{how}"), &fly);
            }
        }
    }
}

#[test]
fn clouds_keep_their_beliefs() {
    let base = SamplingSettings {
        drawn: 3,
        levels: 2,
        roots: 3,
        depth: 2,
        branching: Branching::Every(2),
        ..SamplingSettings::small()
    };
    for (name, settings) in [
        ("every", base.clone()),
        ("paths", SamplingSettings { branching: Branching::Paths(2), ..base.clone() }),
        (
            "wide",
            SamplingSettings { spread: 1.7, law: CovariancePrior::Wishart { degrees: 6.0 }, ..base.clone() },
        ),
    ] {
        let cloud = BeliefSamples::new(&prior(), &controls(6), &settings, Seed(1)).unwrap();
        assert_eq!((cloud.len(), cloud.is_empty()), (settings.len(), settings.is_empty()));
        let sums = (0..cloud.len()).map(|i| {
            cloud.numbers(i).iter().enumerate().map(|(k, v)| v * (1.0 + 0.1 * k as f64)).sum::<f64>()
        });
        check(&format!("cloud_{name}"), &sums.collect::<Vec<f64>>());
    }
    let small = SamplingSettings::small();
    check("cloud_small", &[small.drawn, small.levels, small.roots, small.depth].map(|v| v as f64));
    assert_eq!((small.spread, small.branching), (1.0, Branching::Every(5)));
}

#[test]
fn maps_keep_their_values() {
    let decision = Decision::with_later(0.16, controls(7), controls(5), Quadrature::Hermite(3)).unwrap();
    let cloud = SamplingSettings {
        drawn: 8,
        levels: 3,
        roots: 8,
        depth: 2,
        branching: Branching::Every(3),
        ..SamplingSettings::small()
    };
    let forest = Regressor::Forest(ForestSettings { trees: 4, ..ForestSettings::default() });
    let boosting = Regressor::Boosting(BoostingSettings { rounds: 6, ..BoostingSettings::default() });
    let paper = MapSettings { regressor: forest.clone(), ..MapSettings::paper(3, 4, Seed(3)) };
    let accurate = MapSettings { regressor: boosting, ..MapSettings::accurate(3) };
    for (name, settings) in [
        ("paper", paper.clone()),
        ("rough", MapSettings { smooth: false, bins: 8, ..paper.clone() }),
        ("accurate", accurate.clone()),
        ("shape", MapSettings { features: Features::Shape(3), ..paper.clone() }),
        ("one_step", MapSettings { baseline: Baseline::OneStep, clip: true, ..paper }),
        ("raw", MapSettings { features: Features::Raw, clip: false, regressor: forest, ..accurate }),
    ] {
        let map = ValueMap::build(&decision, &prior(), &cloud, &settings, 1).unwrap();
        let values = (1..=3).flat_map(|depth| {
            let level = map.level(depth, &decision).unwrap();
            [prior(), learnt()].map(|state| level.value(&state).unwrap())
        });
        check(&format!("map_{name}"), &values.collect::<Vec<f64>>());
    }
}

#[test]
fn trainings_keep_their_controls() {
    let space = || Space::builder().float("u", 0.0, 1.0).build().unwrap();
    let quick = || AutoBctSettings { grid: 11, later_grid: 6, ..AutoBctSettings::default() };
    let earlier = Expectation::Interpolated { of_score: 5, of_cost: Quadrature::Hermite(2) };
    for (name, settings) in [
        ("defaults", quick()),
        ("cheap", AutoBctSettings { gamma: 0.01, ..quick() }),
        ("one", AutoBctSettings { plan: Plan::Relaxed { depth: 1 }, gamma: 0.02, ..quick() }),
        ("three", AutoBctSettings { plan: Plan::Relaxed { depth: 3 }, earlier, gamma: 0.01, ..quick() }),
        ("horizon", AutoBctSettings { plan: Plan::Horizon { horizon: 3 }, earlier, gamma: 0.01, ..quick() }),
        ("epsilon", AutoBctSettings { epsilon: 0.1, gamma: 0.01, ..quick() }),
        ("smooth", AutoBctSettings { smooth: true, gamma: 0.01, ..quick() }),
        ("best", AutoBctSettings { recall_best: true, gamma: 0.01, ..quick() }),
        ("epochs", AutoBctSettings { max_epochs: 2, gamma: 0.0, ..quick() }),
        ("capped", AutoBctSettings { max_cost: 0.7, gamma: 0.0, ..quick() }),
        ("affine", AutoBctSettings { score: Scale::Affine { zero: -0.2, one: 1.5 }, gamma: 0.01, ..quick() }),
        (
            "logarithmic",
            AutoBctSettings { cost: Scale::Logarithmic { zero: 0.05, one: 2.0 }, gamma: 0.01, ..quick() },
        ),
    ] {
        let optimizer = AutoBct::new(space(), &cubic(), &cubic(), prior(), settings).unwrap();
        let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(6));
        let reason = study.run(|config: &Config, context| {
            let (u, wobble) = (config.float("u").unwrap(), (context.id.0 as f64).sin());
            let score = 0.98 - 0.42 * (-6.0 * u).exp() + 0.02 * wobble;
            let cost = Some((0.06 + 0.67 * u + 0.03 * wobble).max(0.01));
            Measurement { objectives: vec![score], cost, ..Measurement::default() }
        });
        let mut found = vec![f64::from(u8::from(reason.is_ok()))];
        for trial in study.history().trials() {
            found.push(trial.query.float("u").unwrap());
            found.extend(trial.diagnostics.values().filter(|v| v.is_finite()));
        }
        if let Ok(thrifty_study::StopReason::Decided { numbers, .. }) = &reason {
            found.extend(numbers.values().filter(|v| v.is_finite()));
        }
        found.push(study.recommend().unwrap().map_or(-1.0, |best| best.config.float("u").unwrap()));
        check(&format!("training_{name}"), &found);
    }
}

//! Defaults number by number, with where they are from; and what settings and files are refused.

use thrifty_autobct::{
    AutoBctError, AutoBctSettings, Baseline, BeliefSamples, Branching, Controls, Expectation, Features,
    MapSettings, NoiseStdDev, Plan, Quadrature, Record, Regressor, SamplingSettings, Scale, State,
};
use thrifty_check::InputError;
use thrifty_linear::{Coefficients, CovariancePrior, Polynomial};
use thrifty_sampling::Seed;
use thrifty_trees::{BoostingSettings, ForestSettings};

/// The paper's example with one control: γ = 0.16, noise of 0.05 and 0.1, 101 controls.
#[test]
fn the_default_is_the_published_problem_two_trainings_ahead() {
    let expected = AutoBctSettings {
        gamma: 0.16,
        noise_std_dev: NoiseStdDev { score: 0.05, cost: 0.1 },
        score: Scale::Identity,
        cost: Scale::Identity,
        plan: Plan::Relaxed { depth: 2 },
        epsilon: 0.0,
        grid: 101,
        later_grid: 101,
        of_cost: Quadrature::Adaptive { tolerance: 1e-6 },
        earlier: Expectation::Interpolated { of_score: 13, of_cost: Quadrature::Hermite(7) },
        smooth: false,
        max_epochs: 100,
        max_cost: f64::INFINITY,
        recall_best: false,
    };
    assert_eq!(AutoBctSettings::default(), expected);
    assert_eq!(expected.validate(), Ok(()));
}

/// Algorithm 4 with Algorithm 2: one training from samples, smoothed, before a value function.
#[test]
fn the_published_look_ahead_is_as_its_source_says() {
    let expected = AutoBctSettings {
        gamma: 0.16,
        noise_std_dev: NoiseStdDev { score: 0.05, cost: 0.1 },
        score: Scale::Identity,
        cost: Scale::Identity,
        plan: Plan::Relaxed { depth: 1 },
        epsilon: 0.02,
        grid: 101,
        later_grid: 101,
        of_cost: Quadrature::Adaptive { tolerance: 1e-6 },
        earlier: Expectation::Sampled { samples: 1000, seed: Seed(7) },
        smooth: true,
        max_epochs: 100,
        max_cost: f64::INFINITY,
        recall_best: false,
    };
    assert_eq!(AutoBctSettings::paper(1000, 0.02, Seed(7)), expected);
    assert_eq!(expected.validate(), Ok(()));
    assert!(AutoBctSettings::paper(1000, 1.0, Seed(7)).validate().is_err());
}

#[test]
fn clouds_of_the_paper_have_its_sizes() {
    let small = SamplingSettings {
        drawn: 624,
        levels: 9,
        law: CovariancePrior::Wishart { degrees: 10.0 },
        spread: 1.0,
        roots: 60,
        depth: 3,
        branching: Branching::Every(5),
    };
    assert_eq!(SamplingSettings::small(), small);
    let one = SamplingSettings { drawn: 1000, levels: 38, roots: 750, ..small.clone() };
    assert_eq!(SamplingSettings::paper_1d(), one);
    let two = SamplingSettings {
        drawn: 1000,
        levels: 8,
        law: CovariancePrior::Wishart { degrees: 20.0 },
        roots: 10_600,
        depth: 10,
        branching: Branching::Paths(7),
        ..small.clone()
    };
    assert_eq!(SamplingSettings::paper_2d(), two);
    // 624 × 10 + 60 (1 + 5 + 25 + 125), 1000 × 39 + 750 × 156, 1000 × 9 + 10600 (1 + 70).
    assert_eq!([small.len(), one.len(), two.len()], [15_600, 156_000, 761_600]);
    let none = SamplingSettings { drawn: 0, roots: 0, ..small.clone() };
    assert!(none.is_empty() && !small.is_empty());
}

#[test]
fn maps_are_learnt_as_the_paper_or_as_accurately_as_can_be() {
    let paper = MapSettings {
        depth: 4,
        baseline: Baseline::Nothing,
        features: Features::Raw,
        expectation: Expectation::Sampled { samples: 100, seed: Seed(3) },
        smooth: true,
        regressor: Regressor::Forest(ForestSettings::default()),
        bins: 256,
        clip: false,
        seed: Seed(3),
    };
    assert_eq!(MapSettings::paper(4, 100, Seed(3)), paper);
    let accurate = MapSettings {
        depth: 5,
        baseline: Baseline::TwoSteps,
        features: Features::Shape(9),
        expectation: Expectation::Interpolated { of_score: 11, of_cost: Quadrature::Hermite(3) },
        smooth: false,
        regressor: Regressor::Boosting(BoostingSettings::default()),
        bins: 256,
        clip: true,
        seed: Seed(0),
    };
    assert_eq!(MapSettings::accurate(5), accurate);
}

/// JSON has no infinity: a cost without a limit is `null` there.
#[test]
fn settings_survive_json() {
    for settings in
        [AutoBctSettings::default(), AutoBctSettings { max_cost: 2.5, ..AutoBctSettings::default() }]
    {
        let json = serde_json::to_value(&settings).unwrap();
        assert_eq!(serde_json::from_value::<AutoBctSettings>(json).unwrap(), settings);
    }
}

#[test]
fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
    let named = |change: &dyn Fn(&mut AutoBctSettings)| {
        let mut settings = AutoBctSettings::default();
        change(&mut settings);
        match settings.validate() {
            Err(AutoBctError::Input(InputError::Number { name, .. })) => Some(name),
            _ => None,
        }
    };
    for plan in [Plan::Relaxed { depth: 0 }, Plan::Horizon { horizon: 0 }] {
        assert_eq!(named(&|s| s.plan = plan), Some("trainings looked ahead"));
    }
    for plan in [Plan::Relaxed { depth: 1 }, Plan::Horizon { horizon: 1 }] {
        assert_eq!(named(&|s| s.plan = plan), None);
    }
    for epsilon in [-1e-9, 1.0, f64::NAN] {
        assert_eq!(named(&|s| s.epsilon = epsilon), Some("epsilon"));
    }
    assert_eq!(named(&|s| s.epsilon = 0.999), None);
    assert_eq!(named(&|s| s.grid = 1), Some("controls of each number"));
    assert_eq!(named(&|s| s.later_grid = 1), Some("later controls of each number"));
    assert_eq!(named(&|s| (s.grid, s.later_grid, s.max_epochs, s.max_cost) = (2, 2, 1, 1e-9)), None);
    assert_eq!(named(&|s| s.max_epochs = 0), Some("trainings at most"));
    for cost in [0.0, -1.0, f64::NAN] {
        assert_eq!(named(&|s| s.max_cost = cost), Some("cost at most"));
    }
    let broken = Scale::Affine { zero: 1.0, one: 1.0 };
    assert!(named(&|s| s.score = broken).is_some() && named(&|s| s.cost = broken).is_some());
}

fn constant() -> Polynomial {
    Polynomial::of_one(0, 0.5)
}

fn alone(mean: f64, variance: f64) -> Coefficients {
    Coefficients::independent(vec![mean], &[variance]).unwrap()
}

/// One coefficient, the value itself: a task of n runs of mean ȳ has the variance 1 / (1/v + n/σ²) and the mean that
/// times (m/v + n ȳ/σ²); the next task the mean of the means, and the variances' mean plus (Σ (m - μ)² + v) / (K + 1) over their means m.
#[test]
fn the_next_task_is_expected_to_be_as_the_earlier_ones() {
    let start = State { score: alone(0.5, 2.0), cost: alone(1.0, 3.0) };
    let noise = NoiseStdDev { score: 0.5, cost: 0.2 };
    let record = |score: f64, cost: f64| Record { control: vec![0.3], score, cost };
    let tasks = [vec![record(1.0, 2.0), record(2.0, 4.0)], vec![], vec![record(0.2, 0.5)]];
    let next = State::from_tasks(&constant(), &constant(), &start, &tasks, noise).unwrap();
    let expected = |m: f64, v: f64, s: f64, runs: [&[f64]; 2]| {
        let each = runs.map(|runs| {
            let precision = 1.0 / v + runs.len() as f64 / (s * s);
            ((m / v + runs.iter().sum::<f64>() / (s * s)) / precision, 1.0 / precision)
        });
        let mean = f64::midpoint(each[0].0, each[1].0);
        let differ: f64 = each.iter().map(|(own, _)| (own - mean).powi(2)).sum();
        (mean, f64::midpoint(each[0].1, each[1].1) + (differ + v) / 3.0)
    };
    let (mean, variance) = expected(0.5, 2.0, 0.5, [&[1.0, 2.0], &[0.2]]);
    assert!(
        (next.score.mean()[0] - mean).abs() < 1e-12 && (next.score.covariance()[0] - variance).abs() < 1e-12
    );
    let (mean, variance) = expected(1.0, 3.0, 0.2, [&[2.0, 4.0], &[0.5]]);
    assert!(
        (next.cost.mean()[0] - mean).abs() < 1e-12 && (next.cost.covariance()[0] - variance).abs() < 1e-12
    );
    let none = State::from_tasks(&constant(), &constant(), &start, &[vec![]], noise).unwrap();
    assert_eq!(none, start);
    let wide = Record { control: vec![0.1, 0.2], score: 0.0, cost: 0.0 };
    let error = State::from_tasks(&constant(), &constant(), &start, &[vec![record(0.0, 1.0), wide]], noise);
    assert_eq!(error, Err(AutoBctError::Control { index: 1, control: vec![0.1, 0.2], dim: 1 }));
}

/// A number that is observed loses 1 / (1 + σ²/v) of its variance.
#[test]
fn a_run_teaches_score_and_cost_by_their_noise() {
    let noise = |_: &[f64]| NoiseStdDev { score: 0.5, cost: 2.0 };
    let controls = Controls::new(Controls::grid(1, 3).as_ref(), &constant(), &constant(), noise).unwrap();
    assert_eq!((controls.score_noise(1), controls.cost_noise(2)), (0.25, 4.0));
    let mut state = State { score: alone(0.0, 1.0), cost: alone(1.0, 4.0) };
    state.learn(&controls, 1, 5.0, 3.0).unwrap();
    assert!((state.score.mean()[0] - 4.0).abs() < 1e-12 && (state.score.covariance()[0] - 0.2).abs() < 1e-12);
    assert!((state.cost.mean()[0] - 2.0).abs() < 1e-12 && (state.cost.covariance()[0] - 2.0).abs() < 1e-12);
    let before = state.clone();
    assert!(
        state.learn(&controls, 1, f64::NAN, 1.0).is_err()
            && state.learn(&controls, 1, 1.0, f64::NAN).is_err()
    );
    assert_eq!(state, before);
    // E[T⁺] of a normal cost with mean 2 and variance 2 + 4.
    let (s, m) = (6_f64.sqrt(), 2.0);
    let expected = s * thrifty_prob::pdf(m / s) + m * thrifty_prob::cdf(m / s);
    assert!((state.cost_at(&controls, 0) - expected).abs() < 1e-12);
    assert!((state.score_at(&controls, 0) - 4.0).abs() < 1e-12);
}

#[test]
fn controls_of_a_file_are_checked_as_those_that_are_made() {
    let noise = |_: &[f64]| NoiseStdDev { score: 0.5, cost: 2.0 };
    let made = Controls::new(Controls::grid(1, 3).as_ref(), &constant(), &constant(), noise).unwrap();
    let file = serde_json::to_value(&made).unwrap();
    let read = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut file = file.clone();
        change(&mut file);
        serde_json::from_value::<Controls>(file).map_err(|error| error.to_string())
    };
    assert_eq!(read(&|_| {}), Ok(made));
    for list in ["score", "cost", "score_noise", "cost_noise"] {
        let short = read(&|file| drop(file[list].as_array_mut().unwrap().pop())).unwrap_err();
        assert!(short.contains("at 2 controls, expected 3"), "{list}: {short}");
    }
    for list in ["score_noise", "cost_noise"] {
        for value in [0.0, -1.0] {
            let error = read(&|file| file[list][1] = value.into()).unwrap_err();
            assert!(error.contains("variance of the"), "{error}");
        }
    }
    for list in ["score", "cost"] {
        let error = read(&|file| file[list][1] = serde_json::json!([1.0, 2.0])).unwrap_err();
        assert!(error.contains(list) && error.contains("at control 1"), "{error}");
    }
}

#[test]
fn beliefs_of_another_length_than_the_functions_have_no_cloud() {
    let noise = |_: &[f64]| NoiseStdDev { score: 0.5, cost: 2.0 };
    let controls = Controls::new(Controls::grid(1, 3).as_ref(), &constant(), &constant(), noise).unwrap();
    let two = Coefficients::independent(vec![0.0; 2], &[1.0; 2]).unwrap();
    let settings = SamplingSettings { drawn: 1, roots: 1, ..SamplingSettings::small() };
    for prior in [
        State { score: two.clone(), cost: alone(0.0, 1.0) },
        State { score: alone(0.0, 1.0), cost: two.clone() },
    ] {
        assert!(BeliefSamples::new(&prior, &controls, &settings, Seed(1)).is_err());
    }
}

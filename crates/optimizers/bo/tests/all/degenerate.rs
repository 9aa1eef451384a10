//! Losses and spaces that models are bad at: constant losses under every rule, heavy tails, jumps, more dimensions than trials.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, MinValueSampler, Schedule};
use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign, Maximizer, PendingPolicy};
use thrifty_gp::{GpSettings, Noise};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Schedule as Window, Study};

fn rules() -> Vec<AcquisitionKind> {
    vec![
        AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestObserved),
        AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestWithMargin { xi: 0.01 }),
        AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean),
        AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved),
        AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }),
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::MaxStdDev,
        AcquisitionKind::Thompson,
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 8 }),
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::JointEntropySearch { minimizers: 4 },
        AcquisitionKind::EntropySearch { representers: 10, draws: 16 },
        AcquisitionKind::PredictiveEntropySearch { representers: 10, draws: 16 },
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 8 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 10 },
    ]
}

#[test]
fn constant_losses_go_on_under_every_rule() {
    let line = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let square = Space::builder().float("x", -5.0, 10.0).float("y", 0.0, 15.0).build().unwrap();
    for rule in rules() {
        for (space, seeds) in [(&line, 0..4), (&square, 4..6)] {
            for seed in seeds {
                for constant in [0.0, 7.0, -1e9, 1e-9] {
                    let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
                    let settings = BoSettings { rule, maximizer, ..BoSettings::default() };
                    let optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings);
                    let mut study = Study::new(optimizer.unwrap(), Seed(seed)).with_stop(MaxTrials(8));
                    if let Err(error) = study.run(|_, _| constant) {
                        panic!("{rule:?}, seed {seed}, losses of {constant}: {error}");
                    }
                    assert_eq!(study.history().len(), 8);
                }
            }
        }
    }
}

/// Running trials on top, with noise that is known to be next to nothing.
#[test]
fn constant_losses_go_on_beside_running_trials() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    for rule in rules() {
        for pending in [PendingPolicy::KrigingBeliever, PendingPolicy::default()] {
            let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
            let settings = BoSettings { rule, maximizer, pending, ..BoSettings::default() };
            let noise = Noise::Fixed(1e-12);
            let model = GpSurrogate {
                settings: GpSettings { noise, ..GpSettings::default() },
                ..GpSurrogate::default()
            };
            let optimizer =
                BayesianOptimizer::new(space.clone()).with_surrogate(model).with_settings(settings);
            let study = Study::new(optimizer.unwrap(), Seed(1)).with_stop(MaxTrials(12));
            let mut study = study.with_schedule(Window::Window(3));
            if let Err(error) = study.run_parallel(1, |_, _| 1.0) {
                panic!("{rule:?}, {pending:?}: {error}");
            }
        }
    }
}

/// The configuration that was asked first is recommended among those with the same mean.
#[test]
fn the_first_of_equals_is_recommended() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let settings = BoSettings { initial: InitialDesign::Sobol(6), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(space).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(6));
    study.run(|_, _| 2.0).unwrap();
    let best = study.recommend().unwrap().unwrap();
    assert_eq!((&best.config, best.value), (&study.history().trials()[0].query, 2.0));
}

/// Suggestions are in bounds and finite, under both ways of learning.
fn goes_on(dim: usize, trials: usize, loss: &dyn Fn(usize, &[f64]) -> f64) {
    let space = Space::unit_cube(dim);
    for surrogate in [GpSurrogate::default(), GpSurrogate::noisy()] {
        let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
        let settings = BoSettings { maximizer, initial: InitialDesign::Sobol(4), ..BoSettings::default() };
        let optimizer =
            BayesianOptimizer::new(space.clone()).with_surrogate(surrogate).with_settings(settings);
        let mut study = Study::new(optimizer.unwrap(), Seed(dim as u64)).with_stop(MaxTrials(trials));
        let run =
            study.run(|config: &Config, trial| loss(trial.id.0 as usize, &space.encode(config).unwrap()));
        if let Err(error) = run {
            panic!("{dim} dimensions, {trials} trials: {error}");
        }
        assert_eq!(study.history().len(), trials);
        for trial in study.history().trials() {
            let x = space.encode(&trial.query).unwrap();
            assert!(x.iter().all(|v| (0.0..=1.0).contains(v)), "trial {}: {x:?}", trial.id.0);
            assert!(
                trial.diagnostics.values().all(|v| !v.is_nan()),
                "trial {}: {:?}",
                trial.id.0,
                trial.diagnostics
            );
        }
        assert!(study.recommend().unwrap().is_some());
    }
}

/// A number in (0, 1) for each trial.
fn uniform(trial: usize) -> f64 {
    (0.5 + trial as f64 * 0.618_033_988_75).fract()
}

/// Cauchy, log-normal of σ = 20 and signed cubes of a Cauchy number: the largest of them dwarf all others.
#[test]
fn heavy_tails_go_on() {
    let cauchy = |trial: usize| (std::f64::consts::PI * (uniform(trial) - 0.5)).tan();
    goes_on(2, 24, &|trial, x| x[0] + cauchy(trial));
    goes_on(2, 24, &|trial, x| x[0] * (20.0 * cauchy(trial).clamp(-4.0, 4.0)).exp());
    goes_on(2, 24, &|trial, x| x[0] + cauchy(trial * 7).powi(3));
    goes_on(1, 24, &|trial, _| if trial == 11 { 1e200 } else { uniform(trial) });
}

/// Losses are constant until one jumps: by as little as rounding, by as much as a model can carry.
#[test]
fn constant_losses_that_jump_go_on() {
    for jump in [1e-12, 1.0, 1e12, 1e149, -1e-12, -1.0, -1e12] {
        goes_on(2, 20, &|trial, _| if trial < 12 { 3.0 } else { 3.0 + jump });
        goes_on(1, 20, &|trial, _| if trial == 12 { jump } else { 0.0 });
    }
}

#[test]
fn more_dimensions_than_trials_go_on() {
    goes_on(60, 20, &|_, x| x.iter().map(|v| (v - 0.3).powi(2)).sum());
    goes_on(60, 8, &|_, _| 1.0);
}

/// A thousand dimensions: beyond the tables of the Sobol sequence too.
#[test]
fn a_thousand_dimensions_go_on() {
    let space = Space::unit_cube(1000);
    let maximizer = Maximizer { raw: 16, around_best: 1, climbs: 1 };
    let settings = BoSettings { maximizer, initial: InitialDesign::Sobol(4), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(7));
    let loss = |x: &[f64]| x.iter().map(|v| (v - 0.3).powi(2)).sum::<f64>();
    study.run(|config: &Config, _| loss(&space.encode(config).unwrap())).unwrap();
    for trial in study.history().trials() {
        let x = space.encode(&trial.query).unwrap();
        assert!(x.iter().all(|v| (0.0..=1.0).contains(v)), "trial {}", trial.id.0);
    }
}

//! Constant losses, under every rule.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, MinValueSampler, Schedule};
use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign, Maximizer, PendingPolicy};
use thrifty_gp::{GpSettings, Noise};
use thrifty_sampling::Seed;
use thrifty_space::Space;
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

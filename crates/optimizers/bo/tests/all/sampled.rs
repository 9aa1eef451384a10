//! Bayesian optimisation with hyperparameters sampled from their posterior.

use std::sync::Mutex;

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, AcquisitionKind, Context, Description,
    ExpectedImprovement, ImprovementTarget, KnowledgeGradient, MinValueSampler, Schedule, Utility,
    UtilityScale, choose_anchors,
};
use thrifty_bo::{BayesianOptimizer, BoSettings};
use thrifty_domain::Points;
use thrifty_gp::{GpSurrogate, Sampling};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{Ask, History, MaxTrials, Optimizer, Outcome, Study, Trial, TrialId};
use thrifty_testbed::{Problem, TestFunction};

fn optimizer(rule: AcquisitionKind) -> BayesianOptimizer {
    BayesianOptimizer::new(TestFunction::branin().space().clone())
        .with_surrogate(GpSurrogate::default().with_sampled_hyperparameters(Sampling::default()))
        .with_settings(BoSettings { rule, ..BoSettings::default() })
        .unwrap()
}

fn best_mean() -> AcquisitionKind {
    AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean)
}

fn finished(trials: usize, window: usize) -> History<Config> {
    let mut study = Study::new(optimizer(best_mean()), Seed(3)).with_stop(MaxTrials(trials));
    study.run_parallel(window, |config: &Config, _| TestFunction::branin().truth(config)).unwrap();
    study.history().clone()
}

/// Samples go on from those in the memo: a study that is interrupted anywhere asks the same.
#[test]
fn every_step_is_a_function_of_the_history() {
    let history = finished(45, 1);
    let all = history.trials();
    for at in 0..all.len() {
        let before = History::from_trials(all[..at].to_vec(), Seed(3));
        let Ask::Evaluate(again) = optimizer(best_mean()).ask(&before, TrialId(at as u64)).unwrap() else {
            panic!("{at}: no suggestion")
        };
        assert_eq!(again.query, all[at].query, "trial {at}");
        assert_eq!(again.memo, all[at].memo, "trial {at}");
    }
    let best = history.best().map(|(_, best)| best).unwrap();
    assert!(best - TestFunction::branin().optimum() < 1e-3, "{best}");
}

/// Sixteen samples in eight dimensions take at most two kilobytes of a journal.
#[test]
fn the_memo_of_samples_is_small() {
    let space = thrifty_space::Space::unit_cube(8);
    let optimizer = BayesianOptimizer::new(space).with_surrogate(GpSurrogate::noisy());
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
    study
        .run(|config: &Config, _| {
            (0..8).map(|d| (config.float(&format!("x{d}")).unwrap() - 0.4).powi(2)).sum::<f64>()
        })
        .unwrap();
    let last = study.history().trials().last().unwrap();
    let written = serde_json::to_string(&last.memo).unwrap();
    let numbers = last.memo.get(&thrifty_study::MemoKey::<Vec<f64>>::named("model")).unwrap().len();
    assert_eq!(numbers, 16 * 11);
    assert!(written.len() <= 2048, "{} bytes: {written}", written.len());
}

/// Log expected improvement is that of each member on its own best mean, averaged; a confidence bound is that of the mixture.
#[test]
fn acquisitions_are_averaged_over_the_members() {
    let history = finished(14, 1);
    let optimizer = optimizer(best_mean());
    let state = optimizer.state(&history, TrialId(14)).unwrap().unwrap();
    assert_eq!(state.members().len(), 16);
    let acquisition = state.acquisition(&best_mean()).unwrap();
    let points: Vec<Vec<f64>> =
        history.trials().iter().map(|trial| state.space().encode(&trial.query).unwrap()).collect();
    for at in [[0.1, 0.9], [0.52, 0.2], [0.96, 0.16]] {
        let by_hand: f64 = state
            .members()
            .iter()
            .map(|member| {
                let posterior = member.fitted.posterior();
                let target = points.iter().map(|x| posterior.predict(x).mean).fold(f64::INFINITY, f64::min);
                let found = posterior.predict(&at);
                member.weight * ExpectedImprovement { target }.value(found.mean, found.variance.sqrt())
            })
            .sum();
        let found = acquisition.value(&at);
        assert!((found - by_hand.ln()).abs() < 1e-6 * (1.0 + found.abs()), "{found} {}", by_hand.ln());
        let target = state.target(ImprovementTarget::BestObserved);
        let members = state.members().iter().map(|member| {
            let found = member.fitted.posterior().predict(&at);
            member.weight * ExpectedImprovement { target }.value(found.mean, found.variance.sqrt())
        });
        let expected: f64 = members.sum();
        assert!((state.expected_improvement(&at, target) - expected).abs() <= 1e-12 * (1.0 + expected));
    }
    let bound = AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 });
    assert!(!bound.is_averaged() && !AcquisitionKind::Thompson.is_averaged() && best_mean().is_averaged());
    let found = state.posterior().predict(&[0.3, 0.3]);
    let value = state.acquisition(&bound).unwrap().value(&[0.3, 0.3]);
    let expected = 2.0 * found.variance.sqrt() - found.mean;
    assert!((value - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{value} {expected}");
}

/// Notes the anchors that a knowledge gradient chooses in a context, and the mean at a point there.
#[derive(Default)]
struct AnchorSpy(Mutex<Option<(Points, f64)>>);

impl AcquisitionFactory for AnchorSpy {
    fn build<'a>(&self, _: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Err(AcquisitionError::Lacks("a member of its own"))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Log
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("spy"))
    }

    fn for_mixture(
        &self,
        mut context: Context<'_, '_>,
    ) -> Result<Option<Box<dyn AcquisitionFactory>>, AcquisitionError> {
        let candidates = context.candidates(256);
        let anchors = choose_anchors(context.joint()?, candidates.as_ref(), 16, context.rng)?;
        let mean = context.posterior.predict(&[0.3, 0.3]).mean;
        *self.0.lock().unwrap() = Some((anchors, mean));
        Ok(Some(Box::new(best_mean())))
    }
}

/// The knowledge gradient is that of each member, averaged, on anchors that the mixture chooses once for all of them; what is built on the
/// members is what a factory makes for the mixture.
#[test]
fn members_share_what_the_mixture_chooses() {
    let history = finished(14, 1);
    let optimizer = optimizer(best_mean());
    let state = optimizer.state(&history, TrialId(14)).unwrap().unwrap();
    let spy = AnchorSpy::default();
    let by_another = state.acquisition(&spy).unwrap().value(&[0.52, 0.2]);
    assert_eq!(by_another, state.acquisition(&best_mean()).unwrap().value(&[0.52, 0.2]));
    let (anchors, mean) = spy.0.lock().unwrap().clone().expect("a call for the mixture");
    assert_eq!((anchors.len(), mean), (16, state.posterior().predict(&[0.3, 0.3]).mean));
    let rule = AcquisitionKind::LogKnowledgeGradient { anchors: 16 };
    let acquisition = state.acquisition(&rule).unwrap();
    for at in [[0.1, 0.9], [0.52, 0.2], [0.96, 0.16]] {
        let members = state.members().iter().map(|member| {
            let (posterior, noise) = (member.fitted.posterior(), member.fitted.noise_variance());
            let gradient =
                KnowledgeGradient::new(posterior.joint().unwrap(), anchors.as_ref(), noise).unwrap();
            member.weight * gradient.value(&at)
        });
        let (found, expected) = (acquisition.value(&at), members.sum::<f64>().ln());
        assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

/// Every rule of the catalogue takes a mixture, running trials and failed ones.
#[test]
fn every_rule_takes_a_mixture() {
    let mut trials: Vec<Trial<Config>> = finished(12, 1).trials().to_vec();
    trials[9].outcome = None;
    trials[10].outcome = Some(Outcome::failed("no"));
    let history = History::from_trials(trials, Seed(3));
    let rules = [
        AcquisitionKind::default(),
        AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestMean),
        AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestWithMargin { xi: 0.1 }),
        AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestObserved),
        AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }),
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::MaxStdDev,
        AcquisitionKind::Thompson,
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 16 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 16 },
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 5 }),
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::Gibbon(MinValueSampler::Gumbel { count: 5 }),
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::JointEntropySearch { minimizers: 4 },
        AcquisitionKind::EntropySearch { representers: 8, draws: 32 },
        AcquisitionKind::PredictiveEntropySearch { representers: 8, draws: 32 },
    ];
    for rule in rules {
        let asked = optimizer(rule).ask(&history, TrialId(12)).unwrap();
        assert!(matches!(asked, Ask::Evaluate(_)), "{rule:?}: {asked:?}");
    }
}

/// Running trials are drawn in each member; four at a time spread out and find the minimum.
#[test]
fn four_at_a_time_find_the_minimum() {
    let history = finished(44, 4);
    let best = history.best().map(|(_, best)| best).unwrap();
    assert!(best - TestFunction::branin().optimum() < 1e-2, "{best}");
}

/// Recommendations with three running trials, and with the same three lost to the machine: equal in every bit, though fantasies at the means of a
/// mixture move its means.
#[test]
fn running_trials_do_not_move_recommendations() {
    let history = finished(12, 1);
    let with = |outcome: Option<Outcome>| {
        let last = history.trials().last().unwrap();
        let more = [0.2, 0.5, 0.8].map(|u| {
            let query = TestFunction::branin().space().decode(&[u, 0.6 * u]);
            Trial { query, outcome: outcome.clone(), ..last.clone() }
        });
        let history = History::from_trials(history.trials().iter().cloned().chain(more).collect(), Seed(3));
        let surrogates =
            [GpSurrogate::default().with_sampled_hyperparameters(Sampling::default()), GpSurrogate::noisy()];
        surrogates.map(|surrogate| {
            optimizer(best_mean()).with_surrogate(surrogate).recommend(&history).unwrap().unwrap()
        })
    };
    assert_eq!(with(None), with(Some(Outcome::unrelated("machine down"))));
}

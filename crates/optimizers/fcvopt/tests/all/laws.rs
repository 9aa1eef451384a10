//! Diagnostics of a suggestion against the fitted process at its configuration and fold.

use thrifty_acquisition::Acquisition;
use thrifty_cv::FoldQuery;
use thrifty_domain::PointsRef;
use thrifty_fcvopt::{
    FoldAcquisition, FoldCosts, FoldKnowledge, FoldRule, FoldSurrogateState, FractionalCv,
    FractionalSettings, Incumbent, InitialFolds, LossTarget,
};
use thrifty_model_based::{ModelBased, Turn};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{
    History, MaxTrials, Measurement, Memo, MemoKey, Optimizer, Schedule, Study, Trial, TrialId,
};
use thrifty_surrogate::{Posterior, Prediction};

const FOLDS: usize = 3;

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn optimizer(change: &dyn Fn(&mut FractionalSettings)) -> FractionalCv {
    let mut settings = FractionalSettings::new(FOLDS);
    change(&mut settings);
    FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap()
}

fn measured(query: &FoldQuery) -> Measurement {
    let (x, y) = (query.config.float("x0").unwrap(), query.config.float("x1").unwrap());
    let fold = (query.repeat * FOLDS + query.fold) as f64;
    let loss = (x - 0.3).powi(2) + 0.7 * (y - 0.6).powi(2) + 0.1 * (2.0 * fold + 5.0 * x).sin();
    Measurement { objectives: vec![loss], cost: Some(1.0 + x + fold), ..Measurement::default() }
}

fn finished(change: &dyn Fn(&mut FractionalSettings), trials: usize) -> History<FoldQuery> {
    let mut study = Study::new(optimizer(change), Seed(4)).with_stop(MaxTrials(trials));
    study.run(|query: &FoldQuery, _| measured(query)).unwrap();
    study.history().clone()
}

/// The posterior before a trial.
fn before(history: &History<FoldQuery>, id: usize, optimizer: &FractionalCv) -> FoldSurrogateState {
    let earlier = History::from_trials(history.trials()[..id].to_vec(), Seed(4));
    optimizer.state(&earlier, TrialId(id as u64)).unwrap().unwrap()
}

fn code(query: &FoldQuery) -> usize {
    query.repeat * FOLDS + query.fold
}

#[test]
fn diagnostics_are_those_of_the_belief() {
    for (costs, target) in [
        (FoldCosts::Ignored, LossTarget::TrueLoss),
        (FoldCosts::Measured, LossTarget::TrueLoss),
        (FoldCosts::Ignored, LossTarget::MeanOfFolds),
    ] {
        let change = move |s: &mut FractionalSettings| (s.costs, s.target, s.worth) = (costs, target, 0.0);
        let (history, optimizer) = (finished(&change, 13), optimizer(&change));
        let modelled =
            history.trials().iter().enumerate().filter(|(_, t)| t.diagnostics.contains_key("mean"));
        let mut count = 0;
        for (id, trial) in modelled {
            count += 1;
            let belief = before(&history, id, &optimizer);
            let x = space().encode(&trial.query.config).unwrap();
            let Prediction { mean, variance } = belief.target().predict(&x);
            let told = |name: &str| trial.diagnostics[name];
            let close = |name: &str, expected: f64| {
                let far = (told(name) - expected).abs() > 1e-9 * (1.0 + expected.abs());
                assert!(!far, "{name} of trial {id}: {}, expected {expected}", told(name));
            };
            close("mean", mean);
            close("std_dev", variance.sqrt());
            close("incumbent_mean", belief.ranked(Incumbent::BestMean)[0].mean);
            let fold = code(&trial.query);
            close("remaining", belief.target().fold_gains(&x, &[fold]).unwrap()[0].remaining);
            assert_eq!(told("max_expected_improvement"), told("expected_gain"));
            // The gain is reported without its cost.
            let gain = FoldKnowledge::of_folds(&belief, &[fold]).unwrap().best(&x).unwrap();
            assert_eq!(gain.0, fold);
            assert_eq!(trial.diagnostics.contains_key("expected_cost"), costs == FoldCosts::Measured);
            if costs == FoldCosts::Ignored {
                close("expected_gain", gain.1.exp());
            } else {
                assert!(
                    told("expected_gain") > 0.0 && told("expected_cost") > 0.5,
                    "{:?}",
                    trial.diagnostics
                );
            }
            let model = trial.memo.get(&MemoKey::<Vec<f64>>::new("model"));
            assert_eq!(model, Some(belief.posterior().process().hyperparameters()));
        }
        assert!(count >= 5, "{count} of {}", history.len());
    }
}

/// The fold that leaves the least variance, and in turn by the number of the trial.
#[test]
fn folds_are_those_that_the_rules_name() {
    let variance = |s: &mut FractionalSettings| (s.fold, s.worth) = (FoldRule::LeastVariance, 0.0);
    let (history, ours) = (finished(&variance, 14), optimizer(&variance));
    let mut count = 0;
    for (id, trial) in history.trials().iter().enumerate().filter(|(_, t)| t.diagnostics.contains_key("mean"))
    {
        let belief = before(&history, id, &ours);
        let x = space().encode(&trial.query.config).unwrap();
        let gains = belief.target().fold_gains(&x, &belief.new_folds(&x, FOLDS)).unwrap();
        let least = gains.iter().map(|gain| gain.remaining).fold(f64::INFINITY, f64::min);
        let chosen = gains.iter().find(|gain| gain.fold == code(&trial.query)).unwrap();
        assert!(chosen.remaining <= least + 1e-9 * least.abs(), "trial {id}: {gains:?}");
        count += 1;
    }
    assert!(count >= 5, "{count}");
    let turns = |s: &mut FractionalSettings| {
        (s.fold, s.repeats, s.worth) = (FoldRule::RoundRobin, 2, 0.0);
    };
    let (history, ours) = (finished(&turns, 16), optimizer(&turns));
    for (id, trial) in history.trials().iter().enumerate().filter(|(_, t)| t.diagnostics.contains_key("mean"))
    {
        let x = space().encode(&trial.query.config).unwrap();
        let new = before(&history, id, &ours).new_folds(&x, 2 * FOLDS);
        let wanted = id % (2 * FOLDS);
        let expected = new.iter().copied().find(|fold| *fold >= wanted).unwrap_or(new[0]);
        assert_eq!(code(&trial.query), expected, "trial {id}: {new:?}");
    }
}

/// Folds that were never seen are all alike, so that one of them stands for all; seen and running ones count each.
#[test]
fn one_new_fold_stands_for_all() {
    let change = |s: &mut FractionalSettings| {
        s.acquisition = FoldAcquisition::JointKnowledgeGradient;
        s.repeats = 3;
    };
    let mut trials = finished(&change, 9).trials().to_vec();
    // One more runs, in a repeat of which nothing was measured.
    let config = trials[2].query.config.clone();
    trials.push(Trial::new(TrialId(9), FoldQuery { config, repeat: 2, fold: 1 }, None));
    let history = History::from_trials(trials, Seed(4));
    let belief = optimizer(&change).state(&history, TrialId(10)).unwrap().unwrap();
    let all: Vec<usize> = (0..3 * FOLDS).collect();
    let (short, long) =
        (FoldKnowledge::new(&belief, FOLDS, 3).unwrap(), FoldKnowledge::of_folds(&belief, &all).unwrap());
    for x in [[0.1, 0.2], [0.5, 0.5], [0.3, 0.62], [0.95, 0.05]] {
        assert!((short.value(&x) - long.value(&x)).abs() < 1e-9, "{x:?}");
        assert!((short.best(&x).unwrap().1 - long.best(&x).unwrap().1).abs() < 1e-9, "{x:?}");
        // The best is that of the folds one by one, and the first of those.
        let single: Vec<f64> =
            all.iter().map(|fold| FoldKnowledge::of_folds(&belief, &[*fold]).unwrap().value(&x)).collect();
        let largest = single.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(long.best(&x).unwrap().1, largest);
        assert_eq!(long.best(&x).unwrap().0, single.iter().position(|v| *v == largest).unwrap());
        let mut value = [f64::NAN];
        long.values_into(PointsRef::single(&x), &mut value);
        assert_eq!(value[0], largest);
    }
    assert!(FoldKnowledge::of_folds(&belief, &[]).unwrap().best(&[0.5, 0.5]).is_none());
}

/// The first folds: at random, each once before any twice, or the first two in turn.
#[test]
fn the_design_spreads_its_folds() {
    let folds = |initial_folds| {
        let change = move |s: &mut FractionalSettings| s.initial_folds = initial_folds;
        let mut optimizer = optimizer(&change);
        let empty = History::from_trials(vec![], Seed(4));
        (0..12)
            .map(|id| match optimizer.ask(&empty, TrialId(id)).unwrap() {
                thrifty_study::Ask::Evaluate(suggestion) => {
                    assert_eq!(suggestion.query.repeat, 0);
                    suggestion.query.fold
                }
                other => panic!("{other:?}"),
            })
            .collect::<Vec<usize>>()
    };
    let two = folds(InitialFolds::Two);
    assert_eq!(two, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    let balanced = folds(InitialFolds::Balanced);
    for block in balanced.chunks(FOLDS) {
        let mut sorted = block.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2]);
    }
    assert!(balanced.chunks(FOLDS).any(|block| block != &balanced[..FOLDS]), "{balanced:?}");
    let random = folds(InitialFolds::Random);
    assert!((0..FOLDS).all(|fold| random.contains(&fold)), "{random:?}");
}

/// Trials that ran beside each other are fantasized at their means: the posterior includes them, the count of measured folds does not.
#[test]
fn running_folds_are_imagined_at_their_means() {
    let change = |s: &mut FractionalSettings| s.worth = 0.0;
    let mut study =
        Study::new(optimizer(&change), Seed(4)).with_schedule(Schedule::Window(2)).with_stop(MaxTrials(10));
    study.run(|query: &FoldQuery, _| measured(query)).unwrap();
    let mut trials = study.history().trials().to_vec();
    let whole = optimizer(&change);
    (trials[9].outcome, trials[9].memo) = (None, Memo::default());
    let (with, without) =
        (History::from_trials(trials.clone(), Seed(4)), History::from_trials(trials[..9].to_vec(), Seed(4)));
    let with = whole.state(&with, TrialId(10)).unwrap().unwrap();
    let without = whole.state(&without, TrialId(10)).unwrap().unwrap();
    assert_eq!((with.observations(), without.observations()), (9, 9));
    let x = space().encode(&trials[9].query.config).unwrap();
    let fold = code(&trials[9].query);
    let Prediction { mean: lie, variance: spread } = without.posterior().fold(fold).predict(&x);
    let Prediction { mean, variance: rest } = with.posterior().fold(fold).predict(&x);
    assert!((mean - lie).abs() < 1e-6 && rest < spread, "{mean} {lie} {rest} {spread}");
    assert!(!with.new_folds(&x, FOLDS).contains(&fold) && without.new_folds(&x, FOLDS).contains(&fold));
}

/// A search that ends reports the expected gain of the best fold considered, as a share of the threshold that was not met.
#[test]
fn the_end_of_a_search_names_what_was_expected() {
    let change = |s: &mut FractionalSettings| s.worth = 0.9;
    let mut study = Study::new(optimizer(&change), Seed(4)).with_stop(MaxTrials(40));
    let reason = study.run(|query: &FoldQuery, _| measured(query)).unwrap();
    let thrifty_study::StopReason::NoImprovement { expected, threshold } = reason else {
        panic!("{reason:?}")
    };
    let history = study.history();
    let belief = before(history, history.len(), &optimizer(&change));
    let means: Vec<f64> = belief.ranked(Incumbent::BestMean).iter().map(|evaluated| evaluated.mean).collect();
    let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max) - means[0];
    assert!((threshold - 0.9 * range).abs() < 1e-9 * threshold, "{threshold} {range}");
    // At least what a random search of pairs finds.
    let mut rng = Seed(1).stream("points", 0);
    let knowledge = FoldKnowledge::new(&belief, FOLDS, 1).unwrap();
    let best = (0..200)
        .map(|_| knowledge.best(&[rng.uniform(), rng.uniform()]).unwrap().1.exp())
        .fold(0.0, f64::max);
    assert!(expected >= best && expected < threshold, "{expected} {best}");
}

/// Posterior of a turn: one, that of the loss by which configurations are ranked.
#[test]
fn a_turn_has_the_posterior_of_the_target() {
    let change = |s: &mut FractionalSettings| s.worth = 0.0;
    let (history, mut ours) = (finished(&change, 13), optimizer(&change));
    let belief = before(&history, 13, &ours);
    let Turn::Modelled(turn) = ours.turn(&history, TrialId(13)).unwrap() else { panic!("a model") };
    let posteriors = turn.posteriors();
    assert_eq!(posteriors.len(), 1, "one objective");
    for x in [[0.1, 0.9], [0.3, 0.6], [0.8, 0.2]] {
        assert_eq!(posteriors[0].predict(&x), belief.target().predict(&x), "{x:?}");
    }
}

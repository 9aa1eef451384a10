//! Behaviour of fractional cross-validation: it needs fewer model fits than full cross-validation, and survives folds that fail.

use std::collections::HashSet;

use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{Acquisition, AcquisitionKind, ImprovementTarget, MinValueSampler};
use thrifty_bo::BayesianOptimizer;
use thrifty_cv::{AllFolds, FoldQuery};
use thrifty_domain::PointsRef;
use thrifty_fcvopt::{
    FoldAcquisition, FoldCosts, FoldKnowledge, FoldRule, FractionalCv, FractionalSettings, Incumbent,
    InitialFolds,
};
use thrifty_gp::GpSettings;
use thrifty_hgp::Hgp;
use thrifty_kernel::{Kernel, Matern12, Matern52};
use thrifty_model_based::Maximizer;
use thrifty_sampling::Seed;
use thrifty_search::InitialDesign;
use thrifty_space::{Config, Space, Value};
use thrifty_study::{
    EXPECTED_COST, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, History, MaxTrials, Measurement, Next, NoImprovement,
    Optimizer, Outcome, StopReason, Study, Trial, TrialId,
};

const FOLDS: usize = 5;

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn truth(config: &Config) -> f64 {
    let (x, y) = (config.float("x0").unwrap(), config.float("x1").unwrap());
    (x - 0.3).powi(2) + 0.7 * (y - 0.6).powi(2) + 0.05 * (12.0 * x).sin()
}

/// The true loss, a smooth deviation of the fold and some noise.
fn loss(query: &FoldQuery, id: u64) -> f64 {
    let (x, y) = (query.config.float("x0").unwrap(), query.config.float("x1").unwrap());
    let phase = query.fold as f64;
    let noise: f64 = StandardNormal.sample(&mut Seed(9).stream("noise", id));
    truth(&query.config)
        + 0.15 * (phase * 2.1 + 3.0 * x).sin()
        + 0.1 * (phase + 2.0 * y).cos()
        + 0.003 * noise
}

fn run<O>(optimizer: O, seed: u64, fits: usize, config: fn(O::Recommendation) -> Config) -> f64
where
    O: Optimizer<Query = FoldQuery>,
{
    let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(fits));
    let mut id = 0;
    study
        .run(|query: &FoldQuery, _| {
            id += 1;
            loss(query, id)
        })
        .unwrap();
    truth(&config(study.recommend().unwrap().unwrap()))
}

/// Least value of the truth on a fine grid.
fn optimum() -> f64 {
    let place = |i: i32| f64::from(i) / 200.0;
    (0..=200)
        .flat_map(|i| (0..=200).map(move |j| (place(i), place(j))))
        .map(|(x, y)| {
            let mut config = Config::new();
            config.insert("x0", x);
            config.insert("x1", y);
            truth(&config)
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn fewer_model_fits_than_full_cross_validation() {
    let best = optimum();
    let (mut ours, mut full) = (0.0, 0.0);
    for seed in 0..6 {
        ours += run(FractionalCv::new(space(), FOLDS).unwrap(), seed, 25, |found| found.config) - best;
        let whole = AllFolds::new(BayesianOptimizer::new(space()), FOLDS).unwrap();
        full += run(whole, seed, 25, |found| found.config) - best;
    }
    assert!(ours / 6.0 < 0.03, "{}", ours / 6.0);
    assert!(ours < 0.7 * full, "{ours} {full}");
}

#[test]
fn every_rule_runs_and_pairs_are_not_asked_twice() {
    let log_ei =
        FoldAcquisition::OfLoss(AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean));
    for (acquisition, fold, initial_folds) in [
        (log_ei, FoldRule::Random, InitialFolds::Random),
        (FractionalSettings::new(3).acquisition, FoldRule::RoundRobin, InitialFolds::Two),
        (FoldAcquisition::KnowledgeGradient, FoldRule::LeastVariance, InitialFolds::Balanced),
        (FoldAcquisition::JointKnowledgeGradient, FoldRule::Package, InitialFolds::Balanced),
    ] {
        let repeats_differ = fold == FoldRule::LeastVariance;
        let base = FractionalSettings::new(3);
        let settings =
            FractionalSettings { acquisition, fold, initial_folds, repeats: 2, repeats_differ, ..base };
        let grid = Space::builder().int("i", 0, 3).categorical("c", ["a", "b"]).build().unwrap();
        let optimizer =
            FractionalCv::new(grid, settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap();
        let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(60));
        study.run(|query: &FoldQuery, _| query.config.float("i").unwrap() + 0.1 * query.fold as f64).unwrap();
        let trials = study.history().trials();
        let pair = |t: &Trial<FoldQuery>| format!("{} {} {}", t.query.config, t.query.repeat, t.query.fold);
        let pairs: HashSet<String> = trials.iter().map(pair).collect();
        assert_eq!(pairs.len(), trials.len());
        assert!(trials.iter().all(|t| t.query.fold < 3 && t.query.repeat < 2));
        assert_eq!(study.recommend().unwrap().unwrap().config.int("i"), Ok(0));
    }
}

#[test]
fn folds_that_fail_tell_nothing_and_running_ones_are_imagined() {
    let optimizer = || FractionalCv::new(space(), FOLDS).unwrap();
    let mut study = Study::new(optimizer(), Seed(0));
    for id in 0..24 {
        let again = optimizer().ask(study.history(), TrialId(id)).unwrap();
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        let thrifty_study::Ask::Evaluate(again) = again else { panic!("a suggestion") };
        assert_eq!(trial.query, again.query);
        match id % 6 {
            2 => study.tell(trial.id, f64::NAN).unwrap(),
            4 => {}
            _ => study.tell(trial.id, loss(&trial.query, id)).unwrap(),
        }
    }
    assert!(study.recommend().unwrap().is_some());
    let mut hopeless = Study::new(optimizer(), Seed(0)).with_stop(MaxTrials(12));
    hopeless.run(|_: &FoldQuery, _| Outcome::failed("no")).unwrap();
    assert_eq!(hopeless.recommend().unwrap(), None);
    let mut flat = Study::new(optimizer(), Seed(0)).with_stop(MaxTrials(12));
    flat.run(|_: &FoldQuery, _| 1.0).unwrap();
    assert!(flat.recommend().unwrap().is_some());
}

#[test]
fn bad_settings_and_folds_are_named() {
    assert!(FractionalCv::new(space(), 1).is_err());
    let none = FractionalSettings { repeats: 0, ..FractionalSettings::new(5) };
    assert_eq!(none.validate().unwrap_err().to_string(), "repeats is 0, expected at least 1");
    // A history of five folds is not one of three.
    let mut study = Study::new(FractionalCv::new(space(), 5).unwrap(), Seed(3)).with_stop(MaxTrials(8));
    study.run(|query: &FoldQuery, _| truth(&query.config)).unwrap();
    let mut other = FractionalCv::new(space(), 3).unwrap();
    assert!(other.ask(study.history(), TrialId(8)).is_err());
}

/// A study with these settings, its loss and its costs.
fn study(change: impl FnOnce(&mut FractionalSettings)) -> Study<FractionalCv> {
    let mut settings = FractionalSettings::new(FOLDS);
    change(&mut settings);
    Study::new(
        FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap(),
        Seed(5),
    )
}

#[test]
fn running_pairs_are_told_apart() {
    for acquisition in [FractionalSettings::new(FOLDS).acquisition, FoldAcquisition::JointKnowledgeGradient] {
        let mut study = study(|s| s.acquisition = acquisition);
        for id in 0..12 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            study.tell(trial.id, loss(&trial.query, id)).unwrap();
        }
        let mut batch = Vec::new();
        for _ in 0..6 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            batch.push(trial.query);
        }
        for (i, a) in batch.iter().enumerate() {
            assert!(batch[..i].iter().all(|b| a != b), "{a:?} twice");
        }
        // Running fits reduce the variances, so a batch does not crowd on one fold.
        let folds: HashSet<usize> = batch.iter().map(|query| query.fold).collect();
        assert!(folds.len() > 1, "{batch:?}");
    }
}

#[test]
fn it_stops_when_nothing_is_worth_a_fit() {
    let mut study = study(|s| s.worth = 0.02).with_stop(MaxTrials(200));
    let mut id = 0;
    let reason = study
        .run(|query: &FoldQuery, _| {
            id += 1;
            loss(query, id)
        })
        .unwrap();
    let StopReason::NoImprovement { expected, threshold } = reason else { panic!("{reason:?}") };
    assert!(expected < threshold && study.history().len() < 100, "{}", study.history().len());
    let best = study.recommend().unwrap().unwrap();
    assert!(truth(&best.config) - optimum() < 0.05);
    let (low, high) = best.interval.unwrap();
    assert!(low < best.value && best.value < high, "{best:?}");
    // Folds that run there tell nothing yet.
    let mut trials = study.history().trials().to_vec();
    for fold in 0..FOLDS {
        let query = FoldQuery { config: best.config.clone(), repeat: 0, fold };
        if trials.iter().all(|trial| trial.query != query) {
            trials.push(Trial::new(TrialId(trials.len() as u64), query, None));
        }
    }
    assert!(trials.len() > study.history().len(), "folds are left to run");
    let beside = History::from_trials(trials, study.history().seed());
    let optimizer = FractionalCv::new(space(), FOLDS).unwrap();
    let again = { optimizer }.recommend(&beside).unwrap().unwrap();
    let widths = (high - low, again.interval.map(|(low, high)| high - low).unwrap());
    assert!((widths.1 / widths.0 - 1.0).abs() < 0.05, "{widths:?}");
}

#[test]
fn the_best_are_verified_by_whole_cross_validations() {
    let mut study = study(|s| (s.budget, s.finalists) = (Some(34), Some(2)));
    let mut id = 0;
    let reason = study
        .run(|query: &FoldQuery, _| {
            id += 1;
            loss(query, id)
        })
        .unwrap();
    assert_eq!((reason, study.history().len()), (StopReason::Trials(34), 34));
    let best = study.recommend().unwrap().unwrap().config;
    let folds: HashSet<usize> = study
        .history()
        .trials()
        .iter()
        .filter(|trial| trial.query.config == best)
        .map(|trial| trial.query.fold)
        .collect();
    assert_eq!(folds.len(), FOLDS);
}

/// Whatever the unit: the suggestions are those without costs, and the expected cost is the one that was told.
#[test]
fn equal_costs_change_nothing() {
    let run = |costs: FoldCosts, cost: f64| {
        let settings = FractionalSettings { costs, ..FractionalSettings::new(3) };
        let optimizer = FractionalCv::new(space(), 3).and_then(|cv| cv.with_settings(settings)).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(9));
        let loss = |query: &FoldQuery| truth(&query.config) + 0.1 * query.fold as f64;
        study.run(|query, _| Measurement { cost: Some(cost), ..Measurement::from(loss(query)) }).unwrap();
        study.history().trials().to_vec()
    };
    let queries = |trials: &[Trial<FoldQuery>]| -> Vec<FoldQuery> {
        trials.iter().map(|trial| trial.query.clone()).collect()
    };
    let without = run(FoldCosts::Ignored, 1.0);
    for cost in [1e-9, 1.0, 1000.0] {
        let trials = run(FoldCosts::Measured, cost);
        assert_eq!(queries(&trials), queries(&without), "{cost}");
        assert_eq!(trials[8].memo.get(&EXPECTED_COST), Some(cost));
    }
}

#[test]
fn cheap_folds_are_preferred_when_costs_count() {
    // Folds 3 and 4 take so long that their information is hardly ever worth the cost.
    let cost = |fold: usize| if fold < 3 { 1.0 } else { 1000.0 };
    let expensive = |costs| {
        let mut study = study(|s| s.costs = costs).with_stop(MaxTrials(40));
        let mut id = 0;
        study
            .run(|query: &FoldQuery, _| {
                id += 1;
                Measurement {
                    objectives: vec![loss(query, id)],
                    cost: Some(cost(query.fold)),
                    ..Measurement::default()
                }
            })
            .unwrap();
        // After the initial design, which does not use costs.
        study.history().trials()[10..].iter().filter(|trial| trial.query.fold >= 3).count()
    };
    let (with, without) = (expensive(FoldCosts::Measured), expensive(FoldCosts::Ignored));
    assert!(2 * with < without, "{with} {without}");
}

/// The joint knowledge gradient divides by the cost expected of the fold.
#[test]
fn the_joint_knowledge_gradient_is_per_unit_of_cost() {
    let joint = |costs| {
        move |s: &mut FractionalSettings| {
            (s.acquisition, s.costs) = (FoldAcquisition::JointKnowledgeGradient, costs);
        }
    };
    let mut study = study(joint(FoldCosts::Ignored)).with_stop(MaxTrials(12));
    let mut id = 0;
    study
        .run(|query: &FoldQuery, _| {
            id += 1;
            Measurement { objectives: vec![loss(query, id)], cost: Some(20.0), ..Measurement::default() }
        })
        .unwrap();
    let belief = |costs| {
        let mut settings = FractionalSettings::new(FOLDS);
        joint(costs)(&mut settings);
        let optimizer =
            FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap();
        optimizer.state(study.history(), TrialId(12)).unwrap().unwrap()
    };
    let (with, without) = (belief(FoldCosts::Measured), belief(FoldCosts::Ignored));
    let [with, without] = [&with, &without].map(|belief| FoldKnowledge::new(belief, FOLDS, 1).unwrap());
    for x in [[0.2, 0.7], [0.5, 0.5], [0.9, 0.1]] {
        let (a, b) = (with.value(&x), without.value(&x));
        assert!((b - a - 20_f64.ln()).abs() < 1e-6, "{a} {b}");
        let ((fold, best), (other, _)) = (with.best(&x).unwrap(), without.best(&x).unwrap());
        assert!(fold == other && (best - a).abs() < 1e-9);
        let (mut value, mut gradient) = ([0.0], [0.0; 2]);
        assert!(with.values_with_gradients_into(PointsRef::single(&x), &mut value, &mut gradient));
        assert!((value[0] - a).abs() < 1e-9);
        for (k, slope) in gradient.into_iter().enumerate() {
            let at = |step: f64| {
                let mut moved = x;
                moved[k] += step;
                with.value(&moved)
            };
            let found = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - found).abs() < 1e-4 * (1.0 + found.abs()), "{x:?} {k}: {slope} {found}");
        }
    }
}

/// The package's criterion: the least t (t - σ²), t what is known of the covariance of fold and loss.
#[test]
fn the_rule_of_the_package_takes_the_least_of_its_criterion() {
    let package = |s: &mut FractionalSettings| s.fold = FoldRule::Package;
    let mut study = study(package);
    let mut different = 0;
    for id in 0..30 {
        let belief = study.optimizer().state(study.history(), TrialId(id)).unwrap();
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        if let Some(belief) = belief.filter(|_| trial.diagnostics.contains_key("acquisition")) {
            let x = space().encode(&trial.query.config).unwrap();
            let new = belief.new_folds(&x, FOLDS);
            let prior = belief.target().prior_variance(&x).unwrap();
            let criterion: Vec<f64> = (belief.target().fold_gains(&x, &new).unwrap().iter())
                .map(|gain| {
                    let known = prior - gain.covariance;
                    known * (known - prior)
                })
                .collect();
            let least = criterion.iter().copied().fold(f64::INFINITY, f64::min);
            let most = criterion.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let chosen = new.iter().position(|fold| *fold == trial.query.fold).unwrap();
            assert!(criterion[chosen] <= least + 1e-9 * least.abs(), "{criterion:?} {chosen}");
            different += usize::from(most > least + 1e-6 * least.abs());
        }
        study.tell(trial.id, loss(&trial.query, id)).unwrap();
    }
    assert!(different > 10, "{different}");
}

#[test]
fn risk_is_weighed() {
    let mut study = study(|_| ()).with_stop(MaxTrials(15));
    study.run(|query: &FoldQuery, _| truth(&query.config)).unwrap();
    let optimizer = FractionalCv::new(space(), FOLDS).unwrap();
    let belief = optimizer.state(study.history(), TrialId(15)).unwrap().unwrap();
    for kappa in [0.0, 1.0, 5.0] {
        let ranked = belief.ranked(Incumbent::RiskAdjusted { kappa });
        let values: Vec<f64> = ranked.iter().map(|e| e.mean + kappa * e.std_dev).collect();
        assert!(values.is_sorted(), "{values:?}");
    }
}

/// Recommendations that weigh risk while all other folds of the second best configuration run, and with these folds lost to the machine: the same.
#[test]
fn running_folds_are_a_risk() {
    let risk = |s: &mut FractionalSettings| s.incumbent = Incumbent::RiskAdjusted { kappa: 3.0 };
    let mut study = study(risk).with_stop(MaxTrials(15));
    study.run(|query: &FoldQuery, _| truth(&query.config)).unwrap();
    let optimizer = study.optimizer();
    let state = optimizer.state(study.history(), TrialId(15)).unwrap().unwrap();
    let ranked = state.ranked(optimizer.settings().incumbent);
    for second in &ranked[1..4] {
        let recommended = |outcome: Option<Outcome>| {
            let of = &study.history().trials()[second.trial];
            let new = state.new_folds(second.x, FOLDS);
            let more = new.into_iter().map(|fold| {
                let query = FoldQuery { fold, ..of.query.clone() };
                Trial { query, outcome: outcome.clone(), memo: thrifty_study::Memo::default(), ..of.clone() }
            });
            let trials = study.history().trials().iter().cloned().chain(more).collect();
            let history = History::from_trials(trials, study.history().seed());
            let optimizer = FractionalCv::new(space(), FOLDS).unwrap();
            let mut optimizer = optimizer.with_settings(study.optimizer().settings().clone()).unwrap();
            optimizer.recommend(&history).unwrap().unwrap()
        };
        let (running, lost) = (recommended(None), recommended(Some(Outcome::unrelated("machine down"))));
        assert_eq!(running, lost, "{}", second.trial);
    }
}

/// Losses that nothing reaches, a margin, and losses that everything reaches lead to other configurations; the best observed loss and the best mean
/// are one number over folds.
#[test]
fn improvement_targets_count() {
    let asked = |target: ImprovementTarget| {
        let rule = AcquisitionKind::LogExpectedImprovement(target);
        let mut study = study(|s| {
            (s.acquisition, s.initial) = (FoldAcquisition::OfLoss(rule), InitialDesign::Sobol(8));
        });
        study = study.with_stop(MaxTrials(12));
        study.run(|query: &FoldQuery, context| loss(query, context.id.0)).unwrap();
        study.history().trials()[8..].iter().map(|trial| trial.query.config.clone()).collect::<Vec<_>>()
    };
    let best = asked(ImprovementTarget::BestObserved);
    assert_eq!(best, asked(ImprovementTarget::BestMean));
    let margin = ImprovementTarget::BestWithMargin { xi: 0.3 };
    let all =
        [best, asked(margin), asked(ImprovementTarget::Fixed(-1e6)), asked(ImprovementTarget::Fixed(1e6))];
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a != b), "{i}");
    }
}

#[test]
fn odd_problems_have_answers() {
    // One level, fewer observations than folds, one fold that always fails, losses all equal.
    let space = Space::builder().categorical("only", ["this"]).float("x", 0.0, 1.0).build().unwrap();
    let optimizer = FractionalCv::new(space, 30).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(14));
    study
        .run(|query: &FoldQuery, _| if query.fold == 7 { Outcome::failed("no") } else { 0.5.into() })
        .unwrap();
    assert!(study.recommend().unwrap().is_some());
}

#[test]
fn more_bad_settings_are_named() {
    let base = || FractionalSettings::new(5);
    for (settings, message) in [
        (FractionalSettings { worth: -0.1, ..base() }, "worth is -0.1, expected from 0 to below 1"),
        (
            FractionalSettings { incumbent: Incumbent::RiskAdjusted { kappa: f64::NAN }, ..base() },
            "kappa is NaN, expected a finite number from 0",
        ),
        (
            FractionalSettings { budget: Some(15), finalists: Some(3), ..base() },
            "budget is 15, expected more than the 15 folds of all to verify",
        ),
    ] {
        assert_eq!(settings.validate().unwrap_err().to_string(), message);
    }
    let mut study = study(|s| s.costs = FoldCosts::Measured).with_stop(MaxTrials(30));
    let of_fold = |cost| {
        move |_: &FoldQuery, _: &mut thrifty_study::Context<'_>| Measurement {
            objectives: vec![1.0],
            cost,
            ..Measurement::default()
        }
    };
    study.run(of_fold(Some(0.0))).unwrap();
    let refused =
        study.history().trials().iter().all(|trial| format!("{:?}", trial.outcome).contains("Unusable"));
    assert!(refused, "a cost of 0 has no logarithm");
}

/// Acquisition functions of every kind find the target's low region, Thompson sampling and entropy search included.
#[test]
fn every_acquisition_works_on_the_target() {
    for kind in [
        AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean),
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::Thompson,
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 8 }),
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::JointEntropySearch { minimizers: 4 },
        AcquisitionKind::EntropySearch { representers: 12, draws: 32 },
        AcquisitionKind::PredictiveEntropySearch { representers: 12, draws: 32 },
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 16 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 12 },
    ] {
        let mut study = study(|s| s.acquisition = FoldAcquisition::OfLoss(kind)).with_stop(MaxTrials(16));
        let mut id = 0;
        study
            .run(|query: &FoldQuery, _| {
                id += 1;
                loss(query, id)
            })
            .unwrap_or_else(|error| panic!("{kind:?}: {error}"));
        assert!(study.recommend().unwrap().is_some(), "{kind:?}");
    }
}

/// The loss is least at x0 = 0.3, but the constraint, measured fold by fold, asks for x0 ≥ 0.6 on average.
#[test]
fn constraints_on_folds_are_kept() {
    for acquisition in [FractionalSettings::new(FOLDS).acquisition, FoldAcquisition::JointKnowledgeGradient] {
        let mut study = study(|s| s.acquisition = acquisition).with_stop(MaxTrials(40));
        let mut id = 0;
        study
            .run(|query: &FoldQuery, _| {
                id += 1;
                let x = query.config.float("x0").unwrap();
                Measurement {
                    constraints: vec![0.6 - x + 0.05 * (query.fold as f64 - 2.0)],
                    ..Measurement::from(loss(query, id))
                }
            })
            .unwrap();
        let best = study.recommend().unwrap().unwrap().config.float("x0").unwrap();
        assert!((0.58..0.75).contains(&best), "{acquisition:?}: {best}");
    }
}

/// Also where no allowed configuration is worth a fit, and where the allowed ones of a finite space come to an end.
#[test]
fn known_constraints_hold_for_every_suggestion() {
    let broken = |space: Space, worth: f64, trials: usize, allowed: fn(&Config) -> bool| {
        let settings = FractionalSettings { worth, ..FractionalSettings::new(FOLDS) };
        let optimizer = FractionalCv::new(space, settings.folds)
            .and_then(|cv| cv.with_settings(settings))
            .unwrap()
            .with_known_constraint(allowed);
        let mut study = Study::new(optimizer, Seed(5)).with_stop(MaxTrials(trials));
        let mut id = 0;
        let reason = study
            .run(|query: &FoldQuery, _| {
                id += 1;
                query.config.int("n").map_or_else(|_| loss(query, id), |n| (n as f64 - 3.0).powi(2))
            })
            .unwrap();
        let asked = study.history().trials();
        (asked.iter().filter(|trial| !allowed(&trial.query.config)).count(), asked.len(), reason)
    };
    let corner = |config: &Config| config.float("x0").unwrap() + config.float("x1").unwrap() >= 1.0;
    for worth in [0.0, 0.3] {
        assert_eq!(broken(space(), worth, 24, corner).0, 0);
    }
    let integers = || Space::builder().int("n", 1, 8).build().unwrap();
    let even = |config: &Config| config.int("n").unwrap() % 2 == 0;
    let (count, asked, reason) = broken(integers(), 0.0, 60, even);
    assert_eq!((count, asked, reason), (0, 4 * FOLDS, StopReason::Exhausted));
    assert_eq!(broken(integers(), 0.5, 60, even).0, 0);
}

/// Twelve of 4,096 configurations are allowed, which a small search seldom meets: all pairs are asked before the space is exhausted.
#[test]
fn rare_configurations_are_all_asked() {
    let names: Vec<String> = (0..12).map(|i| format!("f{i}")).collect();
    let space = names.iter().fold(Space::builder(), |space, name| space.categorical(name, ["off", "on"]));
    let of = names.clone();
    let one = move |config: &Config| of.iter().filter(|name| config.str(name) == Ok("on")).count() == 1;
    let settings = FractionalSettings {
        maximizer: Maximizer { raw: 16, around_best: 4, climbs: 1 },
        initial: InitialDesign::Sobol(4),
        ..FractionalSettings::new(2)
    };
    let optimizer = FractionalCv::new(space.build().unwrap(), 2).unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer.with_known_constraint(one), Seed(1)).with_stop(MaxTrials(40));
    let reason = study.run(|query: &FoldQuery, _| {
        let on = names.iter().position(|name| query.config.str(name) == Ok("on")).unwrap();
        (on as f64 - 4.3).abs() + 0.1 * query.fold as f64
    });
    assert_eq!((reason.unwrap(), study.history().len()), (StopReason::Exhausted, 24));
}

/// Eight levels of which few are allowed, and a design of four configurations: after every allowed one was asked the model goes on with
/// other folds, also where the first trial fails. While nothing is measured the study waits for what runs.
#[test]
fn small_allowed_sets_are_searched_beyond_the_design() {
    let study = |allowed: fn(i64) -> bool, trials: usize| {
        let space = Space::builder().int("n", 1, 8).build().unwrap();
        let optimizer = FractionalCv::new(space, FOLDS)
            .unwrap()
            .with_known_constraint(move |config| config.int("n").is_ok_and(allowed));
        Study::new(optimizer, Seed(5)).with_stop(MaxTrials(trials))
    };
    let value = |query: &FoldQuery| (query.config.int("n").unwrap() as f64 - 3.0).powi(2);
    let mut three = study(|n| [2, 5, 7].contains(&n), 60);
    assert_eq!(three.run(|query: &FoldQuery, _| value(query)).unwrap(), StopReason::Exhausted);
    assert_eq!(three.history().len(), 3 * FOLDS);
    let odd = |n: i64| n % 2 == 1;
    let mut failing = study(odd, 60);
    let reason = failing.run(
        |query: &FoldQuery, context| {
            if context.id.0 == 1 { Outcome::failed("no") } else { value(query).into() }
        },
    );
    assert_eq!((reason.unwrap(), failing.history().len()), (StopReason::Exhausted, 4 * FOLDS));
    let mut running = study(odd, 60);
    let first: Vec<_> = (0..4).map(|_| running.ask().unwrap()).collect();
    assert!(first.iter().all(|next| matches!(next, Next::Evaluate(_))), "{first:?}");
    assert!(matches!(running.ask().unwrap(), Next::Wait), "four run");
    let Next::Evaluate(trial) = &first[0] else { panic!("a suggestion") };
    running.tell(trial.id, value(&trial.query)).unwrap();
    assert!(matches!(running.ask().unwrap(), Next::Evaluate(_)), "one is measured");
}

/// Three configurations of two folds that all fail, with a known constraint and without: each pair is asked once, and the study ends.
#[test]
fn failed_pairs_of_a_small_space_are_not_repeated() {
    for constrained in [false, true] {
        let space = Space::builder().int("n", 1, 3).build().unwrap();
        let mut optimizer = FractionalCv::new(space, 2).unwrap();
        if constrained {
            optimizer = optimizer.with_known_constraint(|_| true);
        }
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
        let reason = study.run(|_: &FoldQuery, _| Outcome::failed("no")).unwrap();
        let pairs: HashSet<String> = study
            .history()
            .trials()
            .iter()
            .map(|trial| format!("{} {}", trial.query.config, trial.query.fold))
            .collect();
        assert_eq!((reason, study.history().len(), pairs.len()), (StopReason::Exhausted, 6, 6));
    }
}

/// Costs of all trials after the design, where the price rises with x1.
fn spent(costs: FoldCosts, constraints: fn(f64, f64) -> Vec<f64>) -> f64 {
    let mut study = study(|s| s.costs = costs).with_stop(MaxTrials(24));
    let mut id = 0;
    study
        .run(|query: &FoldQuery, _| {
            id += 1;
            let (x0, x1) = (query.config.float("x0").unwrap(), query.config.float("x1").unwrap());
            let (cost, constraints) = (Some((4.0 * x1).exp()), constraints(x0, x1));
            Measurement { cost, constraints, ..Measurement::from(loss(query, id)) }
        })
        .unwrap();
    let cost = |trial: &Trial<FoldQuery>| trial.outcome.as_ref()?.measurement()?.cost;
    study.history().trials()[8..].iter().filter_map(cost).sum()
}

/// A bound on the target counts per unit of cost; while every configuration breaks a constraint, so does the probability that it holds.
#[test]
fn costs_count_before_and_after_something_is_feasible() {
    let unconstrained = |_, _| vec![];
    let broken = |x0: f64, x1: f64| vec![1.0 + 0.3 * (9.0 * x0).sin() * (7.0 * x1).cos()];
    for (constraints, name) in
        [(unconstrained as fn(f64, f64) -> Vec<f64>, "no constraint"), (broken, "a constraint is broken")]
    {
        let (with, without) =
            (spent(FoldCosts::Measured, constraints), spent(FoldCosts::Ignored, constraints));
        assert!(with < 0.8 * without, "{name}: {with} {without}");
    }
}

/// A process of one's own stands in the fingerprint: by its settings, its hyperparameters and its kernels.
#[test]
fn a_process_of_ones_own_is_part_of_the_fingerprint() {
    let plain = || FractionalCv::new(space(), FOLDS).unwrap();
    let with = |model: Hgp| plain().with_model(model).fingerprint().unwrap();
    let kernel = |rough: bool| -> Box<dyn Kernel> {
        if rough {
            Box::new(Matern12::new(vec![0.5; 2]).unwrap())
        } else {
            Box::new(Matern52::new(vec![0.5; 2]).unwrap())
        }
    };
    let own = |rough: bool| Hgp::new(kernel(rough), kernel(false), 0.2).unwrap();
    assert_eq!(with(own(false)), with(own(false)));
    let uncorrelated = own(false).without_correlation().unwrap();
    let settings = GpSettings { restarts: 7, ..own(false).settings().clone() };
    for other in [own(true), uncorrelated, own(false).with_settings(settings)] {
        assert_ne!(with(own(false)), with(other));
    }
    assert_ne!(with(own(false)), plain().fingerprint().unwrap());
    assert!(!format!("{:?}", plain().fingerprint().unwrap()).contains("process"));
    let builder = Space::builder().categorical("kind", ["a", "b", "c"]).int("n", 1, 4);
    let mixed = builder.float("x", 0.0, 1.0).when("kind", ["b"]).build().unwrap();
    let model = Hgp::on_domain(mixed.domain());
    assert!(FractionalCv::new(mixed, FOLDS).unwrap().with_model(model).fingerprint().is_ok());
}

fn config(entries: &[(&str, Value)]) -> Config {
    entries.iter().fold(Config::new(), |mut config, (name, value)| {
        config.insert(*name, value.clone());
        config
    })
}

/// A design of another branch gives way to a configuration of which a part is given: with its values, and valid.
#[test]
fn designs_give_way_to_what_is_given() {
    let space = Space::builder()
        .categorical("solver", ["sgd", "adam"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .float("rate", 0.0, 1.0)
        .build()
        .unwrap();
    let sgd = config(&[("solver", "sgd".into()), ("momentum", 0.9.into()), ("rate", 0.1.into())]);
    let settings =
        FractionalSettings { initial: InitialDesign::Given(vec![sgd]), ..FractionalSettings::new(FOLDS) };
    let optimizer = FractionalCv::new(space, FOLDS).unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(12));
    study.enqueue(FoldQuery { config: config(&[("solver", "adam".into())]), repeat: 0, fold: 3 }).unwrap();
    study.run(|query: &FoldQuery, _| query.config.float("rate").unwrap()).unwrap();
    let first = &study.history().trials()[0].query;
    assert_eq!((&first.config, first.fold), (&config(&[("solver", "adam".into()), ("rate", 0.1.into())]), 3));
    assert!(study.recommend().unwrap().is_some());
}

/// A small expected gain on a given part of a configuration does not end the study.
#[test]
fn a_bad_part_that_is_enqueued_ends_no_study() {
    let optimizer = FractionalCv::new(space(), 2).unwrap();
    let mut study = Study::new(optimizer, Seed(1))
        .with_stop(NoImprovement { epsilon: 1e-3, times: 1 })
        .with_stop(MaxTrials(16));
    let loss = |query: &FoldQuery| {
        let at = |name| query.config.float(name).unwrap();
        (at("x0") - 0.3).powi(2) + (at("x1") - 0.3).powi(2) + 0.01 * query.fold as f64
    };
    let asked = |study: &mut Study<FractionalCv>| {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        study.tell(trial.id, loss(&trial.query)).unwrap();
        trial
    };
    while study.history().trials().iter().all(|trial| !trial.memo.contains(&EXPECTED_IMPROVEMENT)) {
        asked(&mut study);
    }
    study.enqueue(FoldQuery { config: config(&[("x0", 1.0.into())]), repeat: 0, fold: 1 }).unwrap();
    let given = asked(&mut study);
    assert_eq!((given.query.config.float("x0"), given.query.fold), (Ok(1.0), 1));
    assert!(!given.memo.contains(&EXPECTED_IMPROVEMENT) && !given.memo.contains(&EXPECTED_GAIN));
    assert!(given.diagnostics.contains_key("mean"), "the model chose the rest: {given:?}");
    assert_eq!(study.check_stop(), None);
}

/// A choice that always fails, and a part of the space where all folds fail, are left alone after some trials.
#[test]
fn places_where_folds_fail_are_left() {
    let space = Space::builder()
        .categorical("kind", ["broken", "good", "other"])
        .float("x", 0.0, 1.0)
        .float("y", 0.0, 1.0)
        .build()
        .unwrap();
    for seed in 0..3 {
        let optimizer = FractionalCv::new(space.clone(), FOLDS).unwrap();
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(40));
        study
            .run(|query: &FoldQuery, _| {
                let at = |name| query.config.float(name).unwrap();
                if query.config.str("kind") == Ok("broken") || at("x") > 0.6 {
                    return Outcome::failed("no");
                }
                // Without failures the minimum would be at x = 0.8.
                ((at("x") - 0.8).powi(2) + (at("y") - 0.3).powi(2) + 0.02 * query.fold as f64).into()
            })
            .unwrap();
        let late = &study.history().trials()[20..];
        let failed =
            late.iter().filter(|trial| trial.outcome.as_ref().unwrap().measurement().is_none()).count();
        assert!(failed < 10, "seed {seed}: {failed} of the last 20 failed");
        let best = study.recommend().unwrap().unwrap();
        assert!(best.config.float("x").unwrap() > 0.45, "seed {seed}: near the border, {best:?}");
    }
}

/// A configuration where most folds fail is not recommended, however low the losses of its other folds are.
#[test]
fn configurations_where_folds_fail_are_not_recommended() {
    for budget in [None, Some(30)] {
        let settings = FractionalSettings { budget, ..FractionalSettings::new(FOLDS) };
        let optimizer = FractionalCv::new(space(), FOLDS).unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(30));
        study
            .run(|query: &FoldQuery, _| {
                let x = query.config.float("x0").unwrap();
                if query.fold < 3 && x > 0.5 { Outcome::failed("no") } else { (-x).into() }
            })
            .unwrap();
        let best = study.recommend().unwrap().unwrap();
        assert!(best.config.float("x0").unwrap() <= 0.5, "{budget:?}: {best:?}");
    }
}

/// A part of a configuration is completed by what is allowed, also when the budget is spent.
#[test]
fn completed_configurations_are_allowed() {
    let space = Space::builder().int("i", 0, 1).int("j", 0, 5).build().unwrap();
    let is_allowed = |config: &Config| config.int("j").unwrap() < 2;
    for seed in 0..4 {
        let settings = FractionalSettings { budget: Some(4), ..FractionalSettings::new(2) };
        let optimizer =
            FractionalCv::new(space.clone(), 2).and_then(|cv| cv.with_settings(settings)).unwrap();
        let optimizer = optimizer.with_known_constraint(is_allowed);
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(10));
        let part = || FoldQuery { config: config(&[("i", 0.into())]), repeat: 0, fold: 0 };
        (0..10).for_each(|_| study.enqueue(part()).unwrap());
        study.run(|query: &FoldQuery, _| query.config.float("j").unwrap()).unwrap();
        let asked: Vec<&FoldQuery> = study.history().trials().iter().map(|trial| &trial.query).collect();
        assert!(asked.len() == 10 && asked.iter().all(|query| is_allowed(&query.config)), "{asked:?}");
        assert!(asked.iter().all(|query| query.config.int("i") == Ok(0) && query.fold == 0));
    }
}

/// A configuration that is given again comes with its other folds, and not at all once it has had them all.
#[test]
fn given_configurations_come_with_their_other_folds() {
    let at = |x: f64| config(&[("x0", x.into()), ("x1", 0.5.into())]);
    let given = vec![at(0.25), at(0.75), at(0.25), at(0.25)];
    for initial_folds in [InitialFolds::Two, InitialFolds::Balanced, InitialFolds::Random] {
        let initial = InitialDesign::Given(given.clone());
        let settings = FractionalSettings { initial, initial_folds, ..FractionalSettings::new(2) };
        let optimizer = FractionalCv::new(space(), 2).unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(8));
        study.run(|query: &FoldQuery, _| truth(&query.config)).unwrap();
        let pair = |trial: &Trial<FoldQuery>| format!("{} {}", trial.query.config, trial.query.fold);
        let pairs: HashSet<String> = study.history().trials().iter().map(pair).collect();
        assert_eq!(pairs.len(), 8, "{initial_folds:?}");
        let again = study.history().trials().iter().filter(|trial| trial.query.config == at(0.25));
        assert!(again.count() == 2, "{initial_folds:?}: with both folds");
    }
}

/// A bound is in units of the loss, and so is the search for the best one: losses in another unit change no suggestion.
#[test]
fn suggestions_do_not_depend_on_the_unit() {
    let asked = |unit: f64| {
        let mut study = study(|_| ()).with_stop(MaxTrials(16));
        study.run(|query, context| unit * loss(query, context.id.0)).unwrap();
        study.history().trials().iter().map(|trial| trial.query.clone()).collect::<Vec<_>>()
    };
    assert_eq!(asked(2.0_f64.powi(-30)), asked(1.0));
}

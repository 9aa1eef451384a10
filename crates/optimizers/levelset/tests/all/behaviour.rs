//! Behaviour of level-set estimation: it finds level sets, certifies them, copes with failures, duplicates, parallel trials and
//! thresholds out of reach, and names bad settings.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use thrifty_domain::Domain;
use thrifty_levelset::metrics::{Confusion, worst_misclassification};
use thrifty_levelset::{
    ClassificationSet, Classified, Confidence, Criterion, DiagnosticStop, FixedGp, Label, LevelSetOptimizer,
    LevelSetSettings, Threshold,
};
use thrifty_model_based::{CostAwareness, GpSurrogate, InitialDesign, KernelFamily, Maximizer};
use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Context, History, MaxTrials, Measurement, Next, Optimizer, OptimizerError, Outcome, Schedule,
    StopReason, StopRule, Study, Trial, TrialId,
};
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Surrogate, SurrogateError};
use thrifty_testbed::{Problem, TestFunction};

const CRITERIA: [Criterion; 16] = [
    Criterion::Straddle { kappa: 1.96 },
    Criterion::RandomizedStraddle,
    Criterion::Ambiguity,
    Criterion::ExpectedFeasibility { alpha: 2.0 },
    Criterion::Ranjan { alpha: 2.0 },
    Criterion::TargetedError { bandwidth: 0.0 },
    Criterion::BernoulliVariance,
    Criterion::BernoulliEntropy,
    Criterion::IntegratedBernoulli,
    Criterion::MisclassifiedVolume,
    Criterion::TargetedVariance { bandwidth: 0.0 },
    Criterion::TruncatedVariance { shrink: 0.1, slack: 0.0 },
    Criterion::SuperlevelVolume { kappa: 1.96, gamma: 1e-8 },
    Criterion::BoundaryInformation,
    Criterion::MaxStdDev,
    Criterion::Random,
];

fn branin(u: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let (x, y) = (-5.0 + 15.0 * u[0], 15.0 * u[1]);
    let bend = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    bend * bend + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}

/// The protocol of the notes: known hyperparameters, mean and standard deviation of Branin on the grid.
fn known() -> FixedGp {
    FixedGp {
        family: KernelFamily::Matern52,
        lengthscales: vec![0.35; 2],
        variance: 2.0 * 51.3_f64.powi(2),
        mean: 54.3,
        noise_variance: 1e-4 * 51.3_f64.powi(2),
    }
}

fn square() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn at(config: &Config) -> Vec<f64> {
    square().encode(config).unwrap()
}

fn settings(criterion: Criterion) -> LevelSetSettings {
    LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 20 },
        initial: InitialDesign::Random(3),
        criterion,
        stop_when_certified: false,
        ..LevelSetSettings::above(80.0)
    }
}

fn study(settings: LevelSetSettings, seed: u64, trials: usize) -> Study<LevelSetOptimizer> {
    let optimizer = LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known());
    Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(trials))
}

fn f1(found: &Classified) -> f64 {
    let truth: Vec<bool> = found.points().rows().map(|u| branin(u) > 80.0).collect();
    Confusion::of(&truth, &found.predicted_above()).unwrap().f1()
}

#[test]
fn every_criterion_finds_the_level_set() {
    for criterion in CRITERIA {
        let mut study = study(settings(criterion), 2, 30);
        study.run(|config, _| branin(&at(config))).unwrap();
        let found = study.recommend().unwrap().unwrap();
        let least = match criterion {
            Criterion::Random => 0.8,
            Criterion::BernoulliVariance | Criterion::BernoulliEntropy => 0.85,
            _ => 0.95,
        };
        assert!(f1(&found) > least, "{criterion:?}: {}", f1(&found));
        assert_eq!(found.len(), 400);
        let told = &study.history().trials()[29].diagnostics;
        for name in [
            "acquisition",
            "mean",
            "std_dev",
            "above",
            "undecided",
            "misclassified",
            "boundary_change",
            "mean_variance",
            "relative_variance",
            "log_expected_improvement",
            "threshold",
            "beta",
            "contradictions",
        ] {
            assert!(told.contains_key(name), "{criterion:?} {name}");
        }
    }
}

#[test]
fn trials_remember_where_the_mean_was_above() {
    let mut study = study(settings(Criterion::Straddle { kappa: 1.96 }), 2, 12);
    study.run(|config, _| branin(&at(config))).unwrap();
    let trials = study.history().trials().to_vec();
    assert_eq!(study.optimizer().above_before(&trials[2]), None);
    for count in [3, 7, 11] {
        let mut anew = LevelSetOptimizer::new(square(), settings(Criterion::Straddle { kappa: 1.96 }))
            .unwrap()
            .with_fixed_model(known());
        let found = anew
            .classify(&History::from_trials(trials[..count].to_vec(), study.history().seed()))
            .unwrap()
            .unwrap();
        assert_eq!(anew.above_before(&trials[count]), Some(found.predicted_above()), "{count}");
    }
}

#[test]
fn a_certificate_holds() {
    let settings = LevelSetSettings {
        stop_when_certified: true,
        epsilon: 5.0,
        revisit: true,
        confidence: Confidence::Gotovos { delta: 0.1 },
        ..settings(Criterion::Ambiguity)
    };
    let mut study = study(settings, 1, 200);
    let reason = study.run(|config, _| branin(&at(config))).unwrap();
    assert!(
        matches!(&reason, StopReason::Decided { message, .. } if message == "every point is classified"),
        "{reason:?}"
    );
    let found = study.recommend().unwrap().unwrap();
    assert!(found.is_certified());
    let said: Vec<bool> = found.labels().iter().map(|label| *label == Label::Above).collect();
    let values: Vec<f64> = found.points().rows().map(branin).collect();
    assert!(worst_misclassification(&values, &said, 80.0) <= 5.0);
    let (above, below) = (found.share(Label::Above), found.share(Label::Below));
    assert!((above + below - 1.0).abs() < 1e-12 && above > 0.1);
}

#[test]
fn a_domain_and_a_learnt_model() {
    for criterion in [
        Criterion::IntegratedBernoulli,
        Criterion::Straddle { kappa: 1.96 },
        Criterion::Ambiguity,
        Criterion::Random,
    ] {
        let settings = LevelSetSettings {
            over: ClassificationSet::Domain { points: 512 },
            criterion,
            initial: InitialDesign::Automatic,
            ..settings(criterion)
        };
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap();
        let mut study = Study::new(optimizer, Seed(5)).with_stop(MaxTrials(25));
        study.run(|config, _| branin(&at(config))).unwrap();
        let found = study.recommend().unwrap().unwrap();
        let least = if criterion == Criterion::Random { 0.8 } else { 0.9 };
        assert!(f1(&found) > least, "{criterion:?}: {}", f1(&found));
    }
}

/// Rebuilding the optimiser at every step changes no bit; nor does asking again.
#[test]
fn suggestions_are_functions_of_the_history() {
    for criterion in [
        Criterion::IntegratedBernoulli,
        Criterion::Ambiguity,
        Criterion::RandomizedStraddle,
        Criterion::Random,
    ] {
        for fixed in [true, false] {
            let make = || {
                let optimizer = LevelSetOptimizer::new(square(), settings(criterion)).unwrap();
                if fixed { optimizer.with_fixed_model(known()) } else { optimizer }
            };
            let mut study = Study::new(make(), Seed(3)).with_stop(MaxTrials(9));
            study.run(|config, _| branin(&at(config))).unwrap();
            let history = study.history().clone();
            for upto in [0, 3, 5, 8] {
                let part =
                    thrifty_study::History::from_trials(history.trials()[..upto].to_vec(), history.seed());
                let id = history.trials()[upto].id;
                let Ask::Evaluate(again) = make().ask(&part, id).unwrap() else { panic!("no suggestion") };
                assert_eq!(again.query, history.trials()[upto].query, "{criterion:?} {fixed} {upto}");
                assert_eq!(
                    again.diagnostics,
                    history.trials()[upto].diagnostics,
                    "{criterion:?} {fixed} {upto}"
                );
            }
        }
    }
}

#[test]
fn batches_spread() {
    for criterion in
        [Criterion::IntegratedBernoulli, Criterion::Straddle { kappa: 1.96 }, Criterion::Ambiguity]
    {
        let mut study = study(settings(criterion), 2, 27).with_schedule(Schedule::Window(4));
        study.run(|config, _| branin(&at(config))).unwrap();
        let trials = study.history().trials();
        for (i, a) in trials.iter().enumerate() {
            assert!(trials[i + 1..].iter().all(|b| a.query != b.query), "{criterion:?}");
        }
        let found = study.recommend().unwrap().unwrap();
        assert!(f1(&found) > 0.9, "{criterion:?}: {}", f1(&found));
    }
}

fn on_line(
    settings: LevelSetSettings,
    trials: usize,
    f: impl Fn(f64) -> Outcome + Sync,
) -> (StopReason, Option<Classified>, Study<LevelSetOptimizer>) {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(trials));
    let reason = study.run(|config, _| f(config.float("x").unwrap())).unwrap();
    let found = study.recommend().unwrap();
    (reason, found, study)
}

fn value(y: f64) -> Outcome {
    Outcome::from(y)
}

#[test]
fn thresholds_out_of_reach_and_constants() {
    for (threshold, label) in [(1e6, Label::Below), (-1e6, Label::Above)] {
        let settings = LevelSetSettings {
            over: ClassificationSet::Grid { per_axis: 21 },
            ..LevelSetSettings::above(threshold)
        };
        let (reason, found, study) = on_line(settings, 20, |x| value((6.0 * x).sin()));
        let found = found.unwrap();
        assert!(matches!(reason, StopReason::Decided { .. }) && study.history().len() <= 6, "{reason:?}");
        assert_eq!(found.share(label), 1.0);
        assert!(found.misclassified() < 1e-12);
    }
    // A constant on either side, and on the threshold itself: not above.
    for (constant, above) in [(0.0, false), (2.0, true), (1.0, false)] {
        let settings = LevelSetSettings {
            over: ClassificationSet::Grid { per_axis: 11 },
            epsilon: 1e-3,
            ..LevelSetSettings::above(1.0)
        };
        let (_, found, _) = on_line(settings, 11, |_| value(constant));
        assert!(found.unwrap().predicted_above().iter().all(|side| *side == above), "{constant}");
    }
}

#[test]
fn level_sets_without_volume() {
    // The maximum is on the threshold: no point is above.
    let settings = LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 41 },
        epsilon: 0.01,
        ..LevelSetSettings::above(1.0)
    };
    let (reason, found, _) = on_line(settings, 41, |x| value(1.0 - 4.0 * (x - 0.5).powi(2)));
    let found = found.unwrap();
    assert!(found.is_certified() && matches!(reason, StopReason::Decided { .. }), "{reason:?}");
    assert_eq!(found.share(Label::Above), 0.0);
}

#[test]
fn failures_teach_nothing_and_are_not_tried_again() {
    let settings = LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 31 },
        epsilon: 0.02,
        ..LevelSetSettings::above(0.5)
    };
    let (_, found, study) =
        on_line(settings.clone(), 31, |x| if x > 0.7 { value(f64::NAN) } else { value((4.0 * x).sin()) });
    let found = found.unwrap();
    let xs: Vec<f64> = study.history().trials().iter().map(|t| t.query.float("x").unwrap()).collect();
    assert!(xs.iter().enumerate().all(|(i, a)| !xs[i + 1..].contains(a)));
    let wrong = found.points().rows().zip(found.predicted_above());
    let wrong = wrong.filter(|(x, said)| x[0] < 0.7 && (((4.0 * x[0]).sin() > 0.5) != *said)).count();
    assert_eq!(wrong, 0);
    // Only failures: every candidate is tried once, then the search is exhausted without data.
    let (reason, found, study) = on_line(settings, 100, |_| value(f64::NAN));
    assert_eq!((reason, study.history().len()), (StopReason::Exhausted, 31));
    assert!(found.is_none());
}

fn candidates(xs: &[f64]) -> ClassificationSet {
    let one = |x: &f64| {
        let mut config = Config::new();
        config.insert("x", *x);
        config
    };
    ClassificationSet::Candidates(xs.iter().map(one).collect())
}

#[test]
fn one_candidate_or_twins() {
    for (xs, above) in
        [(vec![0.3], vec![true]), (vec![0.8], vec![false]), (vec![0.3, 0.3, 0.9], vec![true, true, false])]
    {
        let settings =
            LevelSetSettings { over: candidates(&xs), epsilon: 0.1, ..LevelSetSettings::above(0.5) };
        let (reason, found, study) = on_line(settings, 10, |x| value(1.0 - x));
        assert!(study.history().len() <= xs.len(), "{reason:?}");
        assert_eq!(found.unwrap().predicted_above(), above);
    }
}

#[test]
fn an_implicit_threshold_is_found() {
    let settings = LevelSetSettings {
        threshold: Threshold::Implicit { omega: 0.5 },
        over: ClassificationSet::Grid { per_axis: 41 },
        criterion: Criterion::Ambiguity,
        epsilon: 0.05,
        ..LevelSetSettings::default()
    };
    let (reason, found, study) = on_line(settings, 41, |x| value(2.0 * (-20.0 * (x - 0.6).powi(2)).exp()));
    let found = found.unwrap();
    assert!(
        matches!(reason, StopReason::Decided { .. }) && study.history().len() < 30,
        "{reason:?} {}",
        study.history().len()
    );
    let level = found.level();
    assert!(
        level.pessimistic <= 1.0 && level.optimistic >= 0.999 && (level.estimate - 1.0).abs() < 0.05,
        "{level:?}"
    );
    for (x, label) in found.points().rows().zip(found.labels()) {
        let truth = 2.0 * (-20.0 * (x[0] - 0.6).powi(2)).exp();
        assert!((truth - 1.0).abs() <= 0.06 || (truth > 1.0) == (*label == Label::Above), "{x:?} {label:?}");
    }
}

/// Bounds of a share of the maximum of a sum, which is in a corner far from all classified points: they hold the true threshold, also where the
/// corner was not asked.
#[test]
fn an_implicit_threshold_over_a_domain_is_of_its_maximum() {
    for dim in [2, 6] {
        let space = Space::unit_cube(dim);
        let sobol = Sobol::scrambled(dim, &mut Seed(7).stream("points", 0)).take(40);
        let points: Vec<Vec<f64>> = sobol.rows().map(<[f64]>::to_vec).chain([vec![1.0; dim]]).collect();
        let truth = 0.8 * dim as f64;
        for asked in [&points[..40], &points] {
            let trials = asked.iter().enumerate().map(|(id, x)| {
                Trial::new(TrialId(id as u64), space.decode(x), Some(x.iter().sum::<f64>().into()))
            });
            let history = History::from_trials(trials.collect(), Seed(1));
            let settings = LevelSetSettings {
                threshold: Threshold::Implicit { omega: 0.8 },
                ..LevelSetSettings::default()
            };
            let mut optimizer = LevelSetOptimizer::new(space.clone(), settings).unwrap();
            let found = optimizer.recommend(&history).unwrap().unwrap();
            let level = found.level();
            let near = 1e-3 * truth;
            assert!(level.optimistic >= truth - near && level.pessimistic <= truth + near, "{dim} {level:?}");
            assert!((level.estimate / truth - 1.0).abs() < 0.02, "{dim} {level:?}");
            let wrong = found.points().rows().zip(found.labels()).filter(|(x, label)| {
                let is_above = x.iter().sum::<f64>() > truth;
                **label != Label::Undecided && is_above != (**label == Label::Above)
            });
            assert_eq!(wrong.count(), 0, "{dim}");
        }
    }
}

#[test]
fn diagnostics_stop_a_study() {
    for (rule, name) in [
        (DiagnosticStop::boundary_stable(0.01, 3), "boundary_change"),
        (DiagnosticStop::misclassified(0.02, 2), "misclassified"),
        (DiagnosticStop::contracted(0.5, 1), "relative_variance"),
        (
            DiagnosticStop::All(vec![
                DiagnosticStop::boundary_stable(0.02, 2),
                DiagnosticStop::misclassified(0.05, 1),
            ]),
            "misclassified",
        ),
        (
            DiagnosticStop::Any(vec![
                DiagnosticStop::no_improvement(1e-3, 1),
                DiagnosticStop::misclassified(0.02, 1),
            ]),
            "misclassified",
        ),
    ] {
        let settings =
            LevelSetSettings { stop: Some(rule.clone()), ..settings(Criterion::IntegratedBernoulli) };
        let mut within = study(settings, 2, 80);
        let reason = within.run(|config, _| branin(&at(config))).unwrap();
        let StopReason::Decided { message, numbers } = &reason else { panic!("{rule:?}: {reason:?}") };
        assert!(message == "diagnostics of the level set" && numbers.contains_key(name), "{rule:?}");
        // As a rule of the study it sees what was written, one trial later.
        let outside = LevelSetOptimizer::new(square(), self::settings(Criterion::IntegratedBernoulli))
            .unwrap()
            .with_fixed_model(known());
        let mut outside = Study::new(outside, Seed(2)).with_stop(rule.clone());
        outside.run(|config, _| branin(&at(config))).unwrap();
        assert_eq!(outside.history().len(), within.history().len() + 1, "{rule:?}");
    }
    assert!(!DiagnosticStop::All(vec![]).holds(&[]) && !DiagnosticStop::Any(vec![]).holds(&[]));
}

/// Rules that can never hold are refused as rules of a study too, at whatever depth.
#[test]
fn stop_rules_that_make_no_sense_are_named() {
    for (rule, name) in [
        (DiagnosticStop::misclassified(0.1, 0), "times"),
        (
            DiagnosticStop::Any(vec![DiagnosticStop::All(vec![DiagnosticStop::contracted(f64::NAN, 1)])]),
            "limit",
        ),
    ] {
        let optimizer = LevelSetOptimizer::new(square(), settings(Criterion::MaxStdDev)).unwrap();
        let error = Study::new(optimizer, Seed(0)).with_stop(rule).run(|_, _| 0.0).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    assert!(StopRule::validate(&DiagnosticStop::no_improvement(1e-3, 1)).is_ok());
}

/// Half of the square is a thousand times as dear: what is known there comes from the other half as long as it can.
#[test]
fn costs_count() {
    let dear = |config: &Config| if at(config)[0] > 0.5 { 1000.0 } else { 1.0 };
    let spent = |with_cost: bool| {
        let settings = settings(Criterion::TruncatedVariance { shrink: 0.1, slack: 0.0 });
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known());
        let optimizer = if with_cost { optimizer.with_cost("halves", dear) } else { optimizer };
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(20));
        study.run(|config, _| branin(&at(config))).unwrap();
        study.history().trials()[3..].iter().map(|trial| dear(&trial.query)).sum::<f64>()
    };
    assert!(spent(true) < 0.4 * spent(false), "{} {}", spent(true), spent(false));
}

/// A failure that cost the budget of cooling: costs count no more, as the budget is spent.
#[test]
fn failures_spend_the_budget_of_cooling() {
    let next = |failed: f64, cost: CostAwareness| {
        let initial = InitialDesign::Sobol(5);
        let settings = LevelSetSettings { cost, initial, ..settings(Criterion::IntegratedBernoulli) };
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap();
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(8));
        let outcome = |config: &Config, context: &mut Context<'_>| {
            let u = at(config);
            let cost = if u[0] > 0.5 { 20.0 } else { 1.0 };
            match context.id.0 {
                2 => Outcome::failed("lost").with_cost(failed),
                _ => Measurement { cost: Some(cost), ..Measurement::from(branin(&u)) }.into(),
            }
        };
        study.run(outcome).unwrap();
        study.history().trials()[6..].iter().map(|trial| at(&trial.query)).collect::<Vec<_>>()
    };
    let cooled = CostAwareness::Cooled { budget: 1000.0 };
    let spent = next(1000.0, cooled);
    assert_eq!(spent, next(1000.0, CostAwareness::PerUnit { exponent: 0.0 }), "nothing is left");
    assert_ne!(spent, next(1.0, cooled), "most is left");
}

/// Every criterion spends less where a known cost counts.
#[test]
fn known_costs_count_for_every_criterion() {
    let dear = |config: &Config| if at(config)[0] > 0.5 { 1000.0 } else { 1.0 };
    for criterion in CRITERIA.into_iter().filter(|criterion| *criterion != Criterion::Random) {
        let spent = |with_cost: bool| {
            let optimizer =
                LevelSetOptimizer::new(square(), settings(criterion)).unwrap().with_fixed_model(known());
            let optimizer = if with_cost { optimizer.with_cost("halves", dear) } else { optimizer };
            let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(11));
            study.run(|config, _| branin(&at(config))).unwrap();
            study.history().trials()[3..].iter().map(|trial| dear(&trial.query)).sum::<f64>()
        };
        let (with, without) = (spent(true), spent(false));
        assert!(with < without || without <= 8.0, "{criterion:?}: {with} {without}");
    }
}

/// Points that probably break a measured constraint are evaluated less; measured costs count according to the settings.
#[test]
fn measured_constraints_and_costs_count() {
    let measure = |config: &Config| {
        let u = at(config);
        Measurement {
            objectives: vec![branin(&u)],
            constraints: vec![u[0] - 0.5],
            cost: Some(if u[1] > 0.5 { 1000.0 } else { 1.0 }),
            ..Measurement::default()
        }
    };
    for criterion in
        [Criterion::Straddle { kappa: 1.96 }, Criterion::IntegratedBernoulli, Criterion::Ambiguity]
    {
        let settings = LevelSetSettings { initial: InitialDesign::Sobol(8), ..settings(criterion) };
        let optimizer = LevelSetOptimizer::new(square(), settings.clone()).unwrap().with_fixed_model(known());
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(24));
        study.run(|config, _| measure(config)).unwrap();
        let suggested = &study.history().trials()[8..];
        let broken = suggested.iter().filter(|trial| at(&trial.query)[0] > 0.5).count();
        assert!(broken <= 4, "{criterion:?}: {broken} of 16");
        assert!(suggested.iter().all(|trial| trial.diagnostics.contains_key("probability_feasible")));
        let settings = LevelSetSettings { cost: CostAwareness::PerUnit { exponent: 1.0 }, ..settings };
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known());
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(24));
        study.run(|config, _| measure(config)).unwrap();
        let dear = |trials: &[Trial<Config>]| trials.iter().filter(|t| at(&t.query)[1] > 0.5).count();
        assert!(dear(&study.history().trials()[8..]) < dear(suggested).max(1), "{criterion:?}");
        let query = study.history().trials()[0].query.clone();
        let error = study.add_known(query, 1.0).unwrap_err().to_string();
        assert!(error.contains("cost is missing"), "{error}");
    }
}

#[test]
fn bad_settings_are_named() {
    let name = |settings: LevelSetSettings| match LevelSetOptimizer::new(square(), settings).err() {
        Some(OptimizerError::InvalidSetting { name, .. }) => name,
        Some(other) => other.to_string(),
        None => "nothing".into(),
    };
    let base = LevelSetSettings::above(1.0);
    assert_eq!(name(LevelSetSettings::above(f64::NAN)), "threshold");
    let confidence = Confidence::Constant { beta: -1.0 };
    assert_eq!(name(LevelSetSettings { confidence, ..base.clone() }), "confidence.beta");
    assert_eq!(
        name(LevelSetSettings { threshold: Threshold::Implicit { omega: 1.0 }, ..base.clone() }),
        "omega"
    );
    assert_eq!(name(LevelSetSettings { epsilon: -1.0, ..base.clone() }), "epsilon");
    assert_eq!(
        name(LevelSetSettings { over: ClassificationSet::Candidates(vec![]), ..base.clone() }),
        "candidates"
    );
    assert_eq!(
        name(LevelSetSettings { over: ClassificationSet::Grid { per_axis: 1 }, ..base.clone() }),
        "per_axis"
    );
    assert_eq!(
        name(LevelSetSettings { over: ClassificationSet::Grid { per_axis: 2000 }, ..base.clone() }),
        "per_axis"
    );
    assert_eq!(
        name(LevelSetSettings { over: ClassificationSet::Domain { points: 0 }, ..base.clone() }),
        "points"
    );
    assert_eq!(name(LevelSetSettings { shortlist: 0, ..base.clone() }), "shortlist");
    assert_eq!(
        name(LevelSetSettings { stop: Some(DiagnosticStop::boundary_stable(0.1, 0)), ..base.clone() }),
        "times"
    );
    assert_eq!(
        name(LevelSetSettings { criterion: Criterion::Straddle { kappa: -1.0 }, ..base.clone() }),
        "kappa"
    );
    assert_eq!(
        name(LevelSetSettings { criterion: Criterion::Ranjan { alpha: f64::NAN }, ..base.clone() }),
        "alpha"
    );
    let confidence = Confidence::Gotovos { delta: 0.0 };
    assert_eq!(name(LevelSetSettings { confidence, ..base.clone() }), "confidence.delta");
    assert!(name(LevelSetSettings { over: candidates(&[0.5]), ..base.clone() }).contains("candidate 0"));
    assert_eq!(name(base), "nothing");
}

#[test]
fn settings_survive_a_journal_and_are_in_the_fingerprint() {
    let settings = settings(Criterion::IntegratedBernoulli);
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<LevelSetSettings>(&text).unwrap(), settings);
    let make = |settings: LevelSetSettings| LevelSetOptimizer::new(square(), settings).unwrap();
    let other = LevelSetSettings { epsilon: 0.5, ..settings.clone() };
    assert_ne!(make(settings.clone()).fingerprint().unwrap(), make(other).fingerprint().unwrap());
    let fixed = make(settings.clone()).with_fixed_model(known());
    assert_ne!(make(settings).fingerprint().unwrap(), fixed.fingerprint().unwrap());
}

/// Mixed spaces: a switch that shifts the level set, and a model of the domain.
#[test]
fn mixed_spaces() {
    let space = Space::builder().float("x", 0.0, 1.0).categorical("side", ["left", "right"]).build().unwrap();
    let settings = LevelSetSettings {
        over: ClassificationSet::Domain { points: 256 },
        stop_when_certified: false,
        ..LevelSetSettings::above(0.0)
    };
    let optimizer =
        LevelSetOptimizer::new(space.clone(), settings).unwrap().with_surrogate(GpSurrogate::default());
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(24));
    let f = |config: &Config| {
        let shift = if config.str("side").unwrap() == "left" { 0.3 } else { 0.7 };
        config.float("x").unwrap() - shift
    };
    study.run(|config, _| f(config)).unwrap();
    let found = study.recommend().unwrap().unwrap();
    let truth: Vec<bool> = found.configs(&space).iter().map(|config| f(config) > 0.0).collect();
    assert!(Confusion::of(&truth, &found.predicted_above()).unwrap().f1() > 0.97);
    assert!(TestFunction::branin().space().dim() == 2);
}

/// The initial design is the one that every optimiser of the space has: scrambled Sobol points of the study's seed.
#[test]
fn the_initial_design_is_that_of_the_seed() {
    let settings = LevelSetSettings { initial: InitialDesign::Sobol(6), ..settings(CRITERIA[0]) };
    let mut study = study(settings, 7, 6);
    study.run(|config, _| branin(&at(config))).unwrap();
    let expected = Sobol::scrambled(2, &mut Seed(7).stream("design", 0)).take(6);
    for (trial, point) in study.history().trials().iter().zip(expected.rows()) {
        // At the nearest point of the grid that is classified.
        let near =
            at(&trial.query).iter().zip(point).all(|(found, x)| (found - x).abs() <= 0.5 / 19.0 + 1e-12);
        assert!(near, "trial {}: {:?} {point:?}", trial.id.0, at(&trial.query));
    }
}

/// Points to classify that depend on the seed, and intervals that are intersected over them: an optimiser that has seen a study with
/// another seed and the same measurements classifies as a new one does.
#[test]
fn intervals_of_another_seed_are_forgotten() {
    let make = || {
        let over = ClassificationSet::Domain { points: 64 };
        let settings = LevelSetSettings { over, ..settings(Criterion::Straddle { kappa: 1.96 }) };
        LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known())
    };
    let mut study = Study::new(make(), Seed(1)).with_stop(MaxTrials(4));
    study.run(|config, _| branin(&at(config))).unwrap();
    let history = |seed: u64| History::from_trials(study.history().trials().to_vec(), Seed(seed));
    let mut seasoned = make();
    assert!(seasoned.classify(&history(1)).unwrap().is_some());
    let found = seasoned.classify(&history(2)).unwrap();
    assert!(found == make().classify(&history(2)).unwrap(), "classified after another seed");
}

/// Known costs that are not positive count as 1: suggestions are those of a cost of 1 everywhere.
#[test]
fn costs_that_are_not_positive_count_as_1() {
    for criterion in
        [Criterion::Straddle { kappa: 1.96 }, Criterion::IntegratedBernoulli, Criterion::Ambiguity]
    {
        let queries = |odd: f64| {
            let optimizer =
                LevelSetOptimizer::new(square(), settings(criterion)).unwrap().with_fixed_model(known());
            let cost = move |config: &Config| if at(config)[0] > 0.5 { 1.0 } else { odd };
            let mut study = Study::new(optimizer.with_cost("odd", cost), Seed(2)).with_stop(MaxTrials(8));
            study.run(|config, _| branin(&at(config))).unwrap();
            study.history().trials().iter().map(|trial| trial.query.clone()).collect::<Vec<Config>>()
        };
        let expected = queries(1.0);
        for odd in [0.0, -3.0, f64::NAN] {
            assert_eq!(queries(odd), expected, "{criterion:?} with a cost of {odd}");
        }
    }
}

/// A search that does not stop when every point is classified: points that are decided are evaluated too.
#[test]
fn what_is_decided_is_evaluated_when_nothing_undecided_is_left() {
    let settings = LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 11 },
        criterion: Criterion::Ambiguity,
        stop_when_certified: false,
        ..LevelSetSettings::above(1e6)
    };
    let (reason, found, study) = on_line(settings, 20, |x| value((6.0 * x).sin()));
    assert_eq!((reason, study.history().len()), (StopReason::Exhausted, 11));
    let found = found.unwrap();
    assert!(!found.is_empty() && found.is_certified(), "every point is below");
}

#[test]
fn all_rules_hold_where_each_does() {
    let numbers = BTreeMap::from([("misclassified".to_owned(), 0.1), ("boundary_change".to_owned(), 0.2)]);
    let rules = |low: f64, high: f64| {
        vec![DiagnosticStop::misclassified(low, 1), DiagnosticStop::boundary_stable(high, 1)]
    };
    for (low, high, all, any) in [
        (0.05, 0.15, false, false),
        (0.15, 0.15, false, true),
        (0.05, 0.25, false, true),
        (0.15, 0.25, true, true),
    ] {
        let series = [&numbers];
        assert_eq!(DiagnosticStop::All(rules(low, high)).holds(&series), all, "all below {low}, {high}");
        assert_eq!(DiagnosticStop::Any(rules(low, high)).holds(&series), any, "any below {low}, {high}");
    }
}

/// Four levels and a design of six, all of which fail or the first alone: each level is asked once.
#[test]
fn failed_levels_of_a_small_domain_are_not_repeated() {
    for failing in [1, 9] {
        let settings = LevelSetSettings {
            over: ClassificationSet::Domain { points: 16 },
            initial: InitialDesign::Sobol(6),
            stop_when_certified: false,
            ..LevelSetSettings::above(1.5)
        };
        let space = Space::builder().int("n", 0, 3).build().unwrap();
        let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(12));
        let reason = study.run(|config, context| {
            if context.id.0 < failing { Outcome::failed("no") } else { config.float("n").unwrap().into() }
        });
        assert_eq!((reason.unwrap(), study.history().len()), (StopReason::Exhausted, 4), "{failing} fail");
    }
}

/// A finite loss and a noise variance far beyond the range of a model count as its ends.
#[test]
fn huge_losses_are_no_error() {
    for fixed in [false, true] {
        let optimizer =
            LevelSetOptimizer::new(square(), settings(Criterion::Straddle { kappa: 1.96 })).unwrap();
        let optimizer = if fixed { optimizer.with_fixed_model(known()) } else { optimizer };
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(6));
        study
            .run(|config, context| match context.id.0 {
                1 => Measurement::from(-1e200),
                2 => Measurement { noise_variance: Some(1e200), ..Measurement::from(1.0) },
                _ => Measurement::from(branin(&at(config))),
            })
            .unwrap();
        assert!(study.recommend().unwrap().is_some(), "fixed: {fixed}");
    }
}

/// Intersected intervals are those of the history at hand: an optimiser that has seen equal losses at other points, or with another noise,
/// classifies as a new one does.
#[test]
fn intervals_of_other_points_are_forgotten() {
    let make = || {
        LevelSetOptimizer::new(square(), settings(Criterion::Straddle { kappa: 1.96 }))
            .unwrap()
            .with_fixed_model(known())
    };
    let history = |change: fn(&mut Trial<Config>)| {
        let mut study = Study::new(make(), Seed(1)).with_stop(MaxTrials(4));
        study.run(|config, _| branin(&at(config))).unwrap();
        let mut trials = study.history().trials().to_vec();
        change(&mut trials[1]);
        History::from_trials(trials, Seed(1))
    };
    let first = history(|_| ());
    let moved = history(|trial| trial.query.insert("x0", 0.123));
    let noisy = history(|trial| {
        let loss = trial.outcome.as_ref().and_then(Outcome::objective).unwrap();
        trial.outcome = Some(Measurement { noise_variance: Some(1e4), ..Measurement::from(loss) }.into());
    });
    for other in [moved, noisy] {
        let mut seasoned = make();
        let before = seasoned.classify(&first).unwrap();
        let found = seasoned.classify(&other).unwrap();
        assert!(found == make().classify(&other).unwrap() && found != before);
    }
}

/// An enqueued part of a configuration is no part of the set: the points to classify are those of the whole space.
#[test]
fn an_enqueued_part_leaves_the_classified_set_alone() {
    let settings = || LevelSetSettings { initial: InitialDesign::Sobol(4), ..LevelSetSettings::above(0.4) };
    let points = |enqueues: bool| {
        let optimizer = LevelSetOptimizer::new(square(), settings()).unwrap();
        let mut study = Study::new(optimizer, Seed(11)).with_stop(MaxTrials(7));
        if enqueues {
            let mut part = Config::new();
            part.insert("x0", 0.3);
            study.enqueue(part).unwrap();
        }
        study.run(|config, _| config.float("x0").unwrap() * config.float("x1").unwrap()).unwrap();
        let classified = study.recommend().unwrap().expect("seven measurements");
        classified.points().rows().map(<[f64]>::to_vec).collect::<Vec<_>>()
    };
    assert_eq!(points(true), points(false));
}

/// Points that fail are asked once, also where others may be evaluated again; what fails for another reason is asked again.
#[test]
fn points_that_fail_are_not_revisited() {
    for criterion in [Criterion::Straddle { kappa: 1.96 }, Criterion::Ambiguity, Criterion::Random] {
        for unrelated in [false, true] {
            let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
            let settings = LevelSetSettings {
                threshold: Threshold::Fixed(0.0),
                over: ClassificationSet::Grid { per_axis: 21 },
                criterion,
                revisit: true,
                stop_when_certified: false,
                ..LevelSetSettings::default()
            };
            let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
            let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(40));
            let mut failures = BTreeMap::<u64, usize>::new();
            study
                .run(|config: &Config, _| {
                    let x = config.float("x").unwrap();
                    if !(0.4 < x && x < 0.6) {
                        return Outcome::from(Measurement::from(x - 0.5));
                    }
                    *failures.entry(x.to_bits()).or_insert(0) += 1;
                    if unrelated { Outcome::unrelated("machine down") } else { Outcome::failed("no") }
                })
                .unwrap();
            let most = failures.values().copied().max().unwrap_or(0);
            if unrelated {
                assert!(most > 1 || criterion == Criterion::Random, "{criterion:?}: {failures:?}");
            } else {
                assert!(most <= 1, "{criterion:?}: {failures:?}");
            }
        }
    }
}

/// A point of a finite domain that was lost to the machine is evaluated in the end.
#[test]
fn unrelated_failures_leave_a_point_open() {
    let space = Space::builder().int("i", 0, 3).build().unwrap();
    let settings = LevelSetSettings {
        threshold: Threshold::Fixed(0.0),
        over: ClassificationSet::Grid { per_axis: 4 },
        stop_when_certified: false,
        ..LevelSetSettings::default()
    };
    let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    let mut lost = false;
    study
        .run(|config: &Config, _| {
            let i = config.int("i").unwrap();
            if i == 2 && !std::mem::replace(&mut lost, true) {
                return Outcome::unrelated("machine down");
            }
            Outcome::from(Measurement::from(i as f64 - 1.5))
        })
        .unwrap();
    let measured = study.history().measured().filter(|(trial, _)| trial.query.int("i") == Ok(2)).count();
    assert!(lost && measured == 1, "{measured} of {}", study.history().len());
}

/// Measurements of one place are no design: the surrogate would classify the whole domain by them.
#[test]
fn repeats_of_one_place_do_not_end_the_design() {
    let space = Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
    let mut middle = Config::new();
    middle.insert("x", 0.5);
    middle.insert("y", 0.5);
    let known: Vec<(Config, Outcome)> =
        (0..6).map(|i| (middle.clone(), value(0.6 + 0.01 * f64::from(i - 3)))).collect();
    let optimizer = LevelSetOptimizer::new(space, LevelSetSettings::above(0.2)).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_known(known).unwrap();
    for id in 6..9 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a point of the design") };
        assert!(trial.diagnostics.is_empty() && trial.query != middle, "trial {id}");
        study.tell(trial.id, 0.1).unwrap();
    }
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
    assert!(!trial.diagnostics.is_empty(), "four places were measured");
}

/// Given configurations are asked beside known trials, on finite sets at their nearest points.
#[test]
fn given_configurations_are_asked_beside_known_trials() {
    let space = || Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let one = |x: f64| {
        let mut config = Config::new();
        config.insert("x", x);
        config
    };
    let given = || vec![one(0.1), one(0.9)];
    for initial in [InitialDesign::Given(given()), InitialDesign::Only(given())] {
        for (over, known) in
            [ClassificationSet::Domain { points: 64 }, ClassificationSet::Grid { per_axis: 21 }]
                .into_iter()
                .flat_map(|over| [0, 1, 2, 5].map(|known| (over.clone(), known)))
        {
            let settings =
                LevelSetSettings { initial: initial.clone(), over, ..LevelSetSettings::above(0.2) };
            let optimizer = LevelSetOptimizer::new(space(), settings).unwrap();
            let elsewhere: Vec<(Config, Outcome)> =
                (0..known).map(|i| (one(0.3 + 0.05 * f64::from(i)), value(0.5))).collect();
            let mut study = Study::new(optimizer, Seed(1)).with_known(elsewhere).unwrap();
            for x in [0.1, 0.9] {
                let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a given configuration") };
                assert!(
                    (trial.query.float("x").unwrap() - x).abs() < 1e-9,
                    "{known} known: {:?}",
                    trial.query
                );
            }
        }
    }
}

/// Criteria in units of the observations are searched in the same steps, whatever the unit is.
#[test]
fn a_criterion_does_not_depend_on_the_unit() {
    let asked = |criterion: Criterion, unit: f64| {
        let over = ClassificationSet::Domain { points: 64 };
        let maximizer = Maximizer { raw: 64, around_best: 4, climbs: 2 };
        let settings =
            LevelSetSettings { criterion, over, maximizer, ..LevelSetSettings::above(20.0 * unit) };
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(6));
        study.run(|config, _| unit * branin(&at(config))).unwrap();
        study.history().trials().iter().map(|trial| at(&trial.query)).collect::<Vec<_>>()
    };
    for criterion in [
        Criterion::Straddle { kappa: 1.96 },
        Criterion::RandomizedStraddle,
        Criterion::ExpectedFeasibility { alpha: 2.0 },
        Criterion::Ranjan { alpha: 1.0 },
        Criterion::MaxStdDev,
    ] {
        assert_eq!(asked(criterion, 2.0_f64.powi(-40)), asked(criterion, 1.0), "{criterion:?}");
    }
}

/// A process that notes near which values its outputs matter.
#[derive(Clone, Default)]
struct Near {
    value: Option<f64>,
    fits: Arc<Mutex<Vec<Option<f64>>>>,
}

impl Surrogate for Near {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.fits.lock().unwrap().push(self.value);
        GpSurrogate::default().fit(domain, data, warm_start, rng)
    }

    fn near(&self, value: f64) -> Option<Box<dyn Surrogate>> {
        Some(Box::new(Self { value: Some(value), ..self.clone() }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Ok(Description::without_settings("near"))
    }
}

/// Responses matter near a known threshold, values of constraints near 0, and costs nowhere in particular.
#[test]
fn outputs_matter_near_what_decides_them() {
    let place = |i: usize| [(0.37 + 0.618 * i as f64).fract(), (0.11 + 0.7549 * i as f64).fract()];
    let trial = |i: usize| {
        let [x, y] = place(i);
        let measured =
            Measurement { constraints: vec![x - 0.8], cost: Some(1.0 + y), ..Measurement::from(x + y * y) };
        Trial::new(TrialId(i as u64), square().decode(&[x, y]), Some(measured.into()))
    };
    let history = History::from_trials((0..12).map(trial).collect(), Seed(1));
    let cost = CostAwareness::PerUnit { exponent: 1.0 };
    for (threshold, expected) in
        [(Threshold::Fixed(0.7), Some(0.7)), (Threshold::Implicit { omega: 0.5 }, None)]
    {
        let initial = InitialDesign::Sobol(4);
        let settings = LevelSetSettings { threshold, cost, initial, ..LevelSetSettings::above(0.0) };
        let surrogate = Near::default();
        let optimizer = LevelSetOptimizer::new(square(), settings).unwrap();
        let asked = optimizer.with_surrogate(surrogate.clone()).ask(&history, TrialId(12)).unwrap();
        assert!(matches!(asked, Ask::Evaluate(_)), "{asked:?}");
        let mut fits = surrogate.fits.lock().unwrap().clone();
        fits.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut all = vec![expected, Some(0.0), None];
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(fits, all, "{threshold:?}");
    }
}

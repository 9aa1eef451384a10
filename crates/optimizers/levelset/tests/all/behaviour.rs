//! Behaviour of level-set estimation: it finds level sets, certifies them, runs trials in parallel, and names bad settings.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use thrifty_domain::Domain;
use thrifty_levelset::metrics::{Confusion, worst_misclassification};
use thrifty_levelset::{
    ClassificationSet, Classified, Confidence, Criterion, DiagnosticStop, FixedGp, Label, LevelSetOptimizer,
    LevelSetSettings, Threshold,
};
use thrifty_model_based::{CostAwareness, GpSurrogate, InitialDesign, KernelFamily, Maximizer};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, Optimizer, OptimizerError, Outcome, Schedule, StopReason, StopRule,
    Study, Trial, TrialId,
};
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Surrogate, SurrogateError};
use thrifty_testbed::{Problem, TestFunction};

use crate::edges::candidates;

pub(crate) const CRITERIA: [Criterion; 16] = [
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

pub(crate) fn branin(u: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let (x, y) = (-5.0 + 15.0 * u[0], 15.0 * u[1]);
    let bend = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    bend * bend + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}

/// The protocol of the notes: known hyperparameters, mean and standard deviation of Branin on the grid.
pub(crate) fn known() -> FixedGp {
    FixedGp {
        family: KernelFamily::Matern52,
        lengthscales: vec![0.35; 2],
        variance: 2.0 * 51.3_f64.powi(2),
        mean: 54.3,
        noise_variance: 1e-4 * 51.3_f64.powi(2),
    }
}

pub(crate) fn square() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

pub(crate) fn at(config: &Config) -> Vec<f64> {
    square().encode(config).unwrap()
}

pub(crate) fn settings(criterion: Criterion) -> LevelSetSettings {
    LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 20 },
        initial: InitialDesign::Random(3),
        criterion,
        stop_when_certified: false,
        ..LevelSetSettings::above(80.0)
    }
}

pub(crate) fn study(settings: LevelSetSettings, seed: u64, trials: usize) -> Study<LevelSetOptimizer> {
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

pub(crate) fn on_line(
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

pub(crate) fn value(y: f64) -> Outcome {
    Outcome::from(y)
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

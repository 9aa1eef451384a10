//! Decisions of a hybrid against independent calculations: coins, points of its streams, converged turns.

use thrifty_acquisition::{AcquisitionFactory, AcquisitionKind, ImprovementTarget, Schedule};
use thrifty_bo::{BayesianOptimizer, BoSettings, Maximizer};
use thrifty_hybrid::{
    Anticipation, ConvergenceMeasure, Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence,
};
use thrifty_levelset::{LevelSetOptimizer, LevelSetSettings};
use thrifty_model_based::InitialDesign;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Optimizer, StopReason, Study, Suggestion, TrialId};
use thrifty_surrogate::Prediction;

const SEED: Seed = Seed(5);

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn base() -> BoSettings {
    BoSettings { maximizer: Maximizer { raw: 64, around_best: 4, climbs: 2 }, ..BoSettings::default() }
}

fn settings(exploration: Exploration) -> HybridSettings {
    HybridSettings { exploration, convergence: OnConvergence::Ignore, ..HybridSettings::default() }
}

fn plain(base: BoSettings) -> BayesianOptimizer {
    BayesianOptimizer::new(line()).with_settings(base).unwrap()
}

fn history() -> History<Config> {
    let mut study = Study::new(plain(base()), SEED).with_stop(MaxTrials(5));
    let loss = |config: &Config| (12.0 * config.float("x").unwrap()).sin() + config.float("x").unwrap();
    study.run(|config, _| loss(config)).unwrap();
    study.history().clone()
}

fn hybrid(base: BoSettings, settings: HybridSettings) -> Hybrid<BayesianOptimizer> {
    Hybrid::new(plain(base)).with_settings(settings).unwrap()
}

fn ask(settings: &HybridSettings, id: u64) -> Ask<Config> {
    hybrid(base(), settings.clone()).ask(&history(), TrialId(id)).unwrap()
}

fn suggested(settings: &HybridSettings, id: u64) -> Suggestion<Config> {
    match ask(settings, id) {
        Ask::Evaluate(suggestion) => suggestion,
        other => panic!("{other:?}"),
    }
}

fn at(suggestion: &Suggestion<Config>) -> f64 {
    suggestion.query.float("x").unwrap()
}

#[test]
fn the_default_is_a_fixed_rate_of_a_tenth_forced_on_convergence_at_a_thousandth() {
    let expected = HybridSettings {
        exploration: Exploration::FixedRate { rate: 0.1 },
        point: ExplorePoint::MaxStdDev,
        convergence: OnConvergence::Force,
        epsilon: 1e-3,
        max_turns: None,
        anticipation: Anticipation::Own,
        measure: ConvergenceMeasure::ExpectedImprovement,
    };
    assert_eq!(HybridSettings::default(), expected);
}

#[test]
fn fingerprints_name_what_differs_in_the_hybrid_and_in_its_base() {
    let of = |base: BoSettings, settings: HybridSettings| hybrid(base, settings).fingerprint().unwrap();
    let default = || settings(Exploration::FixedRate { rate: 0.1 });
    let same = || of(base(), default());
    assert!(same().differences(&same()).is_empty());
    let own = HybridSettings { epsilon: 0.25, ..settings(Exploration::FixedRate { rate: 0.1 }) };
    let other_base = BoSettings { maximizer: Maximizer { raw: 99, ..base().maximizer }, ..base() };
    for (changed, name, value) in [
        (of(base(), settings(Exploration::FixedRate { rate: 0.2 })), "rate", "0.2"),
        (of(base(), own), "epsilon", "0.25"),
        (of(other_base, default()), "raw", "99"),
    ] {
        let found = same().differences(&changed);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].path.contains(name) && found[0].expected == value, "{found:?}");
    }
    // Nor is it plain Bayesian optimisation.
    assert!(!same().differences(&plain(base()).fingerprint().unwrap()).is_empty());
}

/// The first uniform number of the stream ("explore", id).
#[test]
fn a_uniform_point_is_the_first_of_its_stream() {
    let rule = settings(Exploration::EpsRandom { epsilon: 1.0 });
    let point =
        HybridSettings { point: ExplorePoint::Uniform, ..settings(Exploration::FixedRate { rate: 1.0 }) };
    for id in [5, 6, 31] {
        let expected = SEED.stream("explore", id).uniform();
        assert!((at(&suggested(&rule, id)) - expected).abs() < 1e-12);
        assert!((at(&suggested(&point, id)) - expected).abs() < 1e-12);
    }
}

/// Uniform points that no other beats in both mean and standard deviation, in random order: with the first and the last of the
/// thousand among them where they belong.
#[test]
fn the_front_is_what_nothing_dominates() {
    let (history, rule) = (history(), settings(Exploration::EpsPareto { epsilon: 1.0 }));
    let (mut ends, mut compared) = ([0, 0], 0);
    for id in 5..600 {
        let mut rng = SEED.stream("explore", id);
        let points: Vec<f64> = (0..1000).map(|_| rng.uniform()).collect();
        let optimizer = plain(base());
        let belief = optimizer.state(&history, TrialId(id)).unwrap().expect("a model");
        let moments: Vec<Prediction> = points.iter().map(|x| belief.posterior().predict(&[*x])).collect();
        let dominates =
            |a: &Prediction, b: &Prediction| a.mean <= b.mean && a.variance >= b.variance && a != b;
        let on_front = |i: usize| !moments.iter().any(|other| dominates(other, &moments[i]));
        let has = [on_front(0), on_front(999)];
        if (0..2).all(|end| !has[end] || ends[end] >= 2) && compared >= 3 {
            continue;
        }
        compared += 1;
        (0..2).for_each(|end| ends[end] += usize::from(has[end]));
        let mut front: Vec<usize> = (0..1000).filter(|i| on_front(*i)).collect();
        front.sort_by(|a, b| moments[*a].mean.total_cmp(&moments[*b].mean));
        rng.shuffle(&mut front);
        let found = suggested(&rule, id);
        assert!((at(&found) - points[front[0]]).abs() < 1e-12, "trial {id}");
        if ends.iter().all(|count| *count >= 2) {
            return;
        }
    }
    panic!("the ends were on the front {ends:?} times");
}

/// The improvement that decides on convergence is the largest there is, whatever the rule exploits by.
#[test]
fn the_largest_expected_improvement_is_told() {
    let history = history();
    let over = AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean);
    let bound = AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 });
    for rule in [over, bound, AcquisitionKind::PosteriorMean] {
        let base = BoSettings { rule, ..base() };
        let optimizer = plain(base.clone());
        let belief = optimizer.state(&history, TrialId(5)).unwrap().expect("a model");
        let asked = hybrid(base, settings(Exploration::Never)).ask(&history, TrialId(5)).unwrap();
        let Ask::Evaluate(found) = asked else { panic!("{asked:?}") };
        let threshold = found.diagnostics["threshold"];
        assert!((threshold - belief.target(rule.target())).abs() < 1e-12);
        // (t - m) Φ(z) + s φ(z).
        let improvement = |x: f64| {
            let Prediction { mean, variance } = belief.posterior().predict(&[x]);
            let (below, s) = (threshold - mean, variance.sqrt());
            let z = below / s;
            let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
            below * 0.5 * libm_erfc(-z / std::f64::consts::SQRT_2) + s * density
        };
        let largest = (0..=2000).map(|i| improvement(f64::from(i) / 2000.0)).fold(0.0, f64::max);
        let told = found.diagnostics["max_expected_improvement"];
        assert!((told / largest - 1.0).abs() < 1e-3, "{rule:?}: {told}, expected {largest}");
    }
}

/// The complementary error function as an integral, by Simpson's rule: good to 1e-9 here.
fn libm_erfc(x: f64) -> f64 {
    let (steps, end) = (4000, x.max(0.0) + 8.0);
    let h = (end - x) / f64::from(steps);
    let f = |i: i32| {
        let at = x + h * f64::from(i);
        let weight = if i == 0 || i == steps {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        weight * (-at * at).exp()
    };
    (0..=steps).map(f).sum::<f64>() * h / 3.0 * 2.0 / std::f64::consts::PI.sqrt()
}

/// Converged is below ε times the range of the losses.
#[test]
fn turns_converge_below_the_share_of_the_range() {
    let history = history();
    let optimizer = plain(base());
    let belief = optimizer.state(&history, TrialId(5)).unwrap().expect("a model");
    // As the model sees them.
    let (low, high) = belief.losses().iter().fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
    let never = HybridSettings { convergence: OnConvergence::Stop, ..settings(Exploration::Never) };
    let told = suggested(&settings(Exploration::Never), 5).diagnostics["max_expected_improvement"];
    let share = told / (high - low);
    assert!(share > 1e-6 && share < 0.99, "{share}");
    let before = HybridSettings { epsilon: 0.999 * share, ..never.clone() };
    assert!(matches!(ask(&before, 5), Ask::Evaluate(_)));
    match ask(&HybridSettings { epsilon: 1.001 * share, ..never }, 5) {
        Ask::Stop(StopReason::Decided { message, numbers }) => {
            assert_eq!(message, "no improvement is expected");
            assert!((numbers["max_expected_improvement"] - told).abs() < 1e-12);
            assert!((numbers["range"] - (high - low)).abs() < 1e-12);
        }
        other => panic!("{other:?}"),
    }
}

/// Turns until the coin of a trial first falls below the rate.
fn turns(id: u64, rate: f64) -> usize {
    let mut coin = SEED.stream("coin", id);
    1 + (0..5000).take_while(|_| coin.uniform() >= rate).count()
}

/// A thousand turns are skipped for one evaluation at most, and with a limit as many as it leaves.
#[test]
fn skipped_turns_are_counted_up_to_their_limit() {
    let rate = 0.001;
    let skip = HybridSettings {
        convergence: OnConvergence::Skip,
        epsilon: 1.0,
        ..settings(Exploration::FixedRate { rate })
    };
    let with = |count: usize| (5..40_000).find(|id| turns(*id, rate) == count).expect("such a trial");
    for count in [1, 7, 1000] {
        let found = suggested(&skip, with(count));
        assert_eq!(found.diagnostics["turns"], count as f64);
        assert_eq!((found.diagnostics["explored"], found.diagnostics["forced"]), (1.0, 0.0));
    }
    assert!(matches!(ask(&skip, with(1001)), Ask::Stop(StopReason::Decided { .. })));
    let limited = HybridSettings { max_turns: Some(7), ..skip };
    assert!(matches!(ask(&limited, with(7)), Ask::Evaluate(_)));
    assert!(matches!(ask(&limited, with(8)), Ask::Stop(StopReason::Decided { .. })));
}

#[test]
fn rates_from_0_to_1_are_taken() {
    let accepts = |settings: HybridSettings| Hybrid::new(plain(base())).with_settings(settings).is_ok();
    for share in [0.0, 1.0] {
        assert!(accepts(settings(Exploration::FixedRate { rate: share })));
        assert!(accepts(settings(Exploration::PiScaled { basis: share, floor: 1.0 - share })));
        assert!(accepts(settings(Exploration::EpsRandom { epsilon: share })));
        assert!(accepts(settings(Exploration::EpsPareto { epsilon: share })));
        assert!(accepts(HybridSettings { epsilon: share, ..settings(Exploration::Never) }));
    }
    for share in [-1e-9, 1.0 + 1e-9, f64::NAN] {
        assert!(!accepts(settings(Exploration::FixedRate { rate: share })));
        assert!(!accepts(settings(Exploration::PiScaled { basis: share, floor: 0.5 })));
        assert!(!accepts(settings(Exploration::PiScaled { basis: 0.5, floor: share })));
        assert!(!accepts(settings(Exploration::EpsRandom { epsilon: share })));
        assert!(!accepts(settings(Exploration::EpsPareto { epsilon: share })));
        assert!(!accepts(HybridSettings { epsilon: share, ..settings(Exploration::Never) }));
    }
}

/// Only the scaled rule has a probability of improvement to tell.
#[test]
fn the_probability_of_improvement_is_told_where_it_counts() {
    let name = "probability_of_improvement";
    assert!(
        suggested(&settings(Exploration::PiScaled { basis: 1.0, floor: 0.0 }), 5)
            .diagnostics
            .contains_key(name)
    );
    assert!(!suggested(&settings(Exploration::FixedRate { rate: 0.5 }), 5).diagnostics.contains_key(name));
}

/// A uniform point is no maximum of an acquisition function: it has the value 0.
#[test]
fn a_uniform_point_has_no_acquisition_value() {
    let settings = LevelSetSettings { initial: InitialDesign::Sobol(3), ..LevelSetSettings::above(0.5) };
    let level_set = LevelSetOptimizer::new(line(), settings).unwrap();
    let rule = HybridSettings {
        point: ExplorePoint::Uniform,
        ..self::settings(Exploration::FixedRate { rate: 1.0 })
    };
    let asked = Hybrid::new(level_set).with_settings(rule).unwrap().ask(&history(), TrialId(5)).unwrap();
    let Ask::Evaluate(found) = asked else { panic!("{asked:?}") };
    assert_eq!((found.diagnostics["explored"], found.diagnostics["acquisition"]), (1.0, 0.0));
}

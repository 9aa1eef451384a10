//! Algorithms 1, 2 and 3 as they are written, and their readings.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, ProbabilityOfImprovement, Schedule, Utility};
use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, Maximizer, MultiObjectiveOptimizer};
use thrifty_hybrid::{
    Anticipation, ConvergenceMeasure, Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Measurement, Memo, Optimizer, Study, Trial, TrialId};
use thrifty_surrogate::Prediction;

const ID: TrialId = TrialId(5);

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn at(config: &Config) -> f64 {
    config.float("x").unwrap()
}

fn base(rule: AcquisitionKind) -> BayesianOptimizer {
    let settings = BoSettings {
        rule,
        maximizer: Maximizer { raw: 128, around_best: 4, climbs: 4 },
        convergence: Convergence::Continue,
        ..BoSettings::default()
    };
    BayesianOptimizer::new(line()).with_settings(settings).unwrap()
}

fn ei() -> BayesianOptimizer {
    base(AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved))
}

fn bound() -> BayesianOptimizer {
    base(AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }))
}

fn history() -> History<Config> {
    let mut study = Study::new(ei(), Seed(7)).with_stop(MaxTrials(5));
    study.run(|config, _| (12.0 * at(config)).sin() + at(config)).unwrap();
    study.history().clone()
}

fn ask(base: BayesianOptimizer, settings: HybridSettings) -> Ask<Config> {
    Hybrid::new(base).with_settings(settings).unwrap().ask(&history(), ID).unwrap()
}

fn suggested(base: BayesianOptimizer, settings: HybridSettings) -> f64 {
    match ask(base, settings) {
        Ask::Evaluate(suggestion) => at(&suggestion.query),
        other => panic!("{other:?}"),
    }
}

/// Probability of improvement and mean on a grid, and the range of the losses as the model sees them.
fn grid() -> (Vec<f64>, Vec<f64>, f64, f64) {
    let (optimizer, history) = (ei(), history());
    let state = optimizer.state(&history, ID).unwrap().expect("a model");
    let target = state.target(ImprovementTarget::BestObserved);
    let at = |i: i32| state.posterior().predict(&[f64::from(i) / 4000.0]);
    let improvement = |p: Prediction| ProbabilityOfImprovement { target }.value(p.mean, p.variance.sqrt());
    let losses = state.losses();
    let high = losses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let all = || (0..=4000).map(at);
    (all().map(improvement).collect(), all().map(|p| p.mean).collect(), target, high - low)
}

/// Probability of improvement and mean at a point.
fn moments(x: f64) -> (f64, f64) {
    let (optimizer, history) = (ei(), history());
    let state = optimizer.state(&history, ID).unwrap().expect("a model");
    let target = state.target(ImprovementTarget::BestObserved);
    let Prediction { mean, variance } = state.posterior().predict(&[x]);
    (ProbabilityOfImprovement { target }.value(mean, variance.sqrt()), mean)
}

/// An algorithm that only exploits, at the end of which nothing has converged.
fn exploiting(anticipation: Anticipation) -> HybridSettings {
    let settings = HybridSettings::algorithm_1().anticipating(anticipation);
    HybridSettings { epsilon: 0.0, ..settings }
}

#[test]
fn constructors_have_the_settings_of_the_text() {
    let first = HybridSettings {
        exploration: Exploration::Never,
        point: ExplorePoint::MaxStdDev,
        convergence: OnConvergence::Stop,
        epsilon: 1e-3,
        max_turns: None,
        anticipation: Anticipation::ExpectedImprovement,
        measure: ConvergenceMeasure::ExpectedImprovement,
    };
    assert_eq!(Hybrid::algorithm_1(ei()).settings(), &first);
    let second = HybridSettings { exploration: Exploration::FixedRate { rate: 0.2 }, ..first.clone() };
    assert_eq!(Hybrid::algorithm_2(ei(), 0.2).unwrap().settings(), &second);
    let scaled = Exploration::PiScaled { basis: 1.0, floor: 0.0 };
    let third = HybridSettings { exploration: scaled, ..first };
    assert_eq!(Hybrid::algorithm_3(ei(), 1.0).unwrap().settings(), &third);
    let forced = third.clone().reading(OnConvergence::Force).anticipating(Anticipation::Mean);
    let (convergence, anticipation) = (OnConvergence::Force, Anticipation::Mean);
    assert_eq!(forced, HybridSettings { convergence, anticipation, ..third });
    for share in [-0.1, 1.1, f64::NAN] {
        assert!(Hybrid::algorithm_2(ei(), share).is_err() && Hybrid::algorithm_3(ei(), share).is_err());
    }
}

/// Journals from before the settings existed have neither; those of the default still have neither.
#[test]
fn defaults_are_not_written() {
    let written = serde_json::to_value(HybridSettings::default()).unwrap();
    assert!(written.get("anticipation").is_none() && written.get("measure").is_none(), "{written}");
    for anticipation in [Anticipation::Own, Anticipation::ProbabilityOfImprovement, Anticipation::Mean] {
        for measure in [ConvergenceMeasure::ExpectedImprovement, ConvergenceMeasure::Anticipated] {
            let settings = HybridSettings { anticipation, measure, ..HybridSettings::default() };
            let text = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<HybridSettings>(&text).unwrap(), settings);
        }
    }
}

/// The equation replaces the acquisition function of the optimiser, and without one that stays.
#[test]
fn a_turn_exploits_by_the_anticipation_equation() {
    let own = |base| suggested(base, exploiting(Anticipation::Own));
    let by = |anticipation| suggested(bound(), exploiting(anticipation));
    assert_eq!(by(Anticipation::ExpectedImprovement), own(ei()));
    assert_eq!(by(Anticipation::Own), own(bound()));
    assert_ne!(own(bound()), own(ei()));
    let (improvements, means, ..) = grid();
    let most = improvements.iter().copied().fold(0.0, f64::max);
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let (found, _) = moments(by(Anticipation::ProbabilityOfImprovement));
    assert!(found > 0.999 * most, "{found} {most}");
    let (_, found) = moments(by(Anticipation::Mean));
    assert!(found < least + 1e-3 * least.abs(), "{found} {least}");
}

/// By the measure of the equation itself a turn converges when ε is above its largest value, and not before.
#[test]
fn the_equation_itself_decides_on_convergence() {
    let (improvements, means, target, range) = grid();
    let most = improvements.iter().copied().fold(0.0, f64::max);
    let share = (target - means.iter().copied().fold(f64::INFINITY, f64::min)) / range;
    assert!(most > 0.01 && share > 1e-4, "{most} {share}");
    let cases = [(Anticipation::ProbabilityOfImprovement, most), (Anticipation::Mean, share)];
    for (anticipation, largest) in cases {
        for (factor, stops) in [(0.97, false), (1.03, true)] {
            let settings = HybridSettings {
                measure: ConvergenceMeasure::Anticipated,
                epsilon: factor * largest,
                ..exploiting(anticipation)
            };
            let asked = ask(bound(), settings);
            assert_eq!(matches!(asked, Ask::Stop(_)), stops, "{anticipation:?}, {factor}: {asked:?}");
        }
    }
    // For expected improvement both measures are one.
    let measures = [ConvergenceMeasure::ExpectedImprovement, ConvergenceMeasure::Anticipated];
    let stops = |measure, epsilon| {
        let settings = HybridSettings { measure, epsilon, ..exploiting(Anticipation::ExpectedImprovement) };
        matches!(ask(ei(), settings), Ask::Stop(_))
    };
    for epsilon in [1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0] {
        assert_eq!(stops(measures[0], epsilon), stops(measures[1], epsilon), "{epsilon}");
    }
}

/// Several objectives have no probability of improvement: the error says so, and nothing panics.
#[test]
fn an_equation_of_one_objective_is_refused_for_two() {
    for anticipation in [Anticipation::ProbabilityOfImprovement, Anticipation::Mean] {
        let settings = HybridSettings::default().anticipating(anticipation);
        let optimizer = Hybrid::new(MultiObjectiveOptimizer::new(line())).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
        let found = study.run(|config: &Config, _| Measurement {
            objectives: vec![at(config).powi(2), (at(config) - 1.0).powi(2)],
            ..Measurement::default()
        });
        assert!(found.is_err(), "{anticipation:?}");
    }
}

/// Trials with these losses.
fn told(losses: &[(f64, f64)]) -> History<Config> {
    let mut trials = history().trials()[..1].to_vec();
    trials[0].memo = Memo::default();
    let trials = losses.iter().zip(0..).map(|(&(x, loss), id)| {
        let (id, query, outcome) = (TrialId(id), line().decode(&[x]), Some(loss.into()));
        Trial { id, query, outcome, ..trials[0].clone() }
    });
    History::from_trials(trials.collect(), Seed(7))
}

/// True if a turn after these trials has converged by the value of its equation.
fn has_converged(history: &History<Config>, anticipation: Anticipation, epsilon: f64) -> bool {
    let measure = ConvergenceMeasure::Anticipated;
    let settings = HybridSettings { measure, epsilon, ..exploiting(anticipation) };
    let mut hybrid = Hybrid::new(ei()).with_settings(settings).unwrap();
    matches!(hybrid.ask(history, TrialId(history.len() as u64)).unwrap(), Ask::Stop(_))
}

/// Losses without a range: what is anticipated counts by itself, not as a share.
#[test]
fn equal_losses_converge_by_what_is_anticipated_itself() {
    let equal = told(&[(0.1, 2.0), (0.3, 2.0), (0.5, 2.0), (0.7, 2.0), (0.9, 2.0)]);
    for anticipation in [Anticipation::ExpectedImprovement, Anticipation::Mean] {
        assert!(has_converged(&equal, anticipation, 1.0), "{anticipation:?}: below 1");
        assert!(!has_converged(&equal, anticipation, 0.0), "{anticipation:?}: not below 0");
    }
}

/// An ε of 0: a turn whose smallest mean is above the smallest loss promises nothing, and nothing is not below 0.
#[test]
fn nothing_converges_at_an_epsilon_of_0() {
    let noisy = told(&[(0.2, 0.0), (0.2, 1.0), (0.5, 0.0), (0.5, 1.0), (0.8, 0.0), (0.8, 1.0)]);
    assert!(has_converged(&noisy, Anticipation::Mean, 1e-12), "below any other");
    assert!(!has_converged(&noisy, Anticipation::Mean, 0.0), "not below 0");
}

/// A name that a rule of exploration does not have is refused.
#[test]
fn unknown_names_of_a_rule_are_refused() {
    for (rule, name) in [
        (r#"{"fixed_rate": {"rate": 0.1, "rates": 0.2}}"#, "rates"),
        (r#"{"pi_scaled": {"basis": 1, "floor": 0, "least": 0.1}}"#, "least"),
        (r#"{"eps_random": {"epsilon": 0.1, "rate": 0.1}}"#, "rate"),
    ] {
        let text = format!(r#"{{"exploration": {rule}}}"#);
        let error = serde_json::from_str::<HybridSettings>(&text).unwrap_err().to_string();
        assert!(error.contains(&format!("unknown field `{name}`")), "{error} does not name {name}");
    }
}

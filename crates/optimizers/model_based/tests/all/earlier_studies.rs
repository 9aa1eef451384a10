//! Earlier studies as sources: who is refused by name, who is left out, and the configurations to begin with.

use thrifty_model_based::{EarlierStudies, EarlierStudyError, GpSurrogate, LeftOut, LossTransform};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, Outcome, Trial, TrialId};
use thrifty_surrogate::Surrogate;

fn space() -> Space {
    Space::builder()
        .categorical("c", ["a", "b"])
        .float("x", 0.0, 1.0)
        .float("y", 0.0, 1.0)
        .when("c", ["b"])
        .build()
        .unwrap()
}

fn config(x: f64, y: Option<f64>) -> Config {
    let mut config = Config::new();
    config.insert("c", if y.is_some() { "b" } else { "a" });
    config.insert("x", x);
    if let Some(y) = y {
        config.insert("y", y);
    }
    config
}

/// Losses whose best configuration is c = b, x = 0.2, y = 0.7.
fn loss(config: &Config) -> f64 {
    let x = (config.float("x").unwrap() - 0.2).powi(2);
    config.float("y").map_or(x + 0.5, |y| x + (y - 0.7).powi(2))
}

fn trials(n: u32, scale: f64) -> Vec<(Config, Outcome)> {
    let mut rng = Seed(4).stream("trials", u64::from(n));
    let one = |i: u32| {
        let config = config(rng.uniform(), (!i.is_multiple_of(3)).then(|| rng.uniform()));
        let outcome = Outcome::from(scale * loss(&config));
        (config, outcome)
    };
    (0..n).map(one).collect()
}

fn history(trials: &[(Config, Outcome)]) -> History<Config> {
    let trial = |(query, outcome): &(Config, Outcome)| Trial {
        diagnostics: [].into(),
        memo: thrifty_study::Memo::default(),
        ..Trial::new(TrialId(0), query.clone(), Some(outcome.clone()))
    };
    History::from_trials(trials.iter().map(trial).collect(), Seed(1))
}

fn refusal(made: Result<EarlierStudies, EarlierStudyError>) -> String {
    made.err().unwrap().to_string()
}

#[test]
fn histories_and_tables_are_the_same_source() {
    let (space, trials) = (space(), trials(20, 3.0));
    let of_table = EarlierStudies::new(&space).with_trials("a", &trials).unwrap();
    let of_history = EarlierStudies::new(&space).with_history("b", &history(&trials)).unwrap();
    let describe =
        |earlier: &EarlierStudies| earlier.surrogate(GpSurrogate::default()).unwrap().describe().unwrap();
    assert_eq!(describe(&of_table), describe(&of_history));
    let plain =
        EarlierStudies::new(&space).with_losses(LossTransform::None).with_trials("a", &trials).unwrap();
    assert_ne!(describe(&of_table), describe(&plain));
}

#[test]
fn first_trials_are_feasible_and_apart() {
    let (space, mut all) = (space(), trials(40, 1.0));
    // The best configuration breaks a constraint.
    let measured = Measurement { objectives: vec![-9.0], constraints: vec![1.0], ..Measurement::default() };
    all.push((config(0.2, Some(0.7)), Outcome::Measured(measured)));
    let earlier = EarlierStudies::new(&space).with_trials("a", &all).unwrap();
    let surrogate = earlier.surrogate(GpSurrogate::default()).unwrap();
    let first = earlier.first_trials(&surrogate, 3);
    assert_eq!(first.len(), 3);
    assert!(first.iter().all(|config| space.validate(config).is_ok() && *config != all[40].0));
    let losses: Vec<f64> = all[..40].iter().map(|(config, _)| loss(config)).collect();
    let better = losses.iter().filter(|other| **other < loss(&first[0])).count();
    assert!(better < 8, "{better} of 40 are better than the first");
}

#[test]
fn studies_that_teach_nothing_are_left_out_with_a_reason() {
    let (space, all) = (space(), trials(10, 1.0));
    let failed: Vec<_> = all.iter().map(|(config, _)| (config.clone(), Outcome::failed("no"))).collect();
    let flat: Vec<_> = all.iter().map(|(config, _)| (config.clone(), Outcome::from(2.0))).collect();
    let earlier = EarlierStudies::new(&space)
        .with_trials("good", &all)
        .and_then(|earlier| earlier.with_trials("empty", &[]))
        .and_then(|earlier| earlier.with_trials("one", &all[..1]))
        .and_then(|earlier| earlier.with_trials("failed", &failed))
        .and_then(|earlier| earlier.with_trials("flat", &flat))
        .and_then(|earlier| earlier.with_trials("again", &all))
        .unwrap();
    let reason = |name: &str, reason: &str| LeftOut { name: name.into(), reason: reason.into() };
    let expected = [
        reason("empty", "0 measured trials, expected at least 2"),
        reason("one", "1 measured trial, expected at least 2"),
        reason("failed", "0 measured trials, expected at least 2"),
        reason("flat", "all losses are equal"),
        reason("again", "it has the trials of \"good\""),
    ];
    assert_eq!((earlier.len(), earlier.left_out()), (1, &expected[..]));
    // Failures among measurements change nothing.
    let mut mixed = all.clone();
    mixed.insert(3, failed[0].clone());
    let describe = |trials: &[(Config, Outcome)]| {
        let earlier = EarlierStudies::new(&space).with_trials("a", trials).unwrap();
        earlier.surrogate(GpSurrogate::default()).unwrap().describe().unwrap()
    };
    assert_eq!(describe(&all), describe(&mixed));
}

#[test]
fn studies_of_something_else_are_refused_by_name() {
    let space = space();
    let add = |trials: &[(Config, Outcome)]| refusal(EarlierStudies::new(&space).with_trials("old", trials));
    let mut unknown = config(0.5, None);
    unknown.insert("z", 1.0);
    assert_eq!(add(&[(unknown, Outcome::from(1.0))]), "earlier study \"old\", trial 0: unknown parameter z");
    let mut missing = config(0.5, None);
    missing.remove("x");
    let measured = (config(0.5, None), Outcome::from(1.0));
    assert_eq!(
        add(&[measured, (missing, Outcome::from(1.0))]),
        "earlier study \"old\", trial 1: parameter x is missing"
    );
    let several = Outcome::Measured(Measurement { objectives: vec![1.0, 2.0], ..Measurement::default() });
    assert_eq!(
        add(&[(config(0.5, None), several)]),
        "earlier study \"old\", trial 0: 2 objectives, expected 1"
    );
}

/// A loss of 1e300 and losses on a scale of 1e-12 are carried; losses that are not finite never were measured.
#[test]
fn extreme_losses_are_carried() {
    let space = space();
    for scale in [1e-12, 1e12] {
        let mut all = trials(12, scale);
        all[3].1 = Outcome::from(1e300);
        all[4].1 = Outcome::Measured(Measurement::from(f64::NAN));
        let earlier = EarlierStudies::new(&space).with_trials("a", &all).unwrap();
        assert_eq!(earlier.len(), 1);
        assert!(earlier.surrogate(GpSurrogate::default()).is_ok());
    }
}

//! Laws of reading arbitrary bytes, one function per format.
//!
//! Each takes any bytes. What cannot be read must be refused with an error; what is read must be usable without a panic,
//! and must survive being written and read again. A function panics where a law is broken: so fuzzing finds it
//! (`tests/fuzz`), and the inputs that were once interesting are a regression test (`tests/corpus.rs`).

use thrifty::autobct::{Controls, Decision, NoiseStdDev, Quadrature, State, ValueMap};
use thrifty::linear::{Coefficients, Polynomial};
use thrifty::results;
use thrifty::space::Space;
use thrifty::study::{Directions, History};
use thrifty::trees::{Boosting, Forest};

/// A format: its name, which is its folder in the corpus, and its law.
pub type Target = (&'static str, fn(&[u8]));

/// Every format.
pub const TARGETS: [Target; 7] = [
    ("journal", journal),
    ("space", space),
    ("value_map", value_map),
    ("forest", forest),
    ("optuna", optuna),
    ("hyperopt", hyperopt),
    ("table", table),
];

/// A space with every kind of parameter.
///
/// # Panics
/// Never: the space is valid.
#[must_use]
pub fn mixed() -> Space {
    let builder =
        Space::builder().float("x", -1.0, 1.0).int("n", 1, 32).categorical("c", ["a", "True", "1.5"]);
    builder.log_float("y", 1e-3, 1.0).when("c", ["a"]).build().expect("valid")
}

/// Journals of configurations: every trial is usable, and reading is reproducible.
///
/// # Panics
/// Where a law is broken.
pub fn journal(bytes: &[u8]) {
    let Ok(history) = History::<thrifty::space::Config>::from_bytes(bytes) else { return };
    assert!(history.trials().iter().zip(0..).all(|(trial, id)| trial.id.0 == id), "ids count from 0");
    let again = History::<thrifty::space::Config>::from_bytes(bytes).expect("read once");
    assert_eq!(format!("{history:?}"), format!("{again:?}"));
    for (trial, loss) in history.measured() {
        assert!(loss.is_finite());
        if let Ok(point) = mixed().encode(&trial.query) {
            assert!(point.iter().all(|u| (0.0..=1.0).contains(u)), "{point:?}");
        }
    }
}

/// Spaces: points of the cube decode to configurations that are valid and encode into the cube.
///
/// # Panics
/// Where a law is broken.
pub fn space(bytes: &[u8]) {
    let Ok(space) = serde_json::from_slice::<Space>(bytes) else { return };
    let text = serde_json::to_string(&space).expect("a space is JSON");
    assert_eq!(serde_json::from_str::<Space>(&text).expect("what was written reads"), space);
    for u in [0.0, 0.37, 1.0] {
        let config = space.decode(&vec![u; space.dim()]);
        space.validate(&config).expect("what was decoded is valid");
        let point = space.encode(&config).expect("what was decoded encodes");
        assert!(point.iter().all(|u| (0.0..=1.0).contains(u)), "{point:?}");
    }
}

/// The decision problem of the value maps in the corpus.
///
/// # Panics
/// Never: the problem is valid.
#[must_use]
pub fn decision() -> Decision {
    let basis = Polynomial::of_one(1, 0.5);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let controls =
        |count| Controls::new(Controls::grid(1, count).as_ref(), &basis, &basis, noise).expect("valid");
    Decision::with_later(0.16, controls(5), controls(3), Quadrature::Hermite(3)).expect("valid")
}

/// Prior state of the value functions in the corpus.
///
/// # Panics
/// Never: the state is valid.
#[must_use]
pub fn prior() -> State {
    let coefficients = |mean: f64| Coefficients::independent(vec![mean, 0.1], &[1.0; 2]).expect("valid");
    State { score: coefficients(0.4), cost: coefficients(0.2) }
}

/// Value functions: every level is refused or gives values.
///
/// # Panics
/// Where a law is broken.
pub fn value_map(bytes: &[u8]) {
    let Ok(map) = ValueMap::read(bytes) else { return };
    let mut written = Vec::new();
    map.write(&mut written).expect("what was read is written");
    ValueMap::read(written.as_slice()).expect("what was written reads");
    let decision = decision();
    for level in 0..=map.depth() {
        let Ok(values) = map.level(level, &decision) else { continue };
        let _ = decision.on_the_fly(&prior(), 1, &values, &thrifty::autobct::Expectation::DEFAULT);
    }
}

/// Forests and boosted trees: predictions are numbers wherever the features are.
///
/// # Panics
/// Where a law is broken.
pub fn forest(bytes: &[u8]) {
    if let Ok(forest) = serde_json::from_slice::<Forest>(bytes) {
        for x in [0.0_f32, -1e30, 1e30] {
            let _ = forest.predict(&[x]);
            let _ = forest.predict(&[x, x]);
        }
    }
    if let Ok(boosting) = serde_json::from_slice::<Boosting>(bytes) {
        let _ = boosting.predict(&[0.5]);
        let _ = boosting.predict(&[0.5, 0.5]);
    }
}

/// CSV of Optuna's trials: what is taken is of the space.
///
/// # Panics
/// Where a law is broken.
pub fn optuna(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    of_the_space(results::from_optuna(&mixed(), &Directions::default(), text));
}

/// JSON of Hyperopt's trials: what is taken is of the space.
///
/// # Panics
/// Where a law is broken.
pub fn hyperopt(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    of_the_space(results::from_hyperopt(&mixed(), text));
}

/// CSV of trials: what is taken is of the space.
///
/// # Panics
/// Where a law is broken.
pub fn table(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    of_the_space(results::from_csv(&mixed(), &Directions::default(), text));
}

fn of_the_space(known: Result<results::KnownTrials, results::ImportError>) {
    for (config, outcome) in known.into_iter().flatten() {
        mixed().validate(&config).expect("only configurations of the space are taken");
        let finite = outcome.measurement().is_none_or(|m| m.objectives.iter().all(|loss| loss.is_finite()));
        assert!(finite, "a measured loss is finite");
    }
}

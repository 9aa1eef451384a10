//! Reading of histories: shapes of measurements, Pareto sets, encoded points, journals of format 1.

use thrifty_pareto::ReferencePoint;
use thrifty_sampling::Seed;
use thrifty_search::{
    Nsga2, ParetoMember, ParetoSet, RandomSearch, SobolSearch, measurement, points_of, same_shape, shape,
};
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, Optimizer, OptimizerError, Outcome, Study, Trial, TrialId};

fn line() -> Space {
    Space::builder().float("x", 0.0, 2.0).build().unwrap()
}

fn at(x: f64) -> Config {
    let mut config = Config::new();
    config.insert("x", x);
    config
}

fn measured(objectives: &[f64], constraints: &[f64]) -> Outcome {
    let (objectives, constraints) = (objectives.to_vec(), constraints.to_vec());
    Measurement { objectives, constraints, ..Measurement::default() }.into()
}

fn history(outcomes: Vec<Option<Outcome>>) -> History<Config> {
    let trial = |(i, outcome): (usize, Option<Outcome>)| Trial::new(TrialId(0), at(0.25 * i as f64), outcome);
    History::from_trials(outcomes.into_iter().enumerate().map(trial).collect(), Seed(1))
}

fn text(error: &OptimizerError) -> String {
    format!("{error} {:?}", std::error::Error::source(error).map(ToString::to_string))
}

/// Only a measurement with an objective is one.
#[test]
fn trials_without_an_objective_have_no_measurement() {
    let outcomes =
        vec![None, Some(Outcome::failed("no")), Some(measured(&[], &[1.0])), Some(measured(&[3.0], &[]))];
    let history = history(outcomes);
    let found: Vec<bool> = history.trials().iter().map(|trial| measurement(trial).is_some()).collect();
    assert_eq!(found, [false, false, false, true]);
    assert_eq!(measurement(&history.trials()[3]).unwrap().objectives, [3.0]);
}

/// The first measurement sets the numbers; the first trial that differs is named, with what it should have.
#[test]
fn other_numbers_of_objectives_and_constraints_are_named() {
    assert_eq!(shape(&history(vec![None, Some(Outcome::failed("no"))])).unwrap(), None);
    let good = || Some(measured(&[1.0, 2.0], &[0.0]));
    assert_eq!(shape(&history(vec![None, good(), good()])).unwrap(), Some((2, 1)));
    for (odd, said) in [
        (measured(&[1.0], &[0.0]), "the measurement has 1 objective, expected 2 as in trial 1"),
        (measured(&[1.0; 3], &[0.0]), "the measurement has 3 objectives, expected 2 as in trial 1"),
        (measured(&[1.0, 2.0], &[]), "the measurement has 0 constraints, expected 1 as in trial 1"),
        (measured(&[1.0, 2.0], &[0.0; 2]), "the measurement has 2 constraints, expected 1 as in trial 1"),
    ] {
        let history = history(vec![None, good(), None, Some(odd)]);
        for error in [shape(&history).unwrap_err(), ParetoSet::of(&history).unwrap_err()] {
            assert!(text(&error).contains(said) && text(&error).contains("reading trial 3"), "{error}");
        }
        // Without the odd one the rest agrees.
        assert_eq!(same_shape(&history.trials()[..3]).unwrap(), Some((2, 1)));
    }
}

/// Infeasible and failed trials are left out, dominated ones too, and of equal losses the first stays.
#[test]
fn pareto_sets_have_the_first_of_equal_feasible_losses() {
    let history = history(vec![
        Some(measured(&[0.0, 0.0], &[1e-9, -1.0])),
        Some(measured(&[1.0, 3.0], &[0.0, 0.0])),
        Some(Outcome::failed("no")),
        Some(measured(&[2.0, 1.0], &[-1.0, 0.0])),
        Some(measured(&[1.0, 3.0], &[0.0, 0.0])),
        Some(measured(&[2.0, 2.0], &[0.0, 0.0])),
    ]);
    let set = ParetoSet::of(&history).unwrap();
    let member = |i: u64, objectives: [f64; 2]| ParetoMember {
        trial: TrialId(i),
        config: at(0.25 * i as f64),
        objectives: objectives.to_vec(),
    };
    assert_eq!(set.members, [member(1, [1.0, 3.0]), member(3, [2.0, 1.0])]);
    let losses = set.losses().unwrap();
    assert_eq!(losses.rows().map(<[f64]>::to_vec).collect::<Vec<_>>(), [[1.0, 3.0], [2.0, 1.0]]);
    // To (4, 5): 3·2 and 2·4, of which 2·2 is common.
    let reference = ReferencePoint::explicit(vec![4.0, 5.0]).unwrap();
    assert!((set.hypervolume(&reference).unwrap() - 10.0).abs() < 1e-12);
    // Members of different numbers of objectives are an error everywhere.
    let odd = ParetoSet {
        members: vec![
            member(1, [1.0, 3.0]),
            ParetoMember { objectives: vec![1.0; 3], ..member(2, [0.0; 2]) },
        ],
    };
    let error = "a member has 3 objectives, expected 2";
    assert_eq!(ParetoSet::among(odd.members.clone()).unwrap_err().to_string(), error);
    assert_eq!(odd.losses().unwrap_err().to_string(), error);
    assert_eq!(odd.hypervolume(&reference).unwrap_err().to_string(), error);
    let empty = ParetoSet::default();
    let none = empty.losses().unwrap();
    assert_eq!((none.len(), none.dim()), (0, 0));
    assert_eq!(ParetoSet::among(vec![]).unwrap(), empty);
}

#[test]
fn points_are_the_encoded_queries_and_foreign_ones_are_named() {
    let good = history(vec![None, None, None]);
    let points = points_of(&line(), good.trials()).unwrap();
    assert_eq!(points.as_flat(), [0.0, 0.125, 0.25]);
    let mut trials = good.trials().to_vec();
    trials[1].query = Config::new();
    let error = points_of(&line(), &trials).unwrap_err();
    assert!(text(&error).contains("encoding trial 1"), "{error}");
}

fn opens<O: Optimizer<Query = Config>>(optimizer: O, path: &std::path::Path) -> Result<(), String> {
    Study::new(optimizer, Seed(7)).with_journal(path).map(|_| ()).map_err(|error| error.to_string())
}

/// Journals of format 1 named a method, the seed and a hash of the space.
#[test]
fn journals_of_format_one_are_resumed_by_their_text() {
    let folder = tempfile::tempdir().unwrap();
    let hash = line().fingerprint().unwrap();
    let path = folder.path().join("journal");
    let write = |text: &str| {
        let header = serde_json::json!({"thrifty_journal": 1, "seed": 7, "fingerprint": text});
        std::fs::write(&path, format!("{header}\n")).unwrap();
    };
    write(&format!("random search null seed 7 space {hash}"));
    opens(RandomSearch::new(line()), &path).unwrap();
    assert!(opens(SobolSearch::new(line()), &path).is_err());
    write(&format!("sobol search null seed 7 space {hash}"));
    opens(SobolSearch::new(line()), &path).unwrap();
    assert!(opens(RandomSearch::new(line()), &path).is_err());
    // The initial design of generations is another one now.
    let error = opens(Nsga2::new(line()), &path).unwrap_err();
    assert!(error.contains("settings.initial is as many trials as the encoded space has columns"), "{error}");
    assert!(error.contains("as many measurements as the space has parameters here"), "{error}");
}

/// A study of one method is not resumed by another, nor on another space.
#[test]
fn fingerprints_hold_method_settings_and_space() {
    let other = Space::builder().float("x", 0.0, 3.0).build().unwrap();
    let of = |space: &Space| {
        [
            RandomSearch::new(space.clone()).fingerprint().unwrap(),
            SobolSearch::new(space.clone()).fingerprint().unwrap(),
            Nsga2::new(space.clone()).fingerprint().unwrap(),
        ]
    };
    let paths = |found: Vec<thrifty_study::Difference>| -> Vec<String> {
        found.into_iter().map(|difference| difference.path).collect()
    };
    for (i, a) in of(&line()).iter().enumerate() {
        for (j, b) in of(&line()).iter().enumerate() {
            let expected: &[&str] = if i == j { &[] } else { &["method"] };
            assert_eq!(paths(a.differences(b)), expected);
        }
        assert_eq!(a.differences(&of(&other)[i]).len(), 1);
    }
    let method = |found: Vec<thrifty_study::Difference>| (found[0].found.clone(), found[0].expected.clone());
    let [random, sobol, nsga2] = of(&line());
    assert_eq!(method(random.differences(&sobol)), ("\"random search\"".into(), "\"sobol search\"".into()));
    assert_eq!(method(nsga2.differences(&random)).0, "\"nsga-ii\"");
}

//! Targets, constraints and several objectives.

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Best, History, MaxTrials, Measurement, Optimizer, Study, Trial, TrialId};
use thrifty_tpe::{ConstraintPolicy, Split, TpeOptimizer, TpeSettings};

use crate::behaviour::{at, mixed, optimizer};

#[test]
fn trials_of_another_number_of_objectives_or_constraints_are_named() {
    let measured = |objectives: usize, constraints: usize| Measurement {
        objectives: vec![1.0; objectives],
        constraints: vec![-1.0; constraints],
        ..Measurement::default()
    };
    for (other, message) in [
        (measured(1, 1), "trial 4 has 1 objective, those before it 2"),
        (measured(3, 1), "trial 4 has 3 objectives, those before it 2"),
        (measured(2, 0), "trial 4 has 0 constraints, those before it 1"),
        (measured(2, 2), "trial 4 has 2 constraints, those before it 1"),
    ] {
        // A study would refuse it; a history from elsewhere may have it.
        let trial = |id: u64| {
            Trial::new(
                TrialId(id),
                mixed().sample(&mut Seed(1).stream("trials", id)),
                Some(if id == 4 { other.clone() } else { measured(2, 1) }.into()),
            )
        };
        let history = History::from_trials((0..6).map(trial).collect(), Seed(1));
        let mut optimizer = optimizer(mixed(), TpeSettings::recommended());
        // A second ask gives the same suggestion.
        for _ in 0..2 {
            let error = optimizer.ask(&history, TrialId(6)).unwrap_err();
            let mut text = error.to_string();
            let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(&error);
            while let Some(inner) = cause {
                text += &format!(": {inner}");
                cause = inner.source();
            }
            assert!(text.contains(message), "{text:?} should name {message:?}");
        }
    }
}

/// The feasible trial with the smallest first loss and that loss, as with Bayesian optimisation of one objective.
#[test]
fn the_first_of_several_losses_is_recommended() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let losses = [(0.1, [5.0, 0.5]), (0.2, [0.25, 7.0]), (0.3, [2.0, 2.0]), (0.4, [-1.0, 9.0])];
    let trial = |(x, objectives): (f64, [f64; 2])| {
        let constraints = vec![if objectives[0] < 0.0 { 1.0 } else { -1.0 }];
        at(
            x,
            Some(Measurement { objectives: objectives.into(), constraints, ..Measurement::default() }.into()),
        )
    };
    let history = History::from_trials(losses.map(trial).into(), Seed(1));
    let best = optimizer(space.clone(), TpeSettings::recommended()).recommend(&history).unwrap().unwrap();
    assert_eq!(best, Best::observed(space.decode(&[0.2]), 0.25));
}

#[test]
fn a_target_is_aimed_at() {
    let settings = TpeSettings { split: Split::Target { loss: 0.5 }, ..TpeSettings::recommended() };
    let space = Space::from_bounds(&[(-5.0, 5.0), (-5.0, 5.0)]).unwrap();
    let mut study = Study::new(optimizer(space, settings), Seed(1)).with_stop(MaxTrials(120));
    let bowl = |config: &Config| config.float("x0").unwrap().powi(2) + config.float("x1").unwrap().powi(2);
    study.run(|config: &Config, _| bowl(config)).unwrap();
    let late = study.history().measured().skip(80).filter(|(_, loss)| *loss <= 0.5).count();
    assert!(late > 10, "{late} of the last 40 reach the target");
}

#[test]
fn constraints_are_met() {
    // The minimum without the constraint is at 0, with it at 0.6.
    let space = || Space::from_bounds(&[(-1.0, 1.0), (0.0, 1.0)]).unwrap();
    for constraints in [ConstraintPolicy::FeasibleFirst, ConstraintPolicy::Product] {
        let settings = TpeSettings { constraints, ..TpeSettings::recommended() };
        let mut study = Study::new(optimizer(space(), settings), Seed(3)).with_stop(MaxTrials(120));
        study
            .run(|config: &Config, _| {
                let x = config.float("x0").unwrap();
                Measurement { objectives: vec![x * x], constraints: vec![0.6 - x], ..Measurement::default() }
            })
            .unwrap();
        let best = study.recommend().unwrap().unwrap().config.float("x0").unwrap();
        assert!((0.6..0.7).contains(&best), "{constraints:?}: {best}");
    }
}

#[test]
fn several_objectives_are_traded() {
    let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0), (0.0, 1.0)]).unwrap();
    let mut study =
        Study::new(optimizer(space, TpeSettings::recommended()), Seed(3)).with_stop(MaxTrials(150));
    study
        .run(|config: &Config, _| {
            let x: Vec<f64> = (0..3).map(|i| config.float(&format!("x{i}")).unwrap()).collect();
            let away = (x[1] - 0.2).powi(2) + (x[2] - 0.7).powi(2);
            Measurement { objectives: vec![x[0] + away, 1.0 - x[0] + away], ..Measurement::default() }
        })
        .unwrap();
    let late: Vec<f64> = study.history().trials()[100..]
        .iter()
        .map(|t| (t.query.float("x1").unwrap() - 0.2).abs().max((t.query.float("x2").unwrap() - 0.7).abs()))
        .collect();
    let near = late.iter().filter(|away| **away < 0.15).count();
    assert!(near > 25, "{near} of 50 near the Pareto set");
}

/// A target is a loss, and fronts of several objectives have none.
#[test]
fn a_target_of_several_objectives_is_refused() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let settings = TpeSettings { split: Split::Target { loss: 900.0 }, ..TpeSettings::default() };
    let optimizer = TpeOptimizer::new(space).unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    let two = Measurement { objectives: vec![1000.0, 1001.0], ..Measurement::default() };
    let error = study.run(|_, _| two.clone()).unwrap_err();
    let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
    assert!(text.contains("trial 0") && text.contains("split has a target loss of 900"), "{text}");
}

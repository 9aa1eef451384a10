//! Level sets without volume, single candidates, huge losses, repeated places.

use thrifty_levelset::{ClassificationSet, Criterion, Label, LevelSetOptimizer, LevelSetSettings};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Measurement, Next, Outcome, StopReason, Study};

use crate::behaviour::{at, branin, known, on_line, settings, square, value};

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

pub(crate) fn candidates(xs: &[f64]) -> ClassificationSet {
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

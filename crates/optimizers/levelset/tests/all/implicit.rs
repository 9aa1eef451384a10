//! Thresholds relative to an unknown maximum.

use thrifty_levelset::{ClassificationSet, Criterion, Label, LevelSetOptimizer, LevelSetSettings, Threshold};
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::Space;
use thrifty_study::{History, Optimizer, StopReason, Trial, TrialId};

use crate::behaviour::{on_line, value};

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

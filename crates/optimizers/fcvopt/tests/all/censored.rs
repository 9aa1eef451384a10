//! Fractional cross-validation on losses that are cut off.

use thrifty_censored::Limits;
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FractionalCv, FractionalSettings};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{Basis, MaxTrials, Optimizer, Study};
use thrifty_surrogate::Posterior;

const FOLDS: usize = 4;
const FLOOR: f64 = 0.1;

fn optimizer(limits: Limits) -> FractionalCv {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let settings = FractionalSettings::new(FOLDS).with_limits(limits);
    FractionalCv::new(space, FOLDS).unwrap().with_settings(settings).unwrap()
}

/// A valley at 0.37; what lies below the floor is reported as the floor.
fn loss(query: &FoldQuery) -> f64 {
    let x = query.config.float("x").unwrap();
    (3.0 * (x - 0.37).powi(2) + 0.02 * (query.fold as f64 - 1.5)).max(FLOOR)
}

fn study(limits: Limits, fits: usize) -> Study<FractionalCv> {
    let mut study = Study::new(optimizer(limits), Seed(5)).with_stop(MaxTrials(fits));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    study
}

/// All losses within 0.16 of the minimum are reported as the floor. As values they say that the valley is flat; as bounds they leave
/// its bottom to the losses beside it.
#[test]
fn bounds_leave_the_bottom_of_a_valley_to_the_losses_beside_it() {
    let mut study = study(Limits::above(FLOOR), 24);
    let best = study.recommend().unwrap().unwrap();
    assert!((best.config.float("x").unwrap() - 0.37).abs() < 0.1, "{best:?}");
    assert!(best.value < FLOOR, "{best:?}");
    let history = study.history().clone();
    let plain = optimizer(Limits::default());
    let state = plain.state(&history, thrifty_study::TrialId(24)).unwrap().unwrap();
    assert!(
        (state.target().predict(&[0.37]).mean - FLOOR).abs() < 0.03,
        "{:?}",
        state.target().predict(&[0.37])
    );
    let censored =
        optimizer(Limits::above(FLOOR)).state(&history, thrifty_study::TrialId(24)).unwrap().unwrap();
    assert!(
        censored.target().predict(&[0.37]).mean < FLOOR - 0.02,
        "{:?}",
        censored.target().predict(&[0.37])
    );
}

/// The mean over the folds is not observed where one of them is a bound.
#[test]
fn a_mean_with_a_bound_is_no_observed_mean() {
    let mut settings = FractionalSettings::new(FOLDS).with_budget(24);
    settings.finalists = Some(2);
    for (limits, basis) in [(Limits::above(FLOOR), Basis::Posterior), (Limits::below(9.0), Basis::Observed)] {
        let settings = settings.clone().with_limits(limits);
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let optimizer = FractionalCv::new(space, FOLDS).unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(5));
        study.run(|query: &FoldQuery, _| loss(query)).unwrap();
        assert_eq!(study.history().len(), 24);
        let best = study.recommend().unwrap().unwrap();
        assert_eq!(best.basis, basis, "{best:?}");
    }
}

/// Suggestions of a study with bounds are the same again, and its limits belong to its fingerprint.
#[test]
fn limits_are_part_of_the_fingerprint() {
    let (a, b) = (study(Limits::above(FLOOR), 14), study(Limits::above(FLOOR), 14));
    let queries = |study: &Study<FractionalCv>| {
        study.history().trials().iter().map(|trial| trial.query.clone()).collect::<Vec<_>>()
    };
    assert_eq!(queries(&a), queries(&b));
    let fingerprint = |limits| optimizer(limits).fingerprint().unwrap();
    assert_eq!(fingerprint(Limits::above(0.1)), fingerprint(Limits::above(0.1)));
    assert_ne!(fingerprint(Limits::above(0.1)), fingerprint(Limits::above(0.2)));
    assert_ne!(fingerprint(Limits::above(0.1)), fingerprint(Limits::default()));
    assert!(!format!("{:?}", fingerprint(Limits::default())).contains("limits"));
}

/// Every loss is a bound: only the floor is known, and the search continues without an error.
#[test]
fn losses_that_are_all_bounds_are_no_error() {
    let mut study = Study::new(optimizer(Limits::above(100.0)), Seed(2)).with_stop(MaxTrials(12));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    assert_eq!(study.history().measured().count(), 12);
    assert_eq!(study.recommend().unwrap().map(|best| best.basis), Some(Basis::Posterior));
}

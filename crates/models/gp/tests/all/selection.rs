//! Choosing among processes.

use thrifty_domain::Points;
use thrifty_gp::selection::{Candidate, Criterion, Outer, SelectionError, nested, select};
use thrifty_gp::{Gp, GpSettings, TargetScaling};
use thrifty_sampling::{Seed, latin_hypercube};

const CRITERIA: [Criterion; 4] = [
    Criterion::Evidence,
    Criterion::LeaveOneOut,
    Criterion::CrossValidation { folds: 5 },
    Criterion::HoldOut { share: 0.2 },
];

fn smooth_and_rough(dim: usize) -> Vec<Candidate> {
    vec![
        Candidate::new("matern12", &Gp::matern12(dim)),
        Candidate::new("squared exponential", &Gp::squared_exponential(dim)),
    ]
}

fn line(n: u32, f: impl Fn(f64) -> f64) -> (Points, Vec<f64>) {
    let x = Points::from_flat((0..n).map(|i| f64::from(i) / f64::from(n - 1)).collect(), 1);
    let y = x.rows().map(|p| f(p[0])).collect();
    (x, y)
}

#[test]
fn every_criterion_knows_a_smooth_function() {
    let (x, y) = line(25, |t| (9.0 * t).sin());
    for criterion in CRITERIA {
        let choice =
            select(&smooth_and_rough(1), criterion, x.as_ref(), &y, &mut Seed(5).stream("selection", 0))
                .unwrap();
        assert_eq!(choice.best, 1, "{criterion:?}: {:?}", choice.scores);
    }
}

/// Ten random walks: continuous, nowhere differentiable.
#[test]
fn the_evidence_knows_a_rough_function() {
    let rough = |id| {
        let (mut y, mut rng) = (vec![0.0], Seed(3).stream("walk", id));
        while y.len() < 120 {
            y.push(y[y.len() - 1] + rng.uniform() - 0.5);
        }
        let (x, _) = line(120, |t| t);
        select(&smooth_and_rough(1), Criterion::Evidence, x.as_ref(), &y, &mut rng).unwrap().best == 0
    };
    assert!((0..10).filter(|&id| rough(id)).count() >= 8);
}

#[test]
fn outer_folds_report_on_every_observation_once() {
    let (x, y) = line(23, |t| (9.0 * t).sin());
    for (outer, splits, observations) in [(Outer::Folds(4), 4, 23), (Outer::HoldOut { share: 0.2 }, 1, 5)] {
        let rng = &mut Seed(5).stream("selection", 0);
        let report = nested(&smooth_and_rough(1), Criterion::Evidence, outer, x.as_ref(), &y, rng).unwrap();
        assert_eq!((report.choices.len(), report.calibrations.len()), (splits, splits));
        assert_eq!(report.calibrations.iter().map(|c| c.pit.len()).sum::<usize>(), observations);
        assert_eq!(report.counts(), [0, splits]);
        assert!(report.nlpd() < 0.0);
    }
}

#[test]
fn bad_input_is_named() {
    let x = latin_hypercube(3, 2, &mut Seed(1).stream("design", 0));
    let y = [1.0, 2.0, 0.5];
    let rng = &mut Seed(5).stream("selection", 0);
    assert_eq!(select(&[], Criterion::Evidence, x.as_ref(), &y, rng), Err(SelectionError::NoCandidates));
    for criterion in [
        Criterion::CrossValidation { folds: 1 },
        Criterion::CrossValidation { folds: 4 },
        Criterion::HoldOut { share: 0.0 },
        Criterion::HoldOut { share: f64::NAN },
    ] {
        let error = select(&smooth_and_rough(2), criterion, x.as_ref(), &y, rng).unwrap_err();
        assert!(error.to_string().starts_with("3 observations cannot be split"), "{error}");
    }
    // Another number of targets, whatever the criterion.
    for y in [&[1.0, 2.0][..], &[1.0, 2.0, 0.5, 3.0]] {
        let (folds, outer) = (Criterion::CrossValidation { folds: 2 }, Outer::HoldOut { share: 0.4 });
        let named = format!("{} targets, expected 3", y.len());
        for criterion in [Criterion::Evidence, folds] {
            let error = select(&smooth_and_rough(2), criterion, x.as_ref(), y, rng).unwrap_err();
            assert!(error.to_string().contains(&named), "{error}");
        }
        let error = nested(&smooth_and_rough(2), folds, outer, x.as_ref(), y, rng).unwrap_err();
        assert!(error.to_string().contains(&named), "{error}");
    }
    let error = select(&smooth_and_rough(3), Criterion::Evidence, x.as_ref(), &y, rng).unwrap_err();
    assert!(error.to_string().starts_with("candidate matern12: points of dimension 2"), "{error}");
}

/// The evidence is the density of the targets as they are: that of a process with a scaling of its own is that of targets which were standardized
/// by hand, less n logarithms of their standard deviation.
#[test]
fn scaling_is_no_evidence() {
    let (x, y) = line(25, |t| 1000.0 * (9.0 * t).sin());
    let score = |standardize_targets, y: &[f64]| {
        let settings = GpSettings { standardize_targets, ..GpSettings::default() };
        let candidate = Candidate::new("m", &Gp::matern52(1).with_settings(settings));
        let rng = &mut Seed(5).stream("selection", 0);
        select(&[candidate], Criterion::Evidence, x.as_ref(), y, rng).unwrap().scores[0]
    };
    let scaling = TargetScaling::standardize(&y);
    let (found, alone) = (score(true, &y), score(false, &scaling.apply(&y)));
    assert!(
        (found - (alone - 25.0 * scaling.width.ln())).abs() < 1e-9 && scaling.width > 500.0,
        "{found} {alone}"
    );
}

//! Values that only change on purpose: fits, predictions, selections and transforms on fixed data.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::selection::{Candidate, Criterion, Outer, nested, select};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Mean, Noise};
use thrifty_kernel::{Kernel, Matern52, Scaled};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, LookaheadCotangent, PathSampler, PosteriorGradient, lookahead};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_gp.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-5 * expected.abs().max(0.01), "{name}: {found} {expected}");
    }
}

fn data() -> (Points, Vec<f64>) {
    let mut rng = Seed(1).stream("points", 0);
    let x = Points::from_flat((0..20).map(|_| rng.uniform()).collect(), 2);
    let wobble = |i: usize| 0.05 * (7.0 * i as f64).sin();
    let y =
        x.rows().enumerate().map(|(i, p)| (5.0 * p[0]).sin() + (p[1] - 0.5).powi(2) + wobble(i)).collect();
    (x, y)
}

fn at() -> Points {
    Points::from_flat(vec![0.3, 0.4, 0.65, 0.8, 0.9, 0.15], 2)
}

/// All predictions of a posterior at three points.
fn told<K: Kernel + Clone + 'static>(posterior: &GpPosterior<K>) -> Vec<f64> {
    let x = at();
    let (mut mean, mut variance) = (vec![0.0; 3], vec![0.0; 3]);
    let (mut of_mean, mut of_variance) = (vec![0.0; 6], vec![0.0; 6]);
    posterior.predict_with_gradient_into(
        x.as_ref(),
        &mut mean,
        &mut variance,
        &mut of_mean,
        &mut of_variance,
    );
    let (mut covariance, mut cross) = (vec![0.0; 9], vec![0.0; 6]);
    posterior.covariance_into(x.as_ref(), &mut covariance);
    posterior.cross_covariance_into(x.as_ref(), x.as_ref().slice(0, 2), &mut cross);
    let numbers = [posterior.log_likelihood(), posterior.noise_variance(), posterior.prior_scale()];
    let calibration = posterior.leave_one_out_calibration().unwrap();
    let judged = [calibration.nlpd, calibration.rmse];
    [&mean[..], &variance, &of_mean, &of_variance, &covariance, &cross, &numbers, &judged].concat()
}

#[test]
fn fits_keep_their_predictions() {
    let (x, y) = data();
    let learned = |start, floor, ceiling| Noise::Learned { start, floor, ceiling, prior: None };
    for (name, settings) in [
        ("defaults", GpSettings::default()),
        ("fixed_noise", GpSettings { noise: Noise::Fixed(1e-2), ..GpSettings::default() }),
        ("ceiling", GpSettings { noise: learned(1e-3, 1e-6, 2e-3), ..GpSettings::default() }),
        ("zero_mean", GpSettings { mean: Mean::Zero, ..GpSettings::default() }),
        ("fixed_mean", GpSettings { mean: Mean::Fixed(0.4), ..GpSettings::default() }),
        (
            "normal_mean",
            GpSettings { mean: Mean::Normal { mean: 0.2, std_dev: 0.5 }, ..GpSettings::default() },
        ),
        ("normalised", GpSettings { normalize_inputs: true, ..GpSettings::default() }),
        ("raw_targets", GpSettings { standardize_targets: false, ..GpSettings::default() }),
        ("scouted", GpSettings { scout: true, restarts: 3, ..GpSettings::default() }),
        ("once", GpSettings { restarts: 0, max_evaluations: 10, ..GpSettings::default() }),
        ("protocol", GpSettings::surrogate_training_protocol(1)),
    ] {
        let mut rng = Seed(2).stream(name, 0);
        let fitted = Gp::matern52(2).with_settings(settings.clone()).fit(x.as_ref(), &y, &mut rng).unwrap();
        check(&format!("fitted_{name}"), &told(&fitted));
        let conditioned = Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap();
        check(&format!("conditioned_{name}"), &told(&conditioned));
    }
    let prior = Some(Prior::LogNormal { mu: -6.0, sigma: 0.5 });
    let noise = Noise::Learned { start: 1e-3, floor: 1e-8, ceiling: 1.0, prior };
    let settings = GpSettings { noise, ..GpSettings::default() };
    let mut rng = Seed(2).stream("prior", 0);
    check(
        "noise_prior",
        &told(&Gp::matern32(2).with_settings(settings).fit(x.as_ref(), &y, &mut rng).unwrap()),
    );
}

fn posterior() -> GpPosterior<Scaled<Matern52>> {
    let (x, y) = data();
    let settings = GpSettings { noise: Noise::Fixed(1e-2), ..GpSettings::default() };
    Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap()
}

#[test]
fn looks_ahead_and_paths_keep_their_values() {
    let (posterior, x) = (posterior(), at());
    let ahead = lookahead(&posterior, x.as_ref().slice(0, 2), 0.03);
    let (mut mean, mut variance, mut covariance) = (vec![0.0; 3], vec![0.0; 3], vec![0.0; 9]);
    ahead.moments_into(x.as_ref(), &mut mean, &mut variance, &mut covariance);
    let mut gradient = vec![0.0; 2];
    let weights = LookaheadCotangent { mean: 0.4, variance: -0.7, covariance: &[0.9, -0.3, 0.2] };
    assert!(ahead.pull_back(&[0.2, 0.6], weights, &mut gradient));
    check("ahead", &[&mean[..], &variance, &covariance, &gradient, ahead.means()].concat());
    let joint = posterior.joint_gradient().unwrap();
    let mut gradient = vec![0.0; 6];
    let weights: Vec<f64> = (0..9).map(|i| f64::from(i).cos()).collect();
    joint.pull_back_joint(x.as_ref(), &[0.3, -0.2, 1.0], &weights, &mut gradient);
    check("joint_gradient", &gradient);
    let paths = posterior.sample_paths(3, &mut Seed(5).stream("paths", 0)).unwrap();
    for (i, path) in paths.iter().enumerate() {
        let (mut values, mut gradient) = (vec![0.0; 3], vec![0.0; 2]);
        assert_eq!(path.dim(), 2);
        path.values_into(x.as_ref(), &mut values);
        values.push(path.value_with_gradient(&[0.2, 0.6], &mut gradient));
        check(&format!("path_{i}"), &[values, gradient].concat());
    }
    let extended = posterior.with_observations(PointsRef::single(&[0.5, 0.5]), &[0.3]).unwrap();
    check("extended", &told(&extended));
}

#[test]
fn selections_keep_their_scores() {
    let (x, y) = data();
    let candidates = vec![
        Candidate::new("matern12", &Gp::matern12(2)),
        Candidate::new("matern52", &Gp::matern52(2)),
        Candidate::new("squared exponential", &Gp::squared_exponential(2)),
    ];
    for (name, criterion) in [
        ("evidence", Criterion::Evidence),
        ("leave_one_out", Criterion::LeaveOneOut),
        ("folds", Criterion::CrossValidation { folds: 3 }),
        ("held", Criterion::HoldOut { share: 0.3 }),
    ] {
        let rng = &mut Seed(5).stream(name, 0);
        let choice = select(&candidates, criterion, x.as_ref(), &y, rng).unwrap();
        check(name, &choice.scores);
        let best = choice.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(choice.scores.iter().position(|score| *score == best), Some(choice.best));
    }
    for (name, outer) in [("outer_folds", Outer::Folds(2)), ("outer_share", Outer::HoldOut { share: 0.25 })] {
        let rng = &mut Seed(5).stream(name, 0);
        let report = nested(&candidates[1..], Criterion::Evidence, outer, x.as_ref(), &y, rng).unwrap();
        let calibrations = report.calibrations.iter().flat_map(|c| [c.nlpd, c.rmse, c.pit.len() as f64]);
        let counts = report.counts().into_iter().map(|c| c as f64);
        check(name, &calibrations.chain(counts).chain([report.nlpd()]).collect::<Vec<f64>>());
    }
    // Of equals the first is chosen.
    let settings = GpSettings { restarts: 0, ..GpSettings::default() };
    let same: Vec<Candidate> = ["one", "other"]
        .map(|name| Candidate::new(name, &Gp::matern52(2).with_settings(settings.clone())))
        .into();
    let choice = select(&same, Criterion::Evidence, x.as_ref(), &y, &mut Seed(5).stream("same", 0)).unwrap();
    assert_eq!((choice.best, choice.scores[0]), (0, choice.scores[1]));
}

//! Look-ahead moments agree with the posterior on the scale of the targets; also files and defaults.

use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpLookahead, GpPosterior, GpSettings, Mean, Noise, Search};
use thrifty_kernel::{Linear, Matern52, Scaled};
use thrifty_linalg::JitterLadder;
use thrifty_prob::Prior;
use thrifty_surrogate::{JointPosterior, Lookahead, LookaheadCotangent, Posterior, contract};

type Process = GpPosterior<Scaled<Matern52>>;

fn posterior(normalize_inputs: bool) -> Process {
    let x = Points::from_rows(&[[0.1, 2.0], [0.8, 7.0], [0.4, 9.0], [0.6, 1.0], [0.3, 5.0]]).unwrap();
    let settings = GpSettings {
        noise: Noise::Fixed(0.03),
        mean: Mean::Fixed(0.4),
        normalize_inputs,
        ..GpSettings::default()
    };
    let process = Gp::matern52(2).with_settings(settings);
    process.condition(x.as_ref(), &[300.0, -150.0, 720.0, 90.0, 10.0]).unwrap()
}

/// Means, variances with noise, and covariances of an observation at one place with anchors and another place.
#[test]
fn a_look_between_two_places_has_the_moments_of_the_posterior() {
    let anchors = Points::from_rows(&[[0.2, 3.0], [0.9, 6.0], [0.5, 4.0]]).unwrap();
    let observed = Points::from_rows(&[[0.15, 8.0], [0.7, 5.5]]).unwrap();
    let targets = Points::from_rows(&[[0.35, 2.5], [0.75, 5.0]]).unwrap();
    for posterior in [posterior(false), posterior(true)] {
        let look = GpLookahead::new(&posterior, anchors.as_ref(), 0.7);
        for (targets, itself) in [(&targets, false), (&observed, true)] {
            let (mut mean, mut variance, mut covariance) = ([0.0; 2], [0.0; 2], [0.0; 8]);
            look.look_between(observed.as_ref(), targets.as_ref(), &mut mean, &mut variance, &mut covariance);
            let (mut with_anchors, mut with_targets) = ([0.0; 6], [0.0; 4]);
            posterior.cross_covariance_into(observed.as_ref(), anchors.as_ref(), &mut with_anchors);
            posterior.cross_covariance_into(observed.as_ref(), targets.as_ref(), &mut with_targets);
            for i in 0..2 {
                let close = |found: f64, expected: f64| {
                    assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{found} {expected}");
                };
                close(mean[i], posterior.predict(targets.row(i)).mean);
                close(variance[i], posterior.predict(observed.row(i)).variance + 0.7);
                (0..3).for_each(|a| close(covariance[4 * i + a], with_anchors[3 * i + a]));
                close(covariance[4 * i + 3], with_targets[2 * i + i]);
            }
            if itself {
                let (mut m, mut v, mut c) = ([0.0; 2], [0.0; 2], [0.0; 8]);
                look.moments_into(observed.as_ref(), &mut m, &mut v, &mut c);
                assert_eq!((m, v, c), (mean, variance, covariance));
            }
        }
        assert_eq!(look.dim(), 2);
        for (mean, anchor) in look.means().iter().zip(anchors.rows()) {
            assert!((mean - posterior.predict(anchor).mean).abs() < 1e-9);
        }
        let weights =
            LookaheadCotangent { mean: 0.7, variance: -0.013, covariance: &[0.004, 0.0, -0.02, 0.011] };
        contract::lookahead_gradient_matches(&look, &[0.35, 6.0], weights, 1e-5, 1e-5);
        // Slopes add to what is there.
        let mut once = [0.0; 2];
        assert!(look.pull_back(&[0.35, 6.0], weights, &mut once));
        let mut twice = once;
        assert!(look.pull_back(&[0.35, 6.0], weights, &mut twice));
        assert!((0..2).all(|k| (twice[k] - 2.0 * once[k]).abs() < 1e-9 * once[k].abs()));
    }
}

/// One observation changes every mean by its covariance over its standard deviation.
#[test]
fn a_look_ahead_is_what_an_observation_does() {
    let posterior = posterior(false);
    let anchors = Points::from_rows(&[[0.2, 3.0], [0.9, 6.0]]).unwrap();
    let look = GpLookahead::new(&posterior, anchors.as_ref(), posterior.noise_variance());
    let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], [0.0; 3]);
    let at = [0.55, 3.5];
    look.moments_into(PointsRef::single(&at), &mut mean, &mut variance, &mut covariance);
    let shown = mean[0] + variance[0].sqrt();
    let next = posterior.with_observations(PointsRef::single(&at), &[shown]).unwrap();
    for (place, covariance) in anchors.rows().chain([at.as_slice()]).zip(covariance) {
        let moved = next.predict(place).mean - posterior.predict(place).mean;
        assert!((moved - covariance / variance[0].sqrt()).abs() < 1e-6, "{moved}");
    }
}

/// An observation nowhere tells nothing: all its moments are NaN, and those of the other rows are what they are alone.
#[test]
fn moments_at_nan_are_nan() {
    let posterior = posterior(false);
    let anchors = Points::from_rows(&[[0.2, 3.0], [0.9, 6.0]]).unwrap();
    let look = GpLookahead::new(&posterior, anchors.as_ref(), 0.7);
    let moments = |rows: &[[f64; 2]]| {
        let m = rows.len();
        let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; 3 * m]);
        let x = Points::from_rows(rows).unwrap();
        look.moments_into(x.as_ref(), &mut mean, &mut variance, &mut covariance);
        [mean, variance, covariance].concat()
    };
    let alone = moments(&[[0.5, 4.0]]);
    assert!(alone.iter().all(|moment| moment.is_finite()));
    for nowhere in [[f64::NAN, 4.0], [0.5, f64::INFINITY]] {
        assert!(moments(&[nowhere]).iter().all(|moment| moment.is_nan()), "{nowhere:?}");
        let both = moments(&[nowhere, [0.5, 4.0]]);
        for (found, expected) in [both[1], both[3], both[7], both[8], both[9]].iter().zip(&alone) {
            assert!((found - expected).abs() < 1e-12 * expected.abs(), "{found} {expected}");
        }
    }
}

#[test]
fn files_with_and_without_input_scaling_are_read_and_checked() {
    for normalize in [false, true] {
        let process = posterior(normalize);
        let file = serde_json::to_value(&process).unwrap();
        let read = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut file = file.clone();
            change(&mut file);
            serde_json::from_value::<Process>(file).map_err(|error| error.to_string())
        };
        let back = read(&|_| {}).unwrap();
        assert_eq!(back.predict(&[0.33, 4.4]), process.predict(&[0.33, 4.4]));
        assert_eq!(back.hyperparameters(), process.hyperparameters());
        if normalize {
            for part in ["offset", "width"] {
                let short = |file: &mut serde_json::Value| {
                    drop(file["data"]["inputs"][part].as_array_mut().unwrap().pop());
                };
                let error = read(&short).err().unwrap();
                assert!(error.contains("input scaling of another dimension than the points' 2"), "{error}");
            }
        }
        let error = read(&|file| file["noise"] = (-0.1).into()).err().unwrap();
        assert!(error.contains("noise -0.1"), "{error}");
        assert!(read(&|file| file["noise"] = 0.0.into()).is_ok());
        for width in [0.0, -1.0] {
            let error = read(&|file| file["data"]["targets"]["width"] = width.into()).err().unwrap();
            assert!(error.contains(&format!("scaling by {width}, expected a positive")), "{error}");
        }
    }
}

/// Default noise may be anything from 1e-12 to 10 times the variance of the targets, without a prior.
#[test]
fn defaults_are_learnt_noise_without_a_prior_and_two_restarts() {
    let expected = GpSettings {
        noise: Noise::Learned { start: 1e-4, floor: 1e-12, ceiling: 10.0, prior: None },
        mean: Mean::Learned,
        normalize_inputs: false,
        standardize_targets: true,
        restarts: 2,
        scout: false,
        search: Search::QuasiNewton,
        max_evaluations: 200,
        jitter: JitterLadder::default(),
    };
    assert_eq!(GpSettings::default(), expected);
    let protocol = GpSettings { mean: Mean::Zero, normalize_inputs: true, restarts: 7, ..expected };
    assert_eq!(GpSettings::surrogate_training_protocol(7), protocol);
    assert_eq!(Mean::default(), Mean::Learned);
}

#[test]
fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
    let check = |change: &dyn Fn(&mut GpSettings)| {
        let mut settings = GpSettings::default();
        change(&mut settings);
        settings.validate().map_err(|error| error.to_string())
    };
    let learned = |start, floor, ceiling| Noise::Learned { start, floor, ceiling, prior: None };
    for (noise, name) in [
        (Noise::Fixed(-1e-9), "noise"),
        (Noise::Fixed(f64::INFINITY), "noise"),
        (learned(1.0, 0.0, 2.0), "noise floor"),
        (learned(1.0, f64::INFINITY, 2.0), "noise floor"),
        (learned(1.0, 0.5, 0.4), "noise ceiling"),
        (learned(1.0, 0.5, f64::INFINITY), "noise ceiling"),
        (learned(0.4, 0.5, 2.0), "noise start"),
        (learned(2.1, 0.5, 2.0), "noise start"),
        (learned(f64::NAN, 0.5, 2.0), "noise start"),
    ] {
        let error = check(&|settings| settings.noise = noise.clone()).unwrap_err();
        assert!(error.contains(name), "{error} does not name {name}");
    }
    for noise in [Noise::Fixed(0.0), learned(0.5, 0.5, 0.5), learned(2.0, 0.5, 2.0)] {
        assert_eq!(check(&|settings| settings.noise = noise.clone()), Ok(()));
    }
    let bad = Some(Prior::LogNormal { mu: 0.0, sigma: -1.0 });
    let noise = Noise::Learned { start: 1.0, floor: 0.5, ceiling: 2.0, prior: bad };
    assert!(check(&|settings| settings.noise = noise.clone()).unwrap_err().contains("noise"));
    for mean in [
        Mean::Fixed(f64::NAN),
        Mean::Normal { mean: f64::INFINITY, std_dev: 1.0 },
        Mean::Normal { mean: 0.0, std_dev: 0.0 },
        Mean::Normal { mean: 0.0, std_dev: f64::INFINITY },
    ] {
        assert!(check(&|settings| settings.mean = mean).unwrap_err().contains("mean"));
    }
    assert_eq!(check(&|settings| settings.mean = Mean::Normal { mean: -3.0, std_dev: 1e-9 }), Ok(()));
}

/// Slopes of a prior variance that depends on the point are twice those of the kernel in one argument.
#[test]
fn looks_ahead_have_slopes_where_the_prior_variance_changes() {
    let x = Points::from_rows(&[[0.1, 2.0], [0.8, 7.0], [0.4, 9.0], [0.6, 1.0], [0.3, 5.0]]).unwrap();
    let kernel = Matern52::new(vec![0.5, 3.0]).unwrap() + Linear::new(vec![1.5, 0.04]).unwrap();
    let settings = GpSettings { noise: Noise::Fixed(0.03), mean: Mean::Fixed(0.4), ..GpSettings::default() };
    let process = Gp::new(kernel).with_settings(settings);
    let posterior = process.condition(x.as_ref(), &[3.0, -1.5, 7.2, 0.9, 0.1]).unwrap();
    let anchors = Points::from_rows(&[[0.2, 3.0], [0.9, 6.0], [0.5, 4.0]]).unwrap();
    let look = GpLookahead::new(&posterior, anchors.as_ref(), 0.07);
    for (variance, own) in [(1.0, 0.0), (0.0, 1.0), (-0.4, 0.9)] {
        let weights = LookaheadCotangent { mean: 0.2, variance, covariance: &[0.3, 0.0, -0.5, own] };
        contract::lookahead_gradient_matches(&look, &[0.35, 6.0], weights, 1e-5, 1e-5);
    }
}

/// Gradients of the look-ahead moments of an observation at one point and a target at another, by either point.
#[test]
fn looks_between_two_places_have_their_slopes() {
    let posterior = posterior(false);
    let anchors = Points::from_rows(&[[0.2, 3.0], [0.9, 6.0], [0.5, 4.0], [0.65, 7.5], [0.05, 1.5]]).unwrap();
    let look = GpLookahead::new(&posterior, anchors.as_ref(), 0.7);
    let (observed, target) = ([0.7, 5.5], [0.35, 2.5]);
    for of_anchors in [[0.0; 5], [0.3, 0.0, -0.5, 0.0, 0.0], [0.3, 0.2, -0.5, 0.4, -0.1]] {
        let covariance: Vec<f64> = of_anchors.into_iter().chain([0.9]).collect();
        let weights = LookaheadCotangent { mean: 40.0, variance: -0.4, covariance: &covariance };
        let sum = |observed: &[f64], target: &[f64]| {
            let (mut mean, mut variance, mut between) = ([0.0], [0.0], [0.0; 6]);
            let [observed, target] = [observed, target].map(PointsRef::single);
            look.look_between(observed, target, &mut mean, &mut variance, &mut between);
            let covariances: f64 = between.iter().zip(&covariance).map(|(c, w)| c * w).sum();
            40.0 * mean[0] - 0.4 * variance[0] + covariances
        };
        // Slopes add to what is there.
        let (mut of_observed, mut of_target) = ([1.0, 2.0], [3.0, 4.0]);
        look.pull_back_between(&observed, &target, weights, &mut of_observed, &mut of_target);
        for k in 0..2 {
            let moved = |x: [f64; 2], step: f64| {
                let mut moved = x;
                moved[k] += step;
                moved
            };
            let by_observed =
                (sum(&moved(observed, 1e-5), &target) - sum(&moved(observed, -1e-5), &target)) / 2e-5;
            let by_target =
                (sum(&observed, &moved(target, 1e-5)) - sum(&observed, &moved(target, -1e-5))) / 2e-5;
            let (first, second) = (of_observed[k] - [1.0, 2.0][k], of_target[k] - [3.0, 4.0][k]);
            assert!((first - by_observed).abs() < 1e-4 * (1.0 + by_observed.abs()), "{first} {by_observed}");
            assert!((second - by_target).abs() < 1e-4 * (1.0 + by_target.abs()), "{second} {by_target}");
        }
    }
}

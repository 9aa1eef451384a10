//! The contract of surrogates, on the process with Student-t noise.

use thrifty_domain::{Domain, Points};
use thrifty_gp::{Conditioning, GpSettings, GpSurrogate, KernelFamily, Noise};
use thrifty_robust::{RobustGp, RobustGpSurrogate, StudentT};
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{FittedSurrogate, Observations, Posterior, Prediction, Surrogate, contract};

#[test]
fn the_robust_process_is_a_surrogate() {
    contract::surrogate(&RobustGpSurrogate::default());
    contract::surrogate(&RobustGpSurrogate {
        student_t: StudentT::new(50.0),
        ..RobustGpSurrogate::default()
    });
}

/// Settings of the documentation: 4 degrees of freedom, a tolerance of 1e-7, 500 sweeps; σ² from 1e-6 to 10 without a prior.
#[test]
fn defaults_are_those_of_the_documentation() {
    let RobustGpSurrogate { process, student_t } = RobustGpSurrogate::default();
    let expected = StudentT { degrees_of_freedom: 4.0, tolerance: 1e-7, max_sweeps: 500 };
    assert_eq!((student_t, StudentT::default()), (expected, expected), "noise");
    let Noise::Learned { floor, ceiling, prior, .. } = process.settings.noise else {
        panic!("noise is learnt")
    };
    assert_eq!((floor, ceiling, prior), (1e-6, 10.0, None), "range and prior of σ²");
}

/// Settings that a file leaves out are those of this surrogate, not those of the process alone; others are refused.
#[test]
fn files_have_the_defaults_of_the_surrogate() {
    let read = |text: &str| serde_json::from_str::<RobustGpSurrogate>(text);
    let default = RobustGpSurrogate::default().process;
    assert_eq!(read(r#"{"process":{}}"#).unwrap().process, default);
    let matern32 = GpSurrogate { family: KernelFamily::Matern32, ..default.clone() };
    assert_eq!(read(r#"{"process":{"family":"matern32"}}"#).unwrap().process, matern32);
    let settings = GpSettings { restarts: 5, ..default.settings.clone() };
    let restarts = GpSurrogate { settings, ..default };
    assert_eq!(read(r#"{"process":{"settings":{"restarts":5}}}"#).unwrap().process, restarts);
    for unknown in [r#"{"process":{"restarts":5}}"#, r#"{"process":{"settings":{"restart":5}}}"#] {
        assert!(read(unknown).is_err(), "{unknown}");
    }
}

/// Known noise and hyperparameters of an earlier fit reach the process: the fit is that of the process with both, bit for bit.
#[test]
fn known_noise_and_warm_starts_reach_the_process() {
    let surrogate = RobustGpSurrogate { student_t: StudentT::new(3.0), ..RobustGpSurrogate::default() };
    let x = Points::from_flat(vec![0.1, 0.3, 0.5, 0.6, 0.9], 1);
    let (y, noise) = ([0.2, 1.0, 0.4, -3.0, -0.8], [0.1, 0.0, 0.0, 0.4, 0.2]);
    let (domain, rng) = (Domain::unit_cube(1), || Seed(1).stream("fit", 0));
    let process = RobustGp::new(surrogate.process.process_for(&domain, x.as_ref()).unwrap())
        .with_student_t(surrogate.student_t);
    let start: Vec<f64> =
        process.condition(x.as_ref(), &y).unwrap().hyperparameters().iter().map(|h| 0.5 * h).collect();
    let bits = |fitted: &dyn Posterior| {
        let Prediction { mean, variance } = fitted.predict(&[0.45]);
        (mean.to_bits(), variance.to_bits())
    };
    let fit = |noise: Option<&[f64]>, start: Option<&[f64]>| {
        let data = Observations { x: x.as_ref(), y: &y, noise_variance: noise };
        bits(surrogate.fit(&domain, data, start, &mut rng()).unwrap().posterior())
    };
    let found = fit(Some(&noise), Some(&start));
    assert_ne!(found, fit(None, Some(&start)), "noise matters");
    assert_ne!(found, fit(Some(&noise), None), "the start matters to the last bit");
    let expected = process.warm_started(start).fit_with_noise(x.as_ref(), &y, &noise, &mut rng()).unwrap();
    assert_eq!(found, bits(&expected), "the fit of the process");
}

/// Hyperparameters of the fitted surrogate: those of the process, in its order.
#[test]
fn hyperparameters_are_those_of_the_process() {
    let surrogate = RobustGpSurrogate::default();
    let x = Points::from_flat(vec![0.1, 0.3, 0.5, 0.6, 0.9], 1);
    let y = [0.2, 1.0, 0.4, -3.0, -0.8];
    let (domain, rng) = (Domain::unit_cube(1), || Seed(1).stream("fit", 0));
    let process = RobustGp::new(surrogate.process.process_for(&domain, x.as_ref()).unwrap());
    let expected = process.fit(x.as_ref(), &y, &mut rng()).unwrap();
    let data = Observations::new(x.as_ref(), &y);
    let found = surrogate.fit(&domain, data, None, &mut rng()).unwrap().hyperparameters();
    assert!(!found.is_empty(), "something is learnt");
    assert_eq!(
        found,
        expected.params().iter().map(|p| p.value).collect::<Vec<f64>>(),
        "values of the process"
    );
}

/// A fit to 60 observations under a process.
fn fit_sixty(process: GpSurrogate) -> Box<dyn FittedSurrogate> {
    let surrogate = RobustGpSurrogate { process, ..RobustGpSurrogate::default() };
    let x = latin_hypercube(60, 2, &mut Seed(1).stream("data", 0));
    let y: Vec<f64> = x.rows().map(|p| (5.0 * p[0]).sin() + p[1]).collect();
    let (data, mut rng) = (Observations::new(x.as_ref(), &y), Seed(1).stream("fit", 0));
    surrogate.fit(&Domain::unit_cube(2), data, None, &mut rng).unwrap()
}

/// Mean and variance of [`fit_sixty`].
fn of_sixty(process: GpSurrogate) -> (u64, u64) {
    let Prediction { mean, variance } = fit_sixty(process).posterior().predict(&[0.4, 0.7]);
    (mean.to_bits(), variance.to_bits())
}

/// Joint distributions are of as many points as the model is conditioned on at most, also after a fantasy.
#[test]
fn joint_distributions_are_bounded_like_the_model() {
    let limits = [
        (Conditioning::default(), 1000),
        (Conditioning::Subset { size: 20 }, 20),
        (Conditioning::All, usize::MAX),
    ];
    for (conditioning, limit) in limits {
        let fitted = fit_sixty(GpSurrogate { conditioning, ..RobustGpSurrogate::default().process });
        assert_eq!(fitted.joint_limit(), limit);
        assert_eq!(fitted.fantasize(&[0.12, 0.45], 0.5).unwrap().joint_limit(), limit);
    }
}

/// The setting of the process holds: a subset of 20 is another model, one of as many as there are is not.
#[test]
fn many_observations_are_conditioned_on_as_the_process_says() {
    let of = |conditioning| of_sixty(GpSurrogate { conditioning, ..RobustGpSurrogate::default().process });
    assert_ne!(of(Conditioning::Subset { size: 20 }), of(Conditioning::All), "a subset");
    assert_eq!(of(Conditioning::Subset { size: 60 }), of(Conditioning::All), "all of them");
    let surrogate = RobustGpSurrogate {
        process: GpSurrogate { conditioning: Conditioning::Subset { size: 3 }, ..GpSurrogate::default() },
        ..RobustGpSurrogate::default()
    };
    let x = Points::from_flat(vec![0.1, 0.9], 1);
    let data = Observations::new(x.as_ref(), &[1.0, 2.0]);
    let error = surrogate.fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("fit", 0));
    let error = error.err().unwrap().to_string();
    assert!(error.contains("size of the subset of observations is 3, expected at least 16"), "{error}");
}

/// The hyperparameters are a maximum, so a process that samples its own has the priors of a maximum here.
#[test]
fn processes_that_sample_have_the_priors_of_the_maximum() {
    assert_eq!(of_sixty(GpSurrogate::noisy()), of_sixty(GpSurrogate::default()));
}

/// 95 % intervals of a new observation are those of Student-t noise: with 4 degrees of freedom 2.776 σ to either side, where the function
/// is known. A fantasy has the noise of an observation without residual.
#[test]
fn noise_of_a_new_observation_is_that_of_the_tails() {
    for (nu, half_width) in [(1.0, 12.706_205), (2.0, 4.302_653), (4.0, 2.776_445), (30.0, 2.042_272)] {
        let noise = Noise::Fixed(0.05);
        let mut surrogate =
            RobustGpSurrogate { student_t: StudentT::new(nu), ..RobustGpSurrogate::default() };
        surrogate.process.settings.noise = noise;
        surrogate.process.settings.standardize_targets = false;
        let x = Points::from_flat(vec![0.1, 0.3, 0.5, 0.6, 0.9], 1);
        let data = Observations::new(x.as_ref(), &[0.2, 1.0, 0.4, -3.0, -0.8]);
        let fitted = surrogate.fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("fit", 0)).unwrap();
        let latent = fitted.posterior().predict(&[0.4]).variance;
        let found = fitted.predict_observed(&[0.4]).variance - latent;
        let expected = 0.05 * (half_width / 1.959_964_f64).powi(2);
        assert!((found / expected - 1.0).abs() < 1e-5, "ν = {nu}: {found}, expected {expected}");
        let after = fitted.fantasize(&[0.4], 0.5).unwrap().posterior().predict(&[0.4]).variance;
        let least = 0.05 * nu / (nu + 1.0);
        let conditioned = latent * least / (latent + least);
        assert!((after / conditioned - 1.0).abs() < 1e-6, "ν = {nu}: {after}, expected {conditioned}");
    }
}

/// Hyperparameters that were learnt from half of a subset are on the scale of the half: the noise is that of a fit to the half alone.
#[test]
fn hyperparameters_are_on_the_scale_on_which_they_were_learnt() {
    // A search: some points everywhere, most near the minimum, so that the half is spread farther than the whole.
    let far = latin_hypercube(20, 2, &mut Seed(1).stream("far", 0));
    let near = latin_hypercube(60, 2, &mut Seed(2).stream("near", 0));
    let mut x = Points::new(2);
    far.rows().for_each(|row| x.push(row));
    near.rows().for_each(|row| x.push(&[0.25 + 0.1 * row[0], 0.55 + 0.1 * row[1]]));
    let rng = &mut Seed(3).stream("noise", 0);
    let mut noise = || rng.uniform() - 0.5;
    let y: Vec<f64> =
        x.rows().map(|row| 10.0 * ((row[0] - 0.3).powi(2) + (row[1] - 0.6).powi(2)) + noise()).collect();
    let domain = Domain::unit_cube(2);
    let surrogate = {
        let conditioning = Conditioning::Subset { size: 32 };
        let process = GpSurrogate { conditioning, ..RobustGpSurrogate::default().process };
        RobustGpSurrogate { process, ..RobustGpSurrogate::default() }
    };
    let fit = |(x, y): &(Points, Vec<f64>)| {
        let data = Observations::new(x.as_ref(), y);
        surrogate.fit(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let process = surrogate.process.process_for(&domain, x.as_ref()).unwrap();
    let some = |(x, y): &(Points, Vec<f64>), size| {
        let (mut points, mut targets) = (Points::new(2), Vec::new());
        for i in process.subset(x.as_ref(), y, size).unwrap() {
            points.push(x.row(i));
            targets.push(y[i]);
        }
        (points, targets)
    };
    let all = (x, y);
    let (fitted, alone) = (fit(&all), fit(&some(&some(&all, 32), 16)));
    assert_eq!(fitted.hyperparameters(), alone.hyperparameters(), "learnt from the half");
    assert_eq!(fitted.noise_variance(), alone.noise_variance(), "in units of the targets");
}

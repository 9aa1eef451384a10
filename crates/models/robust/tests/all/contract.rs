//! The contract of surrogates, on the process with Student-t noise.

use thrifty_domain::{Domain, Points};
use thrifty_gp::Noise;
use thrifty_robust::{RobustGp, RobustGpSurrogate, StudentT};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Observations, Posterior, Prediction, Surrogate, contract};

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

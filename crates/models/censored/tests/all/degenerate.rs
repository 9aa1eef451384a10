//! Edges: nothing, all on one side, contradictions, duplicates, scales, what is no number.

use thrifty_censored::{
    Bound, CensoredError, CensoredGp, Propagation, Response, Side, Sites, expectation_propagation,
};
use thrifty_check::InputError;
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{Matern52, OnColumns, Scaled};
use thrifty_linalg::{JitterLadder, Matrix};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction};

fn line(n: usize) -> Points {
    Points::from_flat((0..n).map(|i| i as f64 / (n.max(2) - 1) as f64).collect(), 1)
}

fn known(noise: f64) -> Gp<Scaled<Matern52>> {
    let settings = GpSettings {
        noise: Noise::Fixed(noise),
        mean: Mean::Zero,
        standardize_targets: false,
        ..GpSettings::default()
    };
    Gp::new(Scaled::new(Matern52::new(vec![0.5]).unwrap(), 1.0).unwrap()).with_settings(settings)
}

#[test]
fn nothing_is_an_error_that_says_so() {
    let found = CensoredGp::new(Gp::matern52(1)).condition(Points::new(1).as_ref(), &[]);
    assert_eq!(found.unwrap_err(), CensoredError::Input(InputError::Empty { name: "observations" }));
    let empty =
        expectation_propagation(&[], &Matrix::zeros(0, 0), &[], &Propagation::default(), None).unwrap();
    assert!(empty.converged && empty.log_probability == 0.0);
}

#[test]
fn what_is_no_number_is_named() {
    let fit = |responses: &[Response]| {
        CensoredGp::new(Gp::matern52(1)).condition(line(responses.len()).as_ref(), responses).unwrap_err()
    };
    for bad in [Response::Value(f64::NAN), Response::AtMost(f64::NAN), Response::AtLeast(f64::INFINITY)] {
        let error = fit(&[Response::Value(0.0), bad]);
        assert!(error.to_string().starts_with("response 1 is "), "{error}");
    }
    let gp = CensoredGp::new(Gp::matern52(1));
    let short = gp.condition(line(3).as_ref(), &[Response::Value(0.0)]).unwrap_err();
    assert!(short.to_string().contains("1 responses, expected 3"), "{short}");
    let far = Points::from_flat(vec![0.5, f64::INFINITY], 1);
    let responses = [Response::Value(0.0), Response::AtMost(1.0)];
    let fitted = gp.fit(far.as_ref(), &responses, &mut Seed(1).stream("fit", 0)).unwrap_err();
    assert_eq!(gp.condition(far.as_ref(), &responses).unwrap_err(), fitted);
    assert!(fitted.to_string().contains("point 1"), "{fitted}");
    let noise = gp.condition_with_noise(line(1).as_ref(), &[Response::Value(0.0)], &[-1.0]).unwrap_err();
    assert!(noise.to_string().contains("noise variance 0 is -1"), "{noise}");
    let wide = gp.condition(Points::zeros(1, 2).as_ref(), &[Response::Value(0.0)]).unwrap_err();
    assert!(wide.to_string().contains("dimension 2"), "{wide}");
    // A kernel on the fourth column alone takes points of any dimension that has it.
    let last = CensoredGp::new(Gp::new(OnColumns::new(Matern52::new(vec![0.5]).unwrap(), vec![3]).unwrap()));
    let narrow = last.condition(Points::zeros(1, 2).as_ref(), &[Response::Value(0.0)]).unwrap_err();
    assert!(narrow.to_string().contains("dimension 2, expected 4"), "{narrow}");
    for bad in [
        Propagation { max_sweeps: 0, ..Propagation::default() },
        Propagation { tolerance: f64::NAN, ..Propagation::default() },
        Propagation { step: 1.5, ..Propagation::default() },
    ] {
        let found = gp.clone().with_propagation(bad).condition(line(1).as_ref(), &[Response::Value(0.0)]);
        assert!(matches!(found, Err(CensoredError::InvalidSetting { .. })));
    }
}

#[test]
fn all_on_one_side_is_learnt_from() {
    for responses in [vec![Response::AtMost(0.0); 10], vec![Response::AtLeast(3.0); 10]] {
        let gp = CensoredGp::new(Gp::matern52(1));
        let posterior = gp.fit(line(10).as_ref(), &responses, &mut Seed(1).stream("fit", 0)).unwrap();
        let Prediction { mean, variance } = posterior.predict(&[0.5]);
        assert!(posterior.converged() && mean.is_finite() && variance > 0.0, "{mean} {variance}");
        let allowed = if responses[0].number() == 0.0 { mean < 0.0 } else { mean > 3.0 };
        assert!(allowed, "{mean}");
    }
}

#[test]
fn bounds_that_say_nothing_leave_the_prior() {
    let responses = [Response::AtMost(60.0), Response::AtLeast(-60.0)];
    let posterior = CensoredGp::new(known(0.01)).condition(line(2).as_ref(), &responses).unwrap();
    let Prediction { mean, variance } = posterior.predict(&[0.0]);
    assert!(mean.abs() < 1e-8 && (variance - 1.0).abs() < 1e-8, "{mean} {variance}");
    assert!(posterior.log_likelihood().abs() < 1e-12);
}

#[test]
fn contradictions_with_noise_meet_between_and_without_are_named() {
    let x = Points::from_flat(vec![0.5, 0.5], 1);
    let responses = [Response::AtMost(0.0), Response::AtLeast(0.5)];
    for noise in [1e-2, 1e-4, 1e-6] {
        let posterior = CensoredGp::new(known(noise)).condition(x.as_ref(), &responses).unwrap();
        let Prediction { mean, variance } = posterior.predict(&[0.5]);
        assert!((mean - 0.25).abs() < 0.02, "{noise}: {mean} {variance}, {} sweeps", posterior.sweeps());
        assert!(posterior.log_likelihood() < -5.0 && variance < 0.1, "{}", posterior.log_likelihood());
    }
    // Without noise a value is certain.
    let responses = [Response::Value(1.0), Response::AtMost(0.0)];
    let found = CensoredGp::new(known(0.0)).condition(x.as_ref(), &responses);
    assert!(matches!(found, Err(CensoredError::Contradiction { index: 1, .. })), "{found:?}");
    let agreed = [Response::Value(-1.0), Response::AtMost(0.0)];
    let posterior = CensoredGp::new(known(0.0)).condition(x.as_ref(), &agreed).unwrap();
    assert!((posterior.predict(&[0.5]).mean + 1.0).abs() < 1e-6);
}

#[test]
fn duplicates_are_taken() {
    let x = Points::from_flat(vec![0.3; 20], 1);
    let responses: Vec<Response> =
        (0..20).map(|i| if i % 2 == 0 { Response::AtMost(0.0) } else { Response::Value(0.2) }).collect();
    let posterior =
        CensoredGp::new(Gp::matern52(1)).fit(x.as_ref(), &responses, &mut Seed(1).stream("fit", 0)).unwrap();
    let Prediction { mean, variance } = posterior.predict(&[0.3]);
    assert!((-0.3..0.3).contains(&mean) && variance.is_finite(), "{mean} {variance}");
}

/// Units are arbitrary: everything scales with them.
#[test]
fn units_do_not_matter() {
    let x = line(15);
    let clipped = |scale: f64| -> Vec<Response> {
        x.rows().map(|p| Response::clipped(scale * (6.0 * p[0]).sin(), 0.0)).collect()
    };
    let fit = |scale: f64| {
        let gp = CensoredGp::new(Gp::matern52(1));
        gp.fit(x.as_ref(), &clipped(scale), &mut Seed(2).stream("fit", 0)).unwrap()
    };
    let one = fit(1.0).predict(&[0.7]);
    assert!(one.mean < 0.0, "{one:?}");
    for scale in [1e-12, 1e12] {
        let Prediction { mean, variance } = fit(scale).predict(&[0.7]);
        assert!((mean / scale - one.mean).abs() < 1e-3 * one.mean.abs(), "{scale}: {mean} {one:?}");
        assert!(
            (variance / scale / scale - one.variance).abs() < 1e-2 * one.variance,
            "{scale}: {variance} {one:?}"
        );
    }
}

#[test]
fn one_sweep_too_few_is_reported() {
    let c = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.9 });
    let bounds = [Bound { at: 0.0, side: Side::Below }; 3];
    let hasty = Propagation { max_sweeps: 1, ..Propagation::default() };
    assert!(!expectation_propagation(&[0.0; 3], &c, &bounds, &hasty, None).unwrap().converged);
    assert!(
        expectation_propagation(&[0.0; 3], &c, &bounds, &Propagation::default(), None).unwrap().converged
    );
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let x = line(12);
    let responses: Vec<Response> = x.rows().map(|p| Response::clipped((7.0 * p[0]).cos(), 0.1)).collect();
    let fit = || {
        let gp = CensoredGp::new(Gp::matern52(1));
        gp.fit(x.as_ref(), &responses, &mut Seed(5).stream("fit", 0)).unwrap().predict(&[0.31])
    };
    assert_eq!(fit(), fit());
}

/// One bound without information, alone or as the first of two, is enough to condition on, and leaves the prior.
#[test]
fn a_single_bound_that_says_nothing_is_enough() {
    for responses in [vec![Response::AtMost(1e6)], vec![Response::AtMost(1e5), Response::AtMost(1e9)]] {
        let model = CensoredGp::new(known(0.01));
        let posterior = model.condition(line(responses.len()).as_ref(), &responses).unwrap();
        for x in [0.0, 0.4, 1.0] {
            let Prediction { mean, variance } = posterior.predict(&[x]);
            assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-6, "{mean} {variance}");
        }
    }
}

/// Bounds so far off that they say nothing: one of them stays to condition on, the one that says most, and the
/// posterior is the prior.
#[test]
fn silent_bounds_leave_the_prior() {
    let x = line(3);
    // The farther bounds say less.
    for (responses, kept) in [
        ([Response::AtMost(30.0), Response::AtMost(35.0), Response::AtMost(40.0)], 0),
        ([Response::AtMost(40.0), Response::AtMost(30.0), Response::AtMost(35.0)], 1),
        ([Response::AtMost(40.0), Response::AtMost(35.0), Response::AtMost(30.0)], 2),
    ] {
        let posterior = CensoredGp::new(known(0.01)).condition(x.as_ref(), &responses).unwrap();
        assert_eq!(posterior.process().len(), 1, "{responses:?}");
        // What it takes from the variance is visible in the last digits, and most at its own place.
        let variances: Vec<f64> = x.rows().map(|x| posterior.predict(x).variance).collect();
        let least = (0..3).min_by(|a, b| variances[*a].total_cmp(&variances[*b]));
        assert_eq!(least, Some(kept), "{responses:?}: {variances:?}");
        for point in [0.0, 0.3, 1.0] {
            let Prediction { mean, variance } = posterior.predict(&[point]);
            assert!(mean.abs() < 1e-9 && (variance - 1.0).abs() < 1e-9, "{mean} {variance}");
        }
    }
}

/// A component without variance keeps to its bound or contradicts it, to rounding; the others are as without it.
#[test]
fn a_component_without_variance_is_kept_or_named() {
    let covariance = Matrix::from_fn(2, 2, |i, j| if i == 0 && j == 0 { 2.0 } else { 0.0 });
    let of = |mean: f64, at: f64, side: Side| {
        let bounds = [Bound { at: 0.5, side: Side::Below }, Bound { at, side }];
        expectation_propagation(&[0.2, mean], &covariance, &bounds, &Propagation::default(), None)
    };
    let z = 0.3 / 2.0_f64.sqrt();
    for (mean, at, side) in [
        (1.0, 3.0, Side::Below),
        (1.0, -3.0, Side::Above),
        (1.0, 1.0, Side::Below),
        (1.0, 1.0, Side::Above),
        (0.0, 0.0, Side::Below),
        // Within a billionth of the larger of both numbers.
        (1.0 + 5e-10, 1.0, Side::Below),
        (0.5, 0.5 + 2e-10, Side::Above),
    ] {
        let found = of(mean, at, side).unwrap();
        assert!(found.converged && found.sweeps <= 3, "{mean} {at} {side:?}: {} sweeps", found.sweeps);
        assert!((found.log_probability - thrifty_prob::log_cdf(z)).abs() < 1e-12);
        assert_eq!((found.mean[1], found.covariance[(1, 1)]), (mean, 0.0));
    }
    for (mean, at, side) in [
        (1.0, 0.999, Side::Below),
        (1.0, 1.001, Side::Above),
        (1.0 + 1.5e-9, 1.0, Side::Below),
        (1.0, 1.0 + 1.5e-9, Side::Above),
        (0.0, -1e-12, Side::Below),
        (-2.0, -1.0, Side::Above),
    ] {
        let error = of(mean, at, side).unwrap_err();
        let expected = CensoredError::Contradiction { index: 1, std_devs: f64::INFINITY };
        assert_eq!(error, expected, "{mean} {at} {side:?}");
    }
}

/// A bound farther than any probability is a contradiction that says how far.
#[test]
fn bounds_beyond_all_probability_are_named() {
    let one = Matrix::from_fn(1, 1, |_, _| 4.0);
    let of = |at: f64, side: Side| {
        expectation_propagation(&[1.0], &one, &[Bound { at, side }], &Propagation::default(), None)
    };
    for (at, side) in [(-2e120, Side::Below), (2e120, Side::Above)] {
        let Err(CensoredError::Contradiction { index: 0, std_devs }) = of(at, side) else {
            panic!("{side:?}")
        };
        assert!((std_devs / 1e120 - 1.0).abs() < 1e-12, "{std_devs}");
    }
    for (at, side) in [(2e120, Side::Below), (-2e120, Side::Above)] {
        let found = of(at, side).unwrap();
        assert_eq!((found.log_probability, found.mean[0], found.covariance[(0, 0)]), (0.0, 1.0, 4.0));
    }
    // The logarithm of a small probability is a number, and the bound is where the component then is.
    let far = of(-2e40, Side::Below).unwrap();
    assert!((far.log_probability / -0.5e80 - 1.0).abs() < 1e-9 && (far.mean[0] / -2e40 - 1.0).abs() < 1e-9);
}

/// Sites of another number of components are no start.
#[test]
fn sites_of_another_number_are_no_start() {
    let covariance = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.6 });
    let bounds = [Bound { at: 0.3, side: Side::Above }, Bound { at: 0.1, side: Side::Below }];
    let from = |start: Option<&Sites>| {
        let found =
            expectation_propagation(&[0.0; 2], &covariance, &bounds, &Propagation::default(), start).unwrap();
        (found.sweeps, found.log_probability)
    };
    let cold = from(None);
    for (precision, shift) in
        [(vec![5.0; 3], vec![1.0; 3]), (vec![5.0; 2], vec![1.0]), (vec![5.0], vec![1.0; 2])]
    {
        assert_eq!(from(Some(&Sites { precision, shift })), cold);
    }
    let other = from(Some(&Sites { precision: vec![5.0; 2], shift: vec![1.0; 2] }));
    assert!(other != cold && (other.1 - cold.1).abs() < 1e-7, "{other:?} {cold:?}");
}

/// Noise variances of bounds are checked as those of values are, even where the model does not count the bound.
#[test]
fn noise_variances_of_bounds_that_are_none_are_named() {
    let gp = CensoredGp::new(known(0.01));
    for bound in [Response::AtMost(0.5), Response::AtMost(60.0)] {
        for bad in [-1e-3, f64::NAN, f64::INFINITY] {
            let responses = [Response::Value(0.0), bound];
            let error = gp.condition_with_noise(line(2).as_ref(), &responses, &[0.0, bad]).unwrap_err();
            let CensoredError::Input(InputError::Entry { name, index, .. }) = error else {
                panic!("{bound:?} with the noise {bad}: {error}")
            };
            assert_eq!((name, index), ("noise variance", 1), "{bound:?} with the noise {bad}");
        }
    }
}

/// The ladder of the settings holds for the values as well: two equal ones at one point without noise need a jitter, and none is allowed.
#[test]
fn jitter_is_that_of_the_settings() {
    let x = Points::from_flat(vec![0.2, 0.2, 0.9], 1);
    let responses = [Response::Value(0.3), Response::Value(0.3), Response::AtMost(0.1)];
    let condition = |jitter: JitterLadder| {
        let settings = GpSettings { jitter, ..known(0.0).settings().clone() };
        CensoredGp::new(known(0.0).with_settings(settings)).condition(x.as_ref(), &responses)
    };
    assert!(condition(JitterLadder::default()).unwrap().process().jitter() > 0.0);
    let error = condition(JitterLadder { steps: Vec::new() }).unwrap_err().to_string();
    assert!(error.contains("2 rows is not positive definite at pivot 1"), "{error}");
}

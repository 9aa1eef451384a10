//! Laws of the transforms and of the MAP objective.

use proptest::prelude::*;
use thrifty_params::{
    LogLikelihood, MapObjective, Param, Parameterized, ParamsError, Transform, starting_values,
};
use thrifty_prob::Prior;

/// Log likelihood `-Σ (θ_i - t_i)²`, which fails beyond 50 in the first parameter.
struct Quadratic {
    params: Vec<Param>,
    target: Vec<f64>,
}

impl Parameterized for Quadratic {
    fn params(&self) -> Vec<Param> {
        self.params.clone()
    }

    fn set_params(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.params.len());
        self.params.iter_mut().zip(values).for_each(|(p, &v)| p.value = v);
    }
}

impl LogLikelihood for Quadratic {
    type Error = ();

    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, ()> {
        let mut value = 0.0;
        for ((slot, p), t) in gradient.iter_mut().zip(&self.params).zip(&self.target) {
            value -= (p.value - t).powi(2);
            *slot = -2.0 * (p.value - t);
        }
        if self.params[0].value > 50.0 { Err(()) } else { Ok(value) }
    }
}

fn quadratic(value: f64) -> Quadratic {
    let prior = Prior::Gamma { shape: 2.0, rate: 0.5 };
    let params = vec![
        Param::positive("scale", value, 1e-6, 100.0).with_prior(Some(prior)),
        Param { transform: Transform::Logit, ..Param::positive("share", 0.3, 0.01, 0.99) },
        Param { transform: Transform::Identity, low: -9.0, ..Param::positive("mean", 0.7, -9.0, 9.0) },
    ];
    Quadratic { params, target: vec![2.0, 0.6, -1.0] }
}

proptest! {
    #[test]
    fn transforms_invert_and_slope_is_the_derivative(share in 1e-6..1.0_f64, which in 0..3) {
        let transform = [Transform::Identity, Transform::Log, Transform::Logit][which as usize];
        let natural = share * 0.999_999;
        let u = transform.forward(natural);
        prop_assert!((transform.inverse(u) - natural).abs() <= 1e-14 * (1.0 + u.abs()));
        let slope = (transform.inverse(u + 1e-6) - transform.inverse(u - 1e-6)) / 2e-6;
        prop_assert!((slope - transform.slope(natural)).abs() <= 1e-8, "{slope}");
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_value(u in prop::collection::vec(-3.0..3.0_f64, 3)) {
        let mut likelihood = quadratic(1.0);
        let mut objective = MapObjective::new(&mut likelihood).expect("valid");
        let (mut gradient, mut unused) = ([0.0; 3], [0.0; 3]);
        objective.value_and_gradient(&u, &mut gradient);
        for i in 0..3 {
            let mut at = |step: f64| {
                let mut moved = u.clone();
                moved[i] += step;
                objective.value_and_gradient(&moved, &mut unused)
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            prop_assert!((slope - gradient[i]).abs() <= 1e-6 * (1.0 + slope.abs()), "{i}: {slope} {gradient:?}");
        }
    }
}

#[test]
fn failure_is_infinite_and_bad_values_are_named() {
    let mut likelihood = quadratic(60.0);
    let mut objective = MapObjective::new(&mut likelihood).expect("valid");
    let start = objective.start();
    assert_eq!(objective.value_and_gradient(&start, &mut [0.0; 3]), f64::INFINITY);
    for value in [0.0, -1.0, 101.0, f64::NAN] {
        let mut likelihood = quadratic(value);
        let Err(ParamsError::OutOfBounds { name, .. }) = MapObjective::new(&mut likelihood) else {
            panic!("{value}")
        };
        assert_eq!(name, "scale");
    }
}

#[test]
fn starts_bounds_and_natural_values_are_those_of_the_parameters() {
    let mut likelihood = quadratic(2.0);
    let params = likelihood.params.clone();
    let objective = MapObjective::new(&mut likelihood).expect("valid");
    assert_eq!(objective.params(), params);
    let logit = |v: f64| (v / (1.0 - v)).ln();
    let close = |found: &[f64], expected: &[f64]| {
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
    };
    assert!(close(&objective.start(), &[2.0_f64.ln(), logit(0.3), 0.7]), "{:?}", objective.start());
    let (low, high): (Vec<f64>, Vec<f64>) = objective.bounds().into_iter().unzip();
    assert!(
        close(&low, &[1e-6_f64.ln(), logit(0.01), -9.0]) && close(&high, &[100.0_f64.ln(), logit(0.99), 9.0])
    );
    assert!(close(&objective.natural(&[0.5, -0.3, 1.2]), &[0.5_f64.exp(), 1.0 / (1.0 + 0.3_f64.exp()), 1.2]));
    // Beyond the bounds by rounding or more: at the bounds.
    assert_eq!(objective.natural(&[99.0, -99.0, 9.5]), [100.0, 0.01, 9.0]);
}

/// The value is minus the log posterior: of the likelihood at the natural values, and of every prior there.
#[test]
fn the_value_is_that_of_likelihood_and_priors() {
    let mut likelihood = quadratic(2.0);
    let mut objective = MapObjective::new(&mut likelihood).expect("valid");
    let u = [0.4, -0.2, 1.3];
    let natural = [0.4_f64.exp(), 1.0 / (1.0 + 0.2_f64.exp()), 1.3];
    let squares: f64 = natural.iter().zip([2.0, 0.6, -1.0]).map(|(v, t)| (v - t).powi(2)).sum();
    // The logarithm of the density of a gamma distribution of shape 2 and rate ½.
    let prior = 2.0 * 0.5_f64.ln() + natural[0].ln() - 0.5 * natural[0];
    let mut gradient = [0.0; 3];
    let found = objective.value_and_gradient(&u, &mut gradient);
    assert!((found - (squares - prior)).abs() < 1e-12, "{found}");
    let of_scale = (2.0 * (natural[0] - 2.0) - 1.0 / natural[0] + 0.5) * natural[0];
    let of_share = 2.0 * (natural[1] - 0.6) * natural[1] * (1.0 - natural[1]);
    for (found, expected) in gradient.iter().zip([of_scale, of_share, 2.0 * (1.3 + 1.0)]) {
        assert!((found - expected).abs() < 1e-12, "{gradient:?}");
    }
}

#[test]
fn values_at_their_bounds_are_taken_and_wrong_priors_are_named() {
    let with = |change: &dyn Fn(&mut Param)| {
        let mut likelihood = quadratic(2.0);
        change(&mut likelihood.params[0]);
        MapObjective::new(&mut likelihood).err()
    };
    assert!(with(&|p| p.value = p.low).is_none() && with(&|p| p.value = p.high).is_none());
    for change in [
        &(|p: &mut Param| p.value = 0.5 * p.low) as &dyn Fn(&mut Param),
        &|p| p.value = 2.0 * p.high,
        &|p| p.low = 0.0,
        &|p| p.high = f64::INFINITY,
        &|p| p.value = f64::NAN,
    ] {
        assert!(matches!(with(change), Some(ParamsError::OutOfBounds { ref name, .. }) if name == "scale"));
    }
    let wrong = with(&|p| p.prior = Some(Prior::Gamma { shape: -1.0, rate: 0.5 }));
    assert!(
        matches!(wrong, Some(ParamsError::InvalidPrior { ref name, .. }) if name == "scale"),
        "{wrong:?}"
    );
}

/// Beyond its bounds a parameter is at them: the value is that at the bound, and so is the gradient.
#[test]
fn points_beyond_the_bounds_are_valued_at_the_bounds() {
    let mut likelihood = quadratic(2.0);
    likelihood.params[0].high = 40.0;
    let mut objective = MapObjective::new(&mut likelihood).expect("valid");
    let (low, high): (Vec<f64>, Vec<f64>) = objective.bounds().into_iter().unzip();
    for (beyond, at) in [
        (high.iter().map(|u| u + 3.0).collect::<Vec<f64>>(), high),
        (low.iter().map(|u| u - 3.0).collect(), low),
    ] {
        let (mut of_beyond, mut of_bound) = ([0.0; 3], [0.0; 3]);
        let value = objective.value_and_gradient(&beyond, &mut of_beyond);
        let expected = objective.value_and_gradient(&at, &mut of_bound);
        assert!((value - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{value} {expected}");
        for (a, b) in of_beyond.iter().zip(of_bound) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{of_beyond:?} {of_bound:?}");
        }
    }
}

/// Transforms at their ends: no overflow, no cancellation; the logit is odd about ½.
#[test]
fn transforms_at_their_ends() {
    let logit = Transform::Logit;
    assert_eq!((logit.forward(0.5), logit.inverse(0.0), logit.slope(0.5)), (0.0, 0.5, 0.25));
    assert_eq!((logit.inverse(-800.0), logit.inverse(800.0)), (0.0, 1.0));
    assert!((logit.inverse(-40.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-15);
    for u in [0.3, 2.0, 17.0, 36.0] {
        assert!((logit.inverse(u) + logit.inverse(-u) - 1.0).abs() < 2e-16);
        assert!((logit.forward(logit.inverse(-u)) + u).abs() < 1e-13 * u);
    }
    assert_eq!(
        (Transform::Log.forward(1.0), Transform::Log.inverse(0.0), Transform::Log.slope(3.5)),
        (0.0, 1.0, 3.5)
    );
    assert_eq!(
        (
            Transform::Identity.forward(-7.0),
            Transform::Identity.inverse(-7.0),
            Transform::Identity.slope(-7.0)
        ),
        (-7.0, -7.0, 1.0)
    );
    assert_eq!(Transform::default(), Transform::Identity);
}

#[test]
fn parameters_are_built_and_named() {
    let prior = Prior::Gamma { shape: 2.0, rate: 0.5 };
    let param =
        Param::positive("scale", 2.0, 0.5, 8.0).with_prior(Some(prior.clone())).under("kernel").under("gp");
    let expected = Param {
        name: "gp.kernel.scale".into(),
        value: 2.0,
        low: 0.5,
        high: 8.0,
        transform: Transform::Log,
        prior: Some(prior),
    };
    assert_eq!(param, expected);
    assert_eq!(expected.with_prior(None).prior, None);
    // A box hands on what it holds.
    let mut boxed: Box<dyn Parameterized> = Box::new(quadratic(2.0));
    boxed.set_params(&[3.0, 0.4, -1.0]);
    let values: Vec<f64> = boxed.params().iter().map(|param| param.value).collect();
    assert_eq!(values, [3.0, 0.4, -1.0]);
}

/// The first parameter that makes no sense is named with its value and bounds, whatever comes behind it.
#[test]
fn the_first_wrong_parameter_is_named() {
    let mut likelihood = quadratic(2.0);
    (likelihood.params[1].low, likelihood.params[2].value) = (0.0, 10.0);
    let error = MapObjective::new(&mut likelihood).err().expect("an error");
    assert_eq!(
        error.to_string(),
        "parameter share is 0.3, expected a value in [0, 0.99] for transform Logit"
    );
    likelihood.params[1].low = 0.01;
    let error = MapObjective::new(&mut likelihood).err().expect("an error");
    assert_eq!(error.to_string(), "parameter mean is 10, expected a value in [-9, 9] for transform Identity");
    // Bounds come before priors.
    likelihood.params[0].prior = Some(Prior::Gamma { shape: -1.0, rate: 0.5 });
    assert!(matches!(MapObjective::new(&mut likelihood), Err(ParamsError::OutOfBounds { .. })));
    likelihood.params[2].value = 9.0;
    assert!(matches!(MapObjective::new(&mut likelihood), Err(ParamsError::InvalidPrior { .. })));
}

/// A warm start of another length or with values that are not finite is no start; one beyond the bounds is brought to them.
#[test]
fn warm_starts_that_fit_are_used() -> Result<(), ParamsError> {
    let mean = Param { transform: Transform::Identity, ..Param::positive("mean", -1.0, -5.0, 5.0) };
    let mut params = vec![Param::positive("scale", 2.0, 0.5, 8.0), mean];
    let start = |params: &[Param], warm: Option<&[f64]>| starting_values(params, warm);
    assert_eq!(start(&params, None)?, [2.0, -1.0]);
    assert_eq!(start(&params, Some(&[3.0, 4.0]))?, [3.0, 4.0]);
    assert_eq!(start(&params, Some(&[100.0, -100.0]))?, [8.0, -5.0]);
    for wrong in [&[3.0][..], &[], &[3.0, 4.0, 1.0], &[3.0, f64::NAN], &[f64::INFINITY, 4.0]] {
        assert_eq!(start(&params, Some(wrong))?, [2.0, -1.0], "{wrong:?}");
    }
    // Without a warm start the bounds are not used; with one, a range without a value is an error.
    (params[1].low, params[1].high) = (5.0, -5.0);
    assert_eq!(start(&params, None)?, [2.0, -1.0]);
    let error = start(&params, Some(&[3.0, 4.0])).expect_err("bounds in the wrong order");
    assert_eq!(error.to_string(), "parameter mean is -1, expected a value in [5, -5] for transform Identity");
    params[1].high = f64::NAN;
    assert!(start(&params, Some(&[3.0, 4.0])).is_err());
    Ok(())
}

/// Slopes of the logarithm of the slope: 0, 1/θ, and `(1 - 2θ)/(θ (1 - θ))`, by hand and by differences.
#[test]
fn slopes_of_the_jacobian_by_hand() {
    assert_eq!(Transform::Identity.log_slope_derivative(-7.0), 0.0);
    assert_eq!(Transform::Log.log_slope_derivative(4.0), 0.25);
    assert_eq!(Transform::Logit.log_slope_derivative(0.5), 0.0);
    assert!((Transform::Logit.log_slope_derivative(0.25) - 8.0 / 3.0).abs() < 1e-15);
    for (transform, at) in [(Transform::Log, 0.3), (Transform::Logit, 0.1), (Transform::Logit, 0.9)] {
        let log_slope = |natural: f64| transform.slope(natural).ln();
        let change = (log_slope(at + 1e-6) - log_slope(at - 1e-6)) / 2e-6;
        assert!((change - transform.log_slope_derivative(at)).abs() < 1e-7, "{transform:?}: {change}");
    }
}

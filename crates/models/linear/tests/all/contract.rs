//! The contract of surrogates, on linear regression.

use thrifty_domain::{Domain, Points};
use thrifty_linear::{Fourier, LinearSurrogate, Polynomial, SmoothingSpline};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Observations, Surrogate, contract};

#[test]
fn linear_regression_is_a_surrogate() {
    contract::surrogate(&LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5)))));
    contract::surrogate(&LinearSurrogate::new(|domain| Ok(Box::new(Fourier::new(domain.dim(), 1, 2.0)))));
}

/// Data are checked by the surrogate too, where nobody did before.
#[test]
fn bad_data_are_refused_by_the_surrogate_itself() {
    let surrogate = LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5))));
    let fit = |x: &Points, y: &[f64]| {
        let data = Observations::new(x.as_ref(), y);
        let rng = &mut Seed(1).stream("fit", 0);
        surrogate.fit(&Domain::unit_cube(1), data, None, rng).map(|_| ()).map_err(|error| error.to_string())
    };
    let x = Points::from_flat(vec![0.1, 0.5, 0.9], 1);
    assert_eq!(fit(&x, &[1.0, 2.0, 0.5]), Ok(()));
    assert_eq!(fit(&x, &[1.0, f64::NAN, 0.5]).unwrap_err(), "target 1 is NaN, expected a finite number");
    assert_eq!(fit(&x, &[1.0]).unwrap_err(), "1 targets, expected 3");
    assert_eq!(fit(&Points::new(1), &[]).unwrap_err(), "no observations, expected at least one");
}

#[test]
fn splines_refuse_coordinates_that_are_no_numbers() {
    for (bad, index) in [(f64::NAN, 3), (f64::INFINITY, 0)] {
        let mut x = Points::from_rows(&[[0.0, 0.1], [0.4, 0.9], [0.8, 0.3], [0.2, 0.6]]).unwrap();
        x.row_mut(index)[1] = bad;
        let error = SmoothingSpline::new(x.as_ref()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("coordinate") && error.contains(&bad.to_string()), "{error}");
    }
}

/// Equal targets have no scale of their own, also where their mean is rounded.
#[test]
fn rounding_is_no_scale() {
    let surrogate = LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5))));
    let noise = |y: f64| {
        let x = Points::from_flat(vec![0.1, 0.5, 0.9], 1);
        let (y, rng) = ([y; 3], &mut Seed(1).stream("fit", 0));
        let data = Observations::new(x.as_ref(), &y);
        surrogate.fit(&Domain::unit_cube(1), data, None, rng).unwrap().noise_variance()
    };
    let (rounded, exact) = (noise(0.1), noise(2.5));
    assert!((rounded / exact - 1.0).abs() < 1e-3, "{rounded} {exact}");
}

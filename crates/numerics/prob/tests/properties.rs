//! Laws of the normal functions and of the priors, and their edges.

use proptest::prelude::*;
use thrifty_prob::{Prior, cdf, h, log_cdf, log_h, log_h_derivative, mills_ratio, pdf, quantile};

fn priors() -> Vec<Prior> {
    vec![
        Prior::Normal { mean: 0.5, sd: 2.0 },
        Prior::LogNormal { mu: -1.0, sigma: 1.0 },
        Prior::Gamma { shape: 2.5, rate: 0.65 },
        Prior::InverseGamma { shape: 3.0, scale: 2.0 },
        Prior::Beta { a: 2.5, b: 1.5 },
        Prior::HalfCauchy { scale: 0.5 },
        Prior::Horseshoe { scale: 0.3 },
        Prior::Uniform { low: 0.0, high: 3.0 },
    ]
}

proptest! {
    #[test]
    fn cdf_is_monotone_symmetric_and_inverted_by_the_quantile(z in -37.0..37.0_f64, step in 1e-3..2.0_f64) {
        prop_assert!(cdf(z + step) >= cdf(z) && log_cdf(z + step) >= log_cdf(z));
        prop_assert!((cdf(z) + cdf(-z) - 1.0).abs() <= 1e-15);
        let low = -z.abs();
        prop_assert!((quantile(cdf(low)) - low).abs() <= 4e-15 * (1.0 + low.abs()), "{}", quantile(cdf(low)));
    }

    #[test]
    fn log_h_rises_and_has_the_derivative_it_says(z in -60.0..20.0_f64) {
        let step = 1e-5;
        let slope = (log_h(z + step) - log_h(z - step)) / (2.0 * step);
        prop_assert!(slope > 0.0);
        prop_assert!((slope - log_h_derivative(z)).abs() <= 1e-6 * (1.0 + slope));
        if z > -30.0 {
            prop_assert!((h(z).ln() - log_h(z)).abs() <= 1e-12 * (1.0 + z * z));
        }
    }

    #[test]
    fn prior_derivatives_match_finite_differences(x in 0.01..0.99_f64) {
        for prior in priors() {
            let step = 1e-6 * x.min(1.0 - x);
            let slope = (prior.log_density(x + step) - prior.log_density(x - step)) / (2.0 * step);
            prop_assert!((slope - prior.derivative(x)).abs() <= 1e-5 * (1.0 + slope.abs()), "{prior:?} at {x}: {slope}");
        }
    }
}

#[test]
fn nothing_jumps_where_the_branches_meet() {
    for z in [-2.0_f64, 0.0, 2.0] {
        let (a, b) = (z.next_down(), z.next_up());
        for f in [cdf, log_cdf, log_h, h, log_h_derivative, mills_ratio, pdf] {
            assert!((f(a) - f(b)).abs() <= 1e-14 * (1.0 + f(z).abs()), "{z}: {} {}", f(a), f(b));
        }
    }
}

#[test]
fn densities_integrate_to_one() {
    for prior in priors() {
        // Substituting x = tan-like over the line: x = s/(1-s²), weights from the midpoint rule.
        let n = 400_000;
        let mut total = 0.0;
        for i in 0..n {
            let s = -1.0 + 2.0 * (f64::from(i) + 0.5) / f64::from(n);
            let (x, slope) = (s / (1.0 - s * s), (1.0 + s * s) / (1.0 - s * s).powi(2));
            total += prior.log_density(x).exp() * slope * 2.0 / f64::from(n);
        }
        // The horseshoe is known between two bounds only.
        let tolerance = if matches!(prior, Prior::Horseshoe { .. }) { 0.1 } else { 1e-4 };
        assert!((total - 1.0).abs() < tolerance, "{prior:?}: {total}");
    }
}

#[test]
fn limits_and_nan() {
    let infinity = f64::INFINITY;
    assert_eq!((cdf(-infinity), cdf(infinity), pdf(infinity), pdf(-infinity)), (0.0, 1.0, 0.0, 0.0));
    assert_eq!((h(-infinity), h(infinity), log_h(-infinity)), (0.0, infinity, -infinity));
    assert_eq!((log_cdf(infinity), log_cdf(-infinity)), (0.0, -infinity));
    assert_eq!((quantile(0.0), quantile(0.5), quantile(1.0)), (-infinity, 0.0, infinity));
    assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan());
    for f in [cdf, log_cdf, log_h, h, log_h_derivative, mills_ratio, pdf, quantile] {
        assert!(f(f64::NAN).is_nan());
    }
    assert!(log_h(-1e300).is_infinite() && log_h(-1e150).is_finite() && log_h(1e300).is_finite());
}

#[test]
fn bad_parameters_are_named_and_the_outside_is_impossible() {
    for prior in priors() {
        assert_eq!(prior.validate(), Ok(()));
        assert!(prior.log_density(f64::NAN) == f64::NEG_INFINITY && prior.derivative(f64::NAN) == 0.0);
    }
    assert_eq!(Prior::Beta { a: 1.0, b: 5.0 }.log_density(1.5), f64::NEG_INFINITY);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Prior::Gamma { shape: 1.0, rate: bad }.validate().unwrap_err();
        assert!(error.to_string().contains("rate of the gamma prior"), "{error}");
    }
    assert!(Prior::Uniform { low: 1.0, high: 1.0 }.validate().is_err());
}

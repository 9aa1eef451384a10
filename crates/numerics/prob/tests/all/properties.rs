//! Laws of the normal functions and of the priors, and their edges.

use std::f64::consts::{PI, SQRT_2};

use proptest::prelude::*;
use thrifty_prob::{
    Prior, ProbError, cdf, erfcx, h, inverse_mills, log_cdf, log_h, log_h_derivative, mills_ratio, owen_t,
    owen_t_by_a, owen_t_by_h, pdf, quantile,
};

fn priors() -> Vec<Prior> {
    vec![
        Prior::Normal { mean: 0.5, sd: 2.0 },
        Prior::LogNormal { mu: -1.0, sigma: 1.0 },
        Prior::Gamma { shape: 2.5, rate: 0.65 },
        Prior::InverseGamma { shape: 3.0, scale: 2.0 },
        Prior::Beta { a: 2.5, b: 1.5 },
        Prior::HalfCauchy { scale: 0.5 },
        Prior::Horseshoe { scale: 0.3 },
        Prior::SparseAxis { scale: 0.1 },
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
    fn quantiles_have_the_relative_precision_of_their_distance_from_one_half(exponent in -15.0..-1.0_f64) {
        let p = 0.5 + 10_f64.powf(exponent);
        let q = p - 0.5;
        // Φ⁻¹(½ + q) = s + s³/6 + O(s⁵), s = √(2π) q.
        let s = (2.0 * PI).sqrt() * q;
        prop_assert!((quantile(p) / s - 1.0 - s * s / 6.0).abs() <= 1e-15 + s.powi(4));
        prop_assert_eq!(quantile(0.5 - q), -quantile(p));
    }

    #[test]
    fn the_hazard_the_mills_ratio_and_erfcx_agree(z in -30.0..30.0_f64) {
        prop_assert!((inverse_mills(z) * mills_ratio(z) - 1.0).abs() <= 2e-15);
        let scaled = (0.5 * PI).sqrt() * erfcx(z / SQRT_2);
        prop_assert!((scaled / mills_ratio(z) - 1.0).abs() <= 1e-15 * (1.0 + z * z));
        // d ln h / dz = Φ/h in terms of its parts.
        prop_assert!((log_h_derivative(z) * h(z) / cdf(z) - 1.0).abs() <= 2e-15);
    }

    #[test]
    fn priors_survive_a_file(scale in 1e-3..1e3_f64, low in -1e3..1e3_f64) {
        for prior in priors().into_iter().chain([
            Prior::half_cauchy(scale).unwrap(),
            Prior::inverse_gamma(scale, scale).unwrap(),
            Prior::sparse_axis(scale).unwrap(),
            Prior::uniform(low, low + scale).unwrap(),
        ]) {
            let text = serde_json::to_string(&prior).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Prior>(&text).unwrap(), &prior);
            prop_assert!(text.starts_with(&format!("{{\"{}\":", prior.name())), "{text}");
        }
    }

    /// Change of variables: the density of x times |dx/du| is that of u = 1/x², half-Cauchy.
    #[test]
    fn inverse_squares_of_sparse_axes_are_half_cauchy(log_x in -8.0..8.0_f64, scale in 1e-3..1e3_f64) {
        let x = log_x.exp();
        let found = Prior::SparseAxis { scale }.log_density(x) - (2.0 / x.powi(3)).ln();
        let expected = Prior::HalfCauchy { scale }.log_density(1.0 / (x * x));
        prop_assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{found}, expected {expected}");
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
    for z in [-3.0_f64, -2.0, 0.0, 0.5, 2.0, 3.0] {
        let (a, b) = (z.next_down(), z.next_up());
        for f in [cdf, log_cdf, log_h, h, log_h_derivative, inverse_mills, mills_ratio, pdf, erfcx] {
            let bound = 8.0 * f64::EPSILON * (1.0 + z * z) * f(z).abs();
            assert!((f(a) - f(b)).abs() <= bound, "{z}: {} {}", f(a), f(b));
        }
    }
    for p in [0.02_f64, 0.02425, 0.25] {
        assert!((quantile(p.next_down()) - quantile(p.next_up())).abs() <= 1e-15, "{p}");
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
    for f in [cdf, log_cdf, log_h, h, log_h_derivative, inverse_mills, mills_ratio, pdf, quantile, erfcx] {
        assert!(f(f64::NAN).is_nan());
    }
    assert_eq!(
        (inverse_mills(-infinity), inverse_mills(infinity), inverse_mills(1e10)),
        (0.0, infinity, 1e10)
    );
    assert_eq!((erfcx(-infinity), erfcx(infinity), erfcx(0.0)), (infinity, 0.0, 1.0));
    // Beyond the exponent's range nothing overflows or turns negative on the way.
    for exponent in 2..308 {
        let far = 1.1 * 10_f64.powi(exponent);
        for f in [pdf, cdf, h, inverse_mills] {
            assert!(f(-far) == 0.0 && f(-far).is_sign_positive(), "{far}");
        }
        assert_eq!(erfcx(-far), infinity);
        assert!(exponent < 9 || (log_h_derivative(-far) / far - 1.0).abs() <= 1e-15, "{far}");
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
    assert!(matches!(
        Prior::normal(0.0, -1.0),
        Err(ProbError::InvalidParameter { name: "sd", value: -1.0, .. })
    ));
}

#[test]
fn a_file_cannot_bring_a_bad_prior() {
    for (text, part) in [
        (r#"{"gamma": {"shape": 1.0, "rate": -2.0}}"#, "rate of the gamma prior is -2"),
        (r#"{"uniform": {"low": 1.0, "high": 0.0}}"#, "high of the uniform prior is 0"),
        (r#"{"beta": {"a": 1.0}}"#, "missing field"),
        (r#"{"beta": {"a": 1.0, "b": 1.0, "c": 1.0}}"#, "unknown field"),
        (r#"{"cauchy": {"scale": 1.0}}"#, "unknown variant"),
    ] {
        let error = serde_json::from_str::<Prior>(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn heavy_tails_stay_finite_far_out_and_close_in() {
    for prior in [Prior::HalfCauchy { scale: 0.5 }, Prior::Horseshoe { scale: 0.3 }] {
        for x in [1e12, 1e160, 1e300_f64] {
            assert!((prior.derivative(x) * x + 2.0).abs() < 1e-14, "{prior:?} at {x}");
            let fall = prior.log_density(x) - prior.log_density(x * 1e3) - 6.0 * 10_f64.ln();
            assert!(fall.abs() < 1e-12, "{prior:?} at {x}: {fall}");
        }
        for x in [1e-300, 1e-160, 1e-12] {
            assert!(prior.log_density(x).is_finite() && prior.derivative(x) < 0.0, "{prior:?} at {x}");
        }
    }
    // Where the horseshoe changes to its limit nothing jumps.
    let (prior, x) = (Prior::Horseshoe { scale: 1.0 }, 1e8_f64);
    let jump = prior.log_density(x * (1.0 - 1e-12)) - prior.log_density(x * (1.0 + 1e-12));
    assert!((jump - 4e-12).abs() < 3e-14, "{jump}");
    assert_eq!(Prior::HalfCauchy { scale: 0.5 }.derivative(0.0), 0.0);
}

/// Densities of sparse axes rise like x from 0 to their mode `(3s²)^(-1/4)`, and fall like 1/x³, also where `1/(s x²)` overflows.
#[test]
fn sparse_axes_rise_and_fall_like_powers() {
    for scale in [1e-12, 0.1, 1e12_f64] {
        let prior = Prior::SparseAxis { scale };
        for (range, power) in [([1e-300, 1e-160, 1e-20], 1.0), ([1e20, 1e160, 1e300], -3.0)] {
            for x in range {
                assert!((prior.derivative(x) * x - power).abs() < 1e-14, "{prior:?} at {x}");
                let rise = prior.log_density(x * 10.0) - prior.log_density(x) - power * 10_f64.ln();
                assert!(rise.abs() < 1e-12, "{prior:?} at {x}: {rise}");
            }
        }
        let mode = (3.0 * scale * scale).powf(-0.25);
        assert!((prior.derivative(mode) * mode).abs() < 1e-14, "{prior:?} at its mode {mode}");
        assert_eq!((prior.log_density(0.0), prior.derivative(0.0)), (f64::NEG_INFINITY, 0.0));
    }
}

/// Beta densities have no mass at or beyond the ends, also where the formula has 0 · ∞ or rises to them.
#[test]
fn the_ends_are_outside_a_beta_prior() {
    for (a, b) in [(1.0, 1.0), (0.5, 0.5), (2.0, 3.0)] {
        let prior = Prior::Beta { a, b };
        for x in [0.0, -0.0, 1.0, -0.5, 1.5] {
            assert_eq!(prior.log_density(x), f64::NEG_INFINITY, "log density of {prior:?} at {x}");
            assert_eq!(prior.derivative(x), 0.0, "derivative of {prior:?} at {x}");
        }
    }
}

/// T(h, a) is below ½Q(h): at its limit rounding carried the quadrature beyond.
#[test]
fn owen_s_function_is_below_its_limit() {
    let h = 11.733_503_618_845_727;
    assert!(owen_t(h, 1.0) <= 0.5 * cdf(-h) && owen_t(h, 1.0) > 0.5 * cdf(-h) * (1.0 - 3e-15));
    for h in (70..370).map(|tenths| f64::from(tenths) / 10.0) {
        for a in [0.95, 1.0] {
            let (found, limit) = (owen_t(h, a), 0.5 * cdf(-h));
            assert!(found <= limit, "T({h}, {a}) is {found:e}, above {limit:e}");
        }
    }
}

proptest! {
    /// Source: Owen (1956).
    #[test]
    fn owen_s_function_has_its_symmetries_and_special_values(h in 0.0..12.0_f64, log_a in -6.0..6.0_f64) {
        let a = 10_f64.powf(log_a);
        let value = owen_t(h, a);
        prop_assert_eq!(value.to_bits(), owen_t(-h, a).to_bits());
        prop_assert_eq!(value.to_bits(), (-owen_t(h, -a)).to_bits());
        prop_assert!((owen_t(0.0, a) - a.atan() / (2.0 * PI)).abs() <= 1e-16);
        prop_assert!((owen_t(h, 1.0) / (0.5 * cdf(h) * cdf(-h)) - 1.0).abs() <= 3e-15);
        prop_assert_eq!(owen_t(h, f64::INFINITY), 0.5 * cdf(-h));
        prop_assert!(value <= 0.5 * cdf(-h) * (1.0 + 4e-16) && value >= 0.0);
        let (q, r) = (cdf(-h), cdf(-a * h));
        let reflected = 0.5 * q + r * (0.5 - q) - owen_t(a * h, 1.0 / a);
        prop_assert!((value - reflected).abs() <= 1e-16 + 4e-15 * value, "{} {}", value, reflected);
    }

    #[test]
    fn owen_s_function_has_the_derivatives_it_says(h in -6.0..6.0_f64, a in -4.0..4.0_f64) {
        let step = 1e-5;
        let by_a = (owen_t(h, a + step) - owen_t(h, a - step)) / (2.0 * step);
        let by_h = (owen_t(h + step, a) - owen_t(h - step, a)) / (2.0 * step);
        prop_assert!((by_a - owen_t_by_a(h, a)).abs() <= 1e-9, "{} {}", by_a, owen_t_by_a(h, a));
        prop_assert!((by_h - owen_t_by_h(h, a)).abs() <= 1e-9, "{} {}", by_h, owen_t_by_h(h, a));
    }

    /// T is a bivariate normal probability: P(X > h, 0 < Y < aX), here by the midpoint rule over X.
    #[test]
    fn owen_s_function_is_the_probability_it_says(h in 0.0..4.0_f64, a in 0.0..5.0_f64) {
        let step = 9.0 / 20_000.0;
        let slice = |k: u32| {
            let x = h + (f64::from(k) + 0.5) * step;
            pdf(x) * (0.5 - cdf(-a * x)) * step
        };
        let sum: f64 = (0..20_000).map(slice).sum();
        prop_assert!((owen_t(h, a) - sum).abs() <= 2e-8, "{} {}", owen_t(h, a), sum);
    }
}

#[test]
fn owen_s_function_and_its_derivatives_are_nan_for_nan_alone() {
    let functions = [owen_t, owen_t_by_a, owen_t_by_h];
    let numbers = [f64::NEG_INFINITY, -1.0, 0.0, 2.0, f64::INFINITY];
    for (at, function) in functions.iter().enumerate() {
        for number in numbers {
            assert!(
                function(number, f64::NAN).is_nan() && function(f64::NAN, number).is_nan(),
                "{at}: {number}"
            );
            for other in numbers {
                assert!(function(number, other).is_finite(), "{at}: {number} {other}");
            }
        }
    }
}

/// Limits at both ends of the line.
#[test]
fn truncated_variances_have_limits() {
    assert_eq!(thrifty_prob::log_truncated_variance_derivative(f64::INFINITY), 0.0);
    assert_eq!(thrifty_prob::log_truncated_variance_derivative(f64::NEG_INFINITY), 0.0);
    for z in [-1e200, -1e9, 1e3, 1e200] {
        let slope = thrifty_prob::log_truncated_variance_derivative(z);
        assert!(slope.is_finite() && slope.abs() < 1e-8, "{z}: {slope}");
    }
}

/// Densities at a + h and a - h, whose squares do not fit into a double: their quotient is exp(-2 a h), and -2 a h fits.
#[test]
fn densities_of_the_tail_keep_the_digits_of_the_square() {
    for a in [10.0, 20.0, 30.0] {
        for odd in [123_456_789_i64, 1_000_000_007, 987_654_321_987] {
            let step = odd as f64 / 2_f64.powi(47);
            let quotient = pdf(a + step) / pdf(a - step);
            let expected = (-2.0 * a * step).exp();
            assert!((quotient / expected - 1.0).abs() < 2e-15, "{a} ± {step:e}: {quotient} {expected}");
        }
    }
}

//! The test functions: published and independently computed values, and gradients against differences.

use proptest::prelude::*;
use thrifty_optim::suite::{self, TestFunction};

fn value(function: TestFunction, x: &[f64]) -> f64 {
    function(x, &mut vec![f64::NAN; x.len()])
}

/// At the starting points of Moré, Garbow & Hillstrom (1981), and at whole numbers by hand.
#[test]
fn values() {
    assert!((value(suite::rosenbrock, &[-1.2, 1.0]) - 24.2).abs() < 1e-12);
    assert_eq!(value(suite::rosenbrock, &[1.0, 3.0, 2.0]), 400.0 + 4900.0 + 4.0);
    assert_eq!(value(suite::beale, &[1.0, 1.0]), 14.203_125);
    assert_eq!(value(suite::beale, &[2.0, -1.0]), 2.5_f64.powi(2) + 2.25_f64.powi(2) + 1.375_f64.powi(2));
    assert_eq!(value(suite::powell, &[3.0, -1.0, 0.0, 1.0]), 215.0);
    assert_eq!(value(suite::powell, &[1.0, 2.0, 3.0, 4.0]), 441.0 + 5.0 + 256.0 + 810.0);
    assert_eq!(value(suite::wood, &[-3.0, -1.0, -3.0, -1.0]), 19_192.0);
    assert!((value(suite::wood, &[1.0, 2.0, 3.0, 4.0]) - 2514.4).abs() < 1e-9);
    // Python's math, from the formula of the source.
    assert!((value(suite::trigonometric, &[0.1; 10]) - 0.007_075_759_466_222_836).abs() < 1e-15);
    assert!((value(suite::trigonometric, &[0.5, 1.0, -0.7]) - 5.708_955_301_803_175).abs() < 1e-13);
    // Weights 1, 100 and 10⁴, or 1, 10³ and 10⁶.
    let quadratic = |f| value(f, &[1.3, 0.3 + 0.1, 0.3]);
    assert!((quadratic(suite::quadratic1e4) - 2.0).abs() < 1e-12);
    assert!((quadratic(suite::quadratic1e6) - 11.0).abs() < 1e-12);
    assert!((value(suite::quadratic1e6, &[0.3, 0.3, 1.3]) - 1e6).abs() < 1e-6);
}

#[test]
fn minima_are_zero() {
    let minima: [(&str, &[f64]); 7] = [
        ("rosenbrock", &[1.0; 5]),
        ("quadratic1e4", &[0.3; 4]),
        ("quadratic1e6", &[0.3; 4]),
        ("beale", &[3.0, 0.5]),
        ("powell", &[0.0; 8]),
        ("wood", &[1.0; 4]),
        ("trigonometric", &[0.0; 6]),
    ];
    for (name, x) in minima {
        let function = suite::by_name(name).expect(name);
        let mut gradient = vec![f64::NAN; x.len()];
        assert_eq!(function(x, &mut gradient), 0.0, "{name}");
        assert!(gradient.iter().all(|g| *g == 0.0), "{name}: {gradient:?}");
    }
}

#[test]
fn functions_of_a_fixed_dimension_have_no_value_in_others() {
    for (function, right) in [(suite::beale as TestFunction, 2), (suite::powell, 4), (suite::wood, 4)] {
        assert!(value(function, &vec![0.5; right]).is_finite());
        assert!(value(function, &vec![0.5; right + 1]).is_nan());
    }
    assert!(value(suite::powell, &[0.5; 8]).is_finite());
}

#[test]
fn functions_are_found_by_the_longest_name_and_by_a_value() {
    let at = [0.2, 0.7, 0.1];
    let same = |a: TestFunction, b: TestFunction| value(a, &at) == value(b, &at);
    assert!(same(suite::by_name("quadratic1e6_free").expect("a name"), suite::quadratic1e6));
    assert!(same(suite::by_name("quadratic1e4").expect("a name"), suite::quadratic1e4));
    assert!(suite::by_name("parabola").is_none());
    let found = |name: &str, expected: f64| suite::matching(name, &at, expected);
    let (four, six) = (value(suite::quadratic1e4, &at), value(suite::quadratic1e6, &at));
    assert!(same(found("quadratic1e4", four).expect("its value"), suite::quadratic1e4));
    // The value decides against the name, to nine digits.
    assert!(same(found("quadratic1e4", six).expect("another's value"), suite::quadratic1e6));
    assert!(found("quadratic1e4", six * (1.0 + 0.9e-9)).is_some());
    assert!(found("quadratic1e4", six * (1.0 + 1.1e-9)).is_none());
}

proptest! {
    #[test]
    fn gradients_are_those_of_the_values(x in prop::collection::vec(-1.5..1.5_f64, 4), pair in any::<bool>()) {
        for (name, function) in suite::FUNCTIONS {
            let x = if pair || name == "beale" { &x[..2] } else { &x[..] };
            let mut gradient = vec![f64::NAN; x.len()];
            if function(x, &mut gradient).is_nan() {
                continue;
            }
            for i in 0..x.len() {
                let at = |offset: f64| {
                    let mut moved = x.to_vec();
                    moved[i] += offset;
                    value(function, &moved)
                };
                let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
                let scale = 1.0 + slope.abs() + at(0.0).abs();
                prop_assert!((slope - gradient[i]).abs() < 1e-5 * scale, "{name} {i}: {slope} {gradient:?}");
            }
        }
    }
}

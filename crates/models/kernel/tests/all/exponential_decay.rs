//! Exponential-decay kernel: contract, closed forms, limits.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_kernel::{ExponentialDecay, Kernel, Matern52, OnColumns, contract};
use thrifty_params::Parameterized;
use thrifty_sampling::Seed;

fn kernel(alpha: f64, beta: f64) -> ExponentialDecay {
    ExponentialDecay::new(alpha, beta).unwrap()
}

/// Rates near 40, of which one feature in thousands has one so small that it counts.
#[test]
fn the_contract_holds_where_few_features_count() {
    let x = Points::from_flat(vec![0.0; 2], 1);
    for seed in 0..50 {
        let mut rng = Seed(seed).stream("features", 0);
        contract::check(&kernel(7.940_589_280_020_406, 0.2), x.as_ref(), &mut rng).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_contract_holds(
        s in prop::collection::vec(prop_oneof![3 => 0.0..1.0_f64, 1 => Just(0.0), 1 => Just(1.0)], 1..20),
        alpha in 0.2..8.0_f64,
        beta in 0.2..8.0_f64,
    ) {
        let x = Points::from_flat(s, 1);
        let checked = contract::check(&kernel(alpha, beta), x.as_ref(), &mut Seed(1).stream("features", 0));
        prop_assert!(checked.is_ok(), "{:?}", checked);
    }

    /// In a product with a kernel of the other columns, as multi-fidelity models use it.
    #[test]
    fn the_contract_holds_in_a_product(s in prop::collection::vec(0.0..1.0_f64, 24), alpha in 0.2..8.0_f64) {
        let x = Points::from_flat(s, 2);
        let of = |k: Box<dyn Kernel>, c| OnColumns::new(k, vec![c]).unwrap();
        let product = of(Matern52::new(vec![0.4]).unwrap().clone_box(), 0) * of(kernel(alpha, 0.7).clone_box(), 1);
        let checked = contract::check(&product, x.as_ref(), &mut Seed(1).stream("features", 0));
        prop_assert!(checked.is_ok(), "{:?}", checked);
    }

    /// The variance decreases from 1 to 0, and covariances of the unit interval are never negative.
    #[test]
    fn variances_decrease_to_the_target(
        (low, high) in (0.0..1.0_f64, 0.0..1.0_f64), alpha in 0.1..10.0_f64, beta in 0.1..10.0_f64,
    ) {
        let (kernel, low, high) = (kernel(alpha, beta), low.min(high), low.max(high));
        let variance = |s: f64| kernel.eval(&[s], &[s]);
        prop_assert!(variance(low) >= variance(high) - 1e-15);
        prop_assert!(kernel.eval(&[low], &[high]) >= 0.0);
        prop_assert_eq!(kernel.eval(&[low], &[1.0]), 0.0);
    }
}

/// By hand for α = 1, β = 1: M(u) = 1/(1 + u), and N(0, 0) = 1 - 2/2 + 1/3.
#[test]
fn values_are_those_of_the_formula() {
    let kernel = kernel(1.0, 1.0);
    assert!((kernel.eval(&[0.0], &[0.0]) - 1.0).abs() < 1e-15);
    let expected = (1.0 / 1.75 - 1.0 / 2.25 - 1.0 / 2.5 + 1.0 / 3.0) * 3.0;
    assert!((kernel.eval(&[0.25], &[0.5]) - expected).abs() < 1e-14);
    assert_eq!(kernel.eval(&[0.25], &[0.5]), kernel.eval(&[0.5], &[0.25]));
}

/// Many rates of one size are one rate: k → (e^(-λs) - e^(-λ)) (e^(-λt) - e^(-λ)) / (1 - e^(-λ))².
#[test]
fn a_narrow_distribution_is_one_rate() {
    let (rate, alpha) = (2.0_f64, 1e7);
    let kernel = kernel(alpha, alpha / rate);
    let decay = |s: f64| ((-rate * s).exp() - (-rate).exp()) / (1.0 - (-rate).exp());
    for (s, t) in [(0.0, 0.3), (0.2, 0.9), (0.5, 0.5)] {
        assert!((kernel.eval(&[s], &[t]) - decay(s) * decay(t)).abs() < 1e-6);
    }
}

/// Close to the target the variance goes with the square of the distance, without loss of its digits.
#[test]
fn variances_keep_their_digits_near_the_target() {
    let kernel = kernel(1.0, 1.0);
    // N(s, s) → (1 - s)² M''(2), M'' = 2/(1 + u)³.
    for gap in [1e-3, 1e-5, 1e-7] {
        let ratio = kernel.eval(&[1.0 - gap], &[1.0 - gap]) / (gap * gap * 2.0 / 27.0 * 3.0);
        assert!((ratio - 1.0).abs() < 3.0 * gap + 1e-7, "{gap}: {ratio}");
    }
}

/// Another interval is mapped to the unit interval, with the gradients that belong to it.
#[test]
fn another_interval_is_mapped() {
    let unit = kernel(0.7, 1.3);
    let other = unit.clone().between(2.0, 6.0).unwrap();
    for (s, t) in [(0.0, 0.3), (0.2, 0.9), (1.0, 0.5)] {
        let expected = unit.eval(&[s], &[t]);
        assert!((other.eval(&[2.0 + 4.0 * s], &[2.0 + 4.0 * t]) - expected).abs() < 1e-15);
    }
    let x = Points::from_flat(vec![2.0, 2.5, 3.7, 6.0, 5.9], 1);
    contract::check(&other, x.as_ref(), &mut Seed(1).stream("features", 0)).unwrap();
    for (low, target) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(unit.clone().between(low, target).is_err());
    }
}

#[test]
fn parameters_are_named_and_checked() {
    let mut kernel = kernel(0.5, 2.0);
    let names: Vec<String> = kernel.params().into_iter().map(|param| param.name).collect();
    assert_eq!(names, ["alpha", "beta"]);
    kernel.set_params(&[3.0, 4.0]);
    assert_eq!(kernel, ExponentialDecay::new(3.0, 4.0).unwrap());
    let text = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<ExponentialDecay>(&text).unwrap(), kernel);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = ExponentialDecay::new(1.0, value).unwrap_err().to_string();
        assert!(error.contains("beta is") && ExponentialDecay::new(value, 1.0).is_err(), "{error}");
    }
}

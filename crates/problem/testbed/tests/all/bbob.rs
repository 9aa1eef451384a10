//! BBOB functions: values of the COCO platform, laws of the optimum, distributions of the noise.

use proptest::prelude::*;
use serde_json::Value;
use thrifty_sampling::Seed;
use thrifty_testbed::{Bbob, BbobError, BbobNoise, NoisyBbob, Problem, TestFunction};

const GOLDEN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/bbob.json"));

fn golden() -> Value {
    serde_json::from_str(GOLDEN).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Number, dimension and instance of a row.
fn keys(row: &Value) -> (u8, usize, u32) {
    let key = |name: &str| row[name].as_u64().unwrap();
    (key("function") as u8, key("dim") as usize, key("instance") as u32)
}

#[test]
fn values_are_those_of_the_coco_platform() {
    let golden = golden();
    let rows = golden["noiseless"].as_array().unwrap();
    assert_eq!(rows.len(), 24 * 3 * 2);
    for row in rows {
        let (number, dim, instance) = keys(row);
        let function = Bbob::new(number, dim, instance).unwrap();
        let points = golden["points"][dim.to_string()].as_array().unwrap();
        for (x, expected) in points.iter().map(numbers).zip(numbers(&row["values"])) {
            let found = function.value(&x);
            let off = (found - expected).abs() / expected.abs().max(1.0);
            assert!(off < 1e-10, "{function:?} at {x:?}: {found}, expected {expected}");
        }
    }
}

/// The penalty of f4, `100 Σ max(0, |x_i| - 5)²`, far outside of the box.
///
/// There the rest is `z_0² + O(1)` with `z_0 = T_osz(x_0 - x_opt)` for the first variable below its optimum, and `|T_osz(y) / y|` is within
/// `exp(±0.098)`: the value divided by `x_0²` tends to a number between 100.8 and 101.3. Source: Hansen et al. (2009).
#[test]
fn the_penalty_of_f4_has_weight_100() {
    for (dim, instance) in [(2, 1), (3, 7), (5, 4)] {
        let function = Bbob::new(4, dim, instance).unwrap();
        for distance in [1e6, 1e7, 3e8] {
            let mut x = function.optimizer().to_vec();
            x[0] = -distance;
            let ratio = function.excess(&x) / (distance * distance);
            assert!((100.8..101.3).contains(&ratio), "{ratio} at {distance} in {dim} dimensions");
        }
    }
}

/// Draws of a model for an excess of 1, without the constant.
fn draws(noise: BbobNoise) -> Vec<f64> {
    (0..10_000).map(|id| noise.sample(1.0, &mut Seed(5).stream("noise", id)) - 1.01e-8).collect()
}

/// Bounds are five standard errors.
#[test]
fn noise_has_its_distribution() {
    let share = |values: &[f64], test: &dyn Fn(f64) -> bool| {
        values.iter().filter(|v| test(**v)).count() as f64 / values.len() as f64
    };
    let logs: Vec<f64> = draws(BbobNoise::Gaussian { beta: 0.5 }).iter().map(|v| v.ln()).collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let variance = logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / logs.len() as f64;
    assert!(mean.abs() < 0.025 && (variance.sqrt() - 0.5).abs() < 0.018, "{mean} {variance}");
    // U 10^(9 alpha U') with 9 alpha = 1: P(U 10^U' < 1) = ∫ 10^-u du = 0.9 / ln 10.
    let uniform = draws(BbobNoise::Uniform { alpha: 1.0 / 9.0, beta: 1.0 });
    let below = share(&uniform, &|v| v < 1.0);
    assert!((below - 0.9 / 10_f64.ln()).abs() < 0.025, "{below}");
    // An outlier is Cauchy: half of them are more than the scale away.
    let cauchy = draws(BbobNoise::Cauchy { alpha: 2.0, p: 0.2 });
    let away = |least: f64| share(&cauchy, &|v| (v - 2001.0).abs() > least);
    assert!(
        (away(1e-9) - 0.2).abs() < 0.02 && (away(2.0) - 0.1).abs() < 0.015,
        "{} {}",
        away(1e-9),
        away(2.0)
    );
}

#[test]
fn noisy_functions_share_instances_with_their_relatives() {
    let x = [1.0, -2.5, 3.0, 0.5, -4.0];
    for (noisy, plain) in [(101, 1), (105, 8), (114, 7), (121, 14), (122, 17), (130, 21)] {
        let (noisy, plain) = (NoisyBbob::new(noisy, 5, 4).unwrap(), Bbob::new(plain, 5, 4).unwrap());
        assert_eq!(noisy.noiseless().value(&x), plain.value(&x), "{noisy:?}");
        assert_eq!(noisy.regret(&TestFunction::config(&x)), plain.regret(&TestFunction::config(&x)));
    }
    // Ten times lower than its relative.
    let (noisy, plain) = (NoisyBbob::new(125, 5, 4).unwrap(), Bbob::new(19, 5, 4).unwrap());
    let ratio = plain.excess(&x) / noisy.noiseless().excess(&x);
    assert!((ratio - 10.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn noise_stays_away_from_the_optimum() {
    let mut rng = Seed(0).stream("noise", 0);
    for noise in [
        BbobNoise::Gaussian { beta: 1.0 },
        BbobNoise::Uniform { alpha: 0.69, beta: 1.0 },
        BbobNoise::Cauchy { alpha: 1.0, p: 0.2 },
    ] {
        assert_eq!((noise.sample(0.0, &mut rng), noise.sample(9e-9, &mut rng)), (0.0, 9e-9));
        assert!((0..1000).all(|_| noise.sample(1e12, &mut rng) >= 0.0));
    }
}

#[test]
fn unknown_functions_are_named() {
    let said = |error: BbobError| error.to_string();
    assert_eq!(said(Bbob::new(25, 5, 1).unwrap_err()), "function 25 is not in the testbed, expected 1 to 24");
    assert_eq!(
        said(NoisyBbob::new(100, 5, 1).unwrap_err()),
        "function 100 is not in the testbed, expected 101 to 130"
    );
    assert_eq!(said(Bbob::new(1, 1, 1).unwrap_err()), "1 variables, expected at least 2");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_below_the_optimum(
        number in 1_u8..=24,
        instance in 1_u32..200,
        x in prop::collection::vec(-5.0_f64..5.0, 2..8),
    ) {
        let function = Bbob::new(number, x.len(), instance).unwrap();
        let at = function.optimizer().to_vec();
        prop_assert!(at.iter().all(|x| x.abs() <= 5.0));
        prop_assert!(function.excess(&at).abs() < 1e-8, "{} at the optimum", function.excess(&at));
        prop_assert!(function.excess(&x) >= -1e-8);
        // Beside the optimum, too, where a misplaced one would be found.
        for step in [1e-3, 1e-2, 0.1] {
            let beside: Vec<f64> = at.iter().zip(&x).map(|(a, x)| a + step * (x - a)).collect();
            prop_assert!(function.excess(&beside) >= -1e-8, "{} beside the optimum", function.excess(&beside));
        }
        let config = TestFunction::config(&x);
        prop_assert_eq!(function.truth(&config).unwrap(), function.value(&x));
    }

    #[test]
    fn noisy_evaluations_are_finite(
        number in 101_u8..=130,
        instance in 1_u32..50,
        x in prop::collection::vec(-5.0_f64..5.0, 2..6),
    ) {
        let function = NoisyBbob::new(number, x.len(), instance).unwrap();
        let outcome = function.evaluate(&TestFunction::config(&x), &mut Seed(1).stream("noise", 0));
        prop_assert!(outcome.measurement().unwrap().objectives[0] >= function.optimum());
        prop_assert!(function.regret(&TestFunction::config(&x)).unwrap() >= -1e-8);
    }
}

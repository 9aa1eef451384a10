//! Functional analysis of variance: functions whose shares are known, laws, and edges.

use proptest::prelude::*;
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_trees::{FeatureDistribution, Forest, ForestSettings, Table, TreesError};

const UNIT: FeatureDistribution = FeatureDistribution::Uniform { low: 0.0, high: 1.0 };

/// A forest on n points of a Latin hypercube.
fn forest(n: usize, dim: usize, trees: usize, f: impl Fn(&[f64]) -> f64) -> Forest {
    let x = latin_hypercube(n, dim, &mut Seed(1).stream("design", 0));
    let y: Vec<f64> = x.rows().map(f).collect();
    let features = x.rows().flatten().map(|x| *x as f32).collect();
    let table = Table::new(features, dim, 4096).unwrap();
    let settings = ForestSettings { trees, features: Some(dim), min_leaf: 1, ..ForestSettings::default() };
    Forest::fit(&table, &y, &settings, Seed(2), 2).unwrap()
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance);
    assert!(found.len() == expected.len() && near, "{found:?}, expected {expected:?}");
}

/// Var(c x) = c²/12 on the unit interval: 3x + 4y has shares 9/25 and 16/25.
#[test]
fn additive_functions_have_the_shares_of_their_terms() {
    let forest = forest(4000, 3, 8, |x| 3.0 * x[0] + 4.0 * x[1]);
    let found = forest.importance(&[UNIT, UNIT, UNIT]).unwrap();
    close(&found.main, &[0.36, 0.64, 0.0], 0.01);
    assert_eq!(found.trees, 8);
    assert!(found.std_dev.iter().all(|s| *s < 0.02), "{found:?}");
    assert!(forest.interaction((0, 1), &[UNIT, UNIT, UNIT]).unwrap() < 0.01);
}

/// (x - 1/2)(y - 1/2) is interaction alone; x y has 3/7, 3/7 and 1/7.
#[test]
fn products_have_the_share_of_their_interaction() {
    let pure = forest(4000, 2, 4, |x| (x[0] - 0.5) * (x[1] - 0.5));
    close(&pure.importance(&[UNIT, UNIT]).unwrap().main, &[0.0, 0.0], 0.02);
    assert!(pure.interaction((1, 0), &[UNIT, UNIT]).unwrap() > 0.96);
    let product = forest(4000, 2, 4, |x| x[0] * x[1]);
    close(&product.importance(&[UNIT, UNIT]).unwrap().main, &[3.0 / 7.0, 3.0 / 7.0], 0.01);
    assert!((product.interaction((0, 1), &[UNIT, UNIT]).unwrap() - 1.0 / 7.0).abs() < 0.01);
}

/// A step of height 1 at 1/4 in the first feature and one of height 2 at 1/2 in the second: variances h² p (1 - p).
#[test]
fn steps_have_the_variances_of_their_heights() {
    let (x, y): (Vec<f32>, Vec<f64>) = {
        let rows: Vec<(f32, f32)> =
            (0..16).map(|i| ((i % 4) as f32 / 4.0 + 0.125, (i / 4) as f32 / 4.0 + 0.125)).collect();
        let target =
            |(a, b): &(f32, f32)| f64::from(u8::from(*a > 0.25)) + 2.0 * f64::from(u8::from(*b > 0.5));
        (rows.iter().flat_map(|row| [row.0, row.1]).collect(), rows.iter().map(target).collect())
    };
    let table = Table::new(x, 2, 16).unwrap();
    let settings = ForestSettings { trees: 300, features: Some(2), min_leaf: 1, ..ForestSettings::default() };
    let forest = Forest::fit(&table, &y, &settings, Seed(5), 1).unwrap();
    // Bootstrap samples miss some of the sixteen rows, which moves borders.
    let found = forest.importance(&[UNIT, UNIT]).unwrap();
    let (first, second) = (3.0 / 16.0, 1.0);
    close(&found.main, &[first / (first + second), second / (first + second)], 0.05);
    // Over the right three quarters the first feature does not vary.
    let right = FeatureDistribution::Uniform { low: 0.5, high: 1.0 };
    assert!(forest.importance(&[right, UNIT]).unwrap().main[0] < 0.01);
    // Values of which three quarters lie on the right are the same distribution.
    let values = FeatureDistribution::Values(vec![0.125, 0.375, 0.625, 0.875]);
    let by_values = forest.importance(&[values, UNIT]).unwrap();
    close(&by_values.main, &found.main, 1e-12);
}

#[test]
fn one_feature_has_all_of_the_variance_and_scale_does_not_matter() {
    for (scale, offset) in [(1.0, 0.0), (1e-12, 0.0), (1e12, -1e12)] {
        let forest = forest(50, 1, 20, |x| offset + scale * (9.0 * x[0]).sin());
        let found = forest.importance(&[UNIT]).unwrap();
        close(&found.main, &[1.0], 1e-9);
        close(&found.std_dev, &[0.0], 1e-9);
    }
}

#[test]
fn forests_without_variance_and_impossible_distributions_are_errors() {
    let constant = forest(20, 2, 5, |_| 3.0);
    assert_eq!(constant.importance(&[UNIT, UNIT]), Err(TreesError::Constant));
    assert_eq!(constant.interaction((0, 1), &[UNIT, UNIT]), Err(TreesError::Constant));
    // Six times a sixth is not 1.
    let six = || FeatureDistribution::Values((0..6).map(|i| i as f32 / 6.0).collect());
    assert_eq!(constant.importance(&[six(), six()]), Err(TreesError::Constant));
    assert_eq!(constant.interaction((0, 1), &[six(), six()]), Err(TreesError::Constant));
    let one = forest(1, 2, 5, |x| x[0]);
    assert_eq!(one.importance(&[UNIT, UNIT]), Err(TreesError::Constant));
    let varying = forest(20, 2, 5, |x| x[0]);
    assert!(matches!(varying.importance(&[UNIT]), Err(TreesError::Input(_))));
    assert!(matches!(varying.interaction((0, 0), &[UNIT, UNIT]), Err(TreesError::Input(_))));
    assert!(matches!(varying.interaction((0, 2), &[UNIT, UNIT]), Err(TreesError::Input(_))));
    for pair in [(0, 7), (7, 0), (7, 1)] {
        let error = varying.interaction(pair, &[UNIT, UNIT]).unwrap_err().to_string();
        assert!(error.starts_with("feature is 7"), "{pair:?}: {error}");
    }
    for bad in [
        FeatureDistribution::Uniform { low: 1.0, high: 1.0 },
        FeatureDistribution::Uniform { low: 0.0, high: f32::INFINITY },
        FeatureDistribution::Uniform { low: f32::NAN, high: 1.0 },
        FeatureDistribution::Values(vec![]),
        FeatureDistribution::Values(vec![0.0, f32::NAN]),
    ] {
        let error = varying.importance(&[UNIT, bad]).unwrap_err();
        assert_eq!(error, TreesError::Distribution { column: 1 });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Shares are not negative, and those of two features with their interaction are the whole variance.
    #[test]
    fn shares_of_two_features_and_their_interaction_sum_to_one(seed in 0_u64..1000, n in 5_usize..80) {
        let mut rng = Seed(seed).stream("data", 0);
        let features: Vec<f32> = (0..2 * n).map(|_| (8.0 * rng.uniform()).floor() as f32 / 8.0).collect();
        let y: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
        let table = Table::new(features, 2, 64).unwrap();
        let settings = ForestSettings { trees: 6, min_leaf: 1, ..ForestSettings::default() };
        let forest = Forest::fit(&table, &y, &settings, Seed(seed), 1).unwrap();
        let domain = [UNIT, FeatureDistribution::Values(vec![0.0, 0.25, 0.5, 0.6])];
        if let Ok(found) = forest.importance(&domain) {
            prop_assert!(found.main.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share)));
            let both = forest.interaction((0, 1), &domain).unwrap();
            prop_assert!((found.main.iter().sum::<f64>() + both - 1.0).abs() < 1e-9);
            prop_assert!((both - forest.interaction((1, 0), &domain).unwrap()).abs() < 1e-9);
        }
    }
}

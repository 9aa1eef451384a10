//! Criteria for level sets: against 40 digits, against their definitions by quadrature, and at the edges.

use proptest::prelude::*;
use serde_json::Value;
use thrifty_acquisition::{
    Acquisition, AcquisitionError, BernoulliEntropy, BernoulliVariance, BoundaryInformation,
    ExpectedFeasibility, ExpectedReduction, ExpectedUtility, Integrated, IntegratedBernoulli,
    LogBernoulliEntropy, LogBernoulliVariance, MisclassifiedVolume, PointState, RandomizedStraddle,
    RanjanImprovement, Robust, Straddle, SuperlevelVolume, TargetedMeanSquaredError, TargetedVariance,
    ThresholdField, TruncatedVariance, Utility,
};
use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_prob::{cdf, owen_t, pdf};
use thrifty_sampling::{Seed, Sobol};
use thrifty_surrogate::{JointPosterior, Posterior, Prediction};

fn golden() -> Value {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/levelset.json"));
    serde_json::from_str(text).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).expect("a number")
}

fn close(found: f64, truth: f64, tolerance: f64) -> bool {
    found == truth || (found - truth).abs() <= tolerance * truth.abs().max(1e-290)
}

#[test]
fn pointwise_criteria() {
    let file = golden();
    let rows = file["level_set_pointwise"]["cases"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let [mean, sigma, threshold] = ["mu", "sigma", "threshold"].map(|name| number(&row[name]));
        let z = (mean - threshold) / sigma;
        let entropy = BernoulliEntropy { threshold };
        let variance = BernoulliVariance { threshold };
        for (name, found) in [
            ("straddle_196", Straddle { threshold, kappa: 1.96 }.value(mean, sigma)),
            ("ambiguity_beta_1p96", Straddle { threshold, kappa: 1.96 }.value(mean, sigma)),
            ("bernoulli_var", variance.value(mean, sigma)),
            ("bernoulli_var", LogBernoulliVariance { threshold }.value(mean, sigma).exp()),
            ("bernoulli_entropy_nats", entropy.value(mean, sigma)),
            ("bernoulli_entropy_nats", LogBernoulliEntropy { threshold }.value(mean, sigma).exp()),
            (
                "expected_feasibility_egra_eps2s",
                ExpectedFeasibility { threshold, alpha: 2.0 }.value(mean, sigma),
            ),
            ("ranjan_alpha2", RanjanImprovement { threshold, alpha: 2.0 }.value(mean, sigma)),
            ("tmse", TargetedMeanSquaredError { threshold, bandwidth: 0.0 }.value(mean, sigma)),
        ] {
            // z carries the rounding of its difference and quotient, which the tail magnifies by z².
            let tolerance = 2e-15 * (1.0 + z * z);
            // At z = 30 the file's 1 - p was rounded to 1: its entropy is -q ln q, without -(1 - q) ln(1 - q) = q.
            let left_out = if name == "bernoulli_entropy_nats" && z == 30.0 { cdf(-z) } else { 0.0 };
            let found = found - left_out;
            assert!(close(found, number(&row[name]), tolerance), "{name} of {row}: {found}");
        }
    }
}

#[test]
fn expected_variance_and_misclassification_after_an_observation() {
    let file = golden();
    let rows = file["sur_bernoulli_lookahead"]["cases"].as_array().expect("rows");
    assert_eq!(rows.len(), 7);
    for row in rows {
        let (u, rho) = (number(&row["u"]), number(&row["rho"]));
        let seen = PointState { standardized: u, std_dev: 1.0 };
        let after = cdf(u) * cdf(-u) - IntegratedBernoulli::default().gain(seen, rho);
        assert!(close(after, number(&row["exp_bernoulli_var_after"]), 1e-13), "{row}: {after}");
        if let Some(truth) = row.get("exp_misclass_after_quad").filter(|v| !v.is_null()) {
            let after = cdf(-u.abs()) - MisclassifiedVolume.gain(seen, rho);
            assert!(close(after, number(truth), 1e-13), "{row}: {after}");
        }
    }
}

fn pointwise(threshold: f64) -> Vec<(&'static str, Box<dyn Utility>)> {
    vec![
        ("straddle", Box::new(Straddle { threshold, kappa: 1.96 })),
        ("randomised straddle", Box::new(RandomizedStraddle { threshold, beta: 4.0 })),
        ("expected feasibility", Box::new(ExpectedFeasibility { threshold, alpha: 2.0 })),
        ("ranjan", Box::new(RanjanImprovement { threshold, alpha: 2.0 })),
        ("targeted error", Box::new(TargetedMeanSquaredError { threshold, bandwidth: 0.0 })),
        ("targeted error, wide", Box::new(TargetedMeanSquaredError { threshold, bandwidth: 0.7 })),
        ("variance", Box::new(BernoulliVariance { threshold })),
        ("log variance", Box::new(LogBernoulliVariance { threshold })),
        ("entropy", Box::new(BernoulliEntropy { threshold })),
        ("log entropy", Box::new(LogBernoulliEntropy { threshold })),
    ]
}

proptest! {
    #[test]
    fn slopes_are_slopes_and_sides_are_alike(margin in 0.02..6.0_f64, std_dev in 0.2..3.0_f64, above in any::<bool>()) {
        let threshold = 0.4;
        let mean = if above { threshold + margin } else { threshold - margin };
        for (name, utility) in pointwise(threshold) {
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, std_dev);
            prop_assert_eq!(value, utility.value(mean, std_dev));
            let mirrored = utility.value(2.0 * threshold - mean, std_dev);
            // The mirrored mean is rounded, and so is the distance to the threshold: near a zero of the utility that is all that is left.
            let rounding = 8.0 * f64::EPSILON * (1.0 + mean.abs()) * by_mean.abs();
            prop_assert!((value - mirrored).abs() <= 1e-12 * value.abs().max(1e-12) + rounding, "{}", name);
            // The kink of the clamp is no place for a difference.
            if name == "randomised straddle" && (2.0 * std_dev - margin).abs() < 1e-3 {
                continue;
            }
            let step = 1e-6;
            let difference = |a: f64, b: f64| (a - b) / (2.0 * step);
            let of_mean = difference(utility.value(mean + step, std_dev), utility.value(mean - step, std_dev));
            let of_std_dev = difference(utility.value(mean, std_dev + step), utility.value(mean, std_dev - step));
            let scale = 1e-7 * (1.0 + value.abs() + by_mean.abs() + by_std_dev.abs());
            prop_assert!((of_mean - by_mean).abs() <= scale, "{name}: {of_mean} {by_mean}");
            prop_assert!((of_std_dev - by_std_dev).abs() <= scale, "{name}: {of_std_dev} {by_std_dev}");
        }
    }

    #[test]
    fn feasibility_is_the_expectation_it_says(mean in -3.0..3.0_f64, std_dev in 0.1..2.0_f64) {
        let (threshold, alpha) = (0.3, 2.0);
        let epsilon = alpha * std_dev;
        let nodes = 20_001;
        let linear = ExpectedUtility::new(|v: f64| (epsilon - (v - threshold).abs()).max(0.0)).with_nodes(nodes).unwrap();
        let square = ExpectedUtility::new(|v: f64| (epsilon * epsilon - (v - threshold).powi(2)).max(0.0))
            .with_nodes(nodes).unwrap();
        let linear_error = ExpectedFeasibility { threshold, alpha }.value(mean, std_dev) - linear.value(mean, std_dev);
        let square_error = RanjanImprovement { threshold, alpha }.value(mean, std_dev) - square.value(mean, std_dev);
        prop_assert!(linear_error.abs() < 1e-6 && square_error.abs() < 1e-5);
    }

    /// By quadrature over the outcome, and Owen's T.
    #[test]
    fn gains_are_expected_gains(u in -3.5..3.5_f64, rho in 0.01..0.97_f64) {
        let seen = PointState { standardized: u, std_dev: 2.0 };
        let after = |z: f64| (u + rho.sqrt() * z) / (1.0 - rho).sqrt();
        let steps = 40_000;
        let width = 18.0 / f64::from(steps);
        let expectation = |of: &dyn Fn(f64) -> f64| -> f64 {
            (0..steps).map(|k| -9.0 + (f64::from(k) + 0.5) * width).map(|z| pdf(z) * of(after(z)) * width).sum()
        };
        let variance = cdf(u) * cdf(-u) - expectation(&|u| cdf(u) * cdf(-u));
        let wrong = cdf(-u.abs()) - expectation(&|u| cdf(-u.abs()));
        let sur = IntegratedBernoulli::default();
        prop_assert!((sur.gain(seen, rho) - variance).abs() < 1e-8, "{} {}", sur.gain(seen, rho), variance);
        let entropy = |u: f64| BernoulliEntropy { threshold: 0.0 }.value(u, 1.0);
        let told = entropy(u) - expectation(&entropy);
        let information = BoundaryInformation::default();
        prop_assert!((information.gain(seen, rho) - told).abs() < 1e-8, "{} {told}", information.gain(seen, rho));
        let kappa = 1.5;
        let counted = expectation(&|u| f64::from(u > kappa)) - f64::from(u > kappa);
        let volume = SuperlevelVolume { kappa };
        prop_assert!((volume.gain(seen, rho) - counted).abs() < 3e-4, "{} {counted}", volume.gain(seen, rho));
        prop_assert!((MisclassifiedVolume.gain(seen, rho) - wrong).abs() < 1e-7, "{} {wrong}", MisclassifiedVolume.gain(seen, rho));
        let a = ((1.0 - rho) / (1.0 + rho)).sqrt();
        prop_assert!((cdf(u) * cdf(-u) - 2.0 * owen_t(u, a) - sur.gain(seen, rho)).abs() < 1e-15);
    }

    #[test]
    fn gains_rise_with_what_is_explained(u in -8.0..8.0_f64, rho in 1e-6..0.999_f64) {
        let seen = PointState { standardized: u, std_dev: 2.0 };
        let density = pdf(2.0 * u / 5_f64.sqrt()) / 5_f64.sqrt();
        let gains: [(&dyn ExpectedReduction, f64); 5] = [
            (&IntegratedBernoulli::default(), cdf(u) * cdf(-u)),
            (&MisclassifiedVolume, cdf(-u.abs())),
            (&BoundaryInformation::default(), BernoulliEntropy { threshold: 0.0 }.value(u, 1.0)),
            (&TargetedVariance { bandwidth: 1.0 }, 4.0 * density),
            (&TruncatedVariance { beta: 9.0, eta: 0.0 }, 36.0),
        ];
        for (gain, all) in gains {
            prop_assert_eq!(gain.gain(seen, 0.0), 0.0);
            prop_assert!((gain.gain(seen, 1.0) - all).abs() <= 1e-15 * (1.0 + all));
            let step = 1e-4 * rho.min(1.0 - rho);
            let (low, high) = (gain.gain(seen, rho - step), gain.gain(seen, rho + step));
            let slope = gain.slope(seen, rho);
            prop_assert!(high >= low - 1e-15 * all.max(1e-3) && slope >= 0.0);
            prop_assert!(((high - low) / (2.0 * step) - slope).abs() <= 1e-5 * slope + 1e-16 * (1.0 + all) / step, "{rho} {} {slope}", (high - low) / (2.0 * step));
        }
    }
}

fn posterior(n: usize) -> GpPosterior<Scaled<Matern52>> {
    let mut rng = Seed(4).stream("data", 0);
    let (mut x, mut y) = (Points::new(2), Vec::new());
    for _ in 0..n {
        let point = [rng.uniform(), rng.uniform()];
        x.push(&point);
        y.push((7.0 * point[0]).sin() + 2.0 * (point[1] - 0.4).powi(2) + 0.1 * rng.uniform());
    }
    Gp::matern52(2).fit(x.as_ref(), &y, &mut Seed(4).stream("fit", 0)).unwrap()
}

fn points(count: usize) -> Points {
    Sobol::scrambled(2, &mut Seed(9).stream("points", 0)).take(count)
}

/// The definition: condition on outcomes and see what the integral becomes.
#[test]
fn sums_are_what_conditioning_gives() {
    let (now, field, noise) = (posterior(8), points(40), 0.05);
    let of = |p: &dyn Posterior, each: &dyn Fn(f64) -> f64| -> f64 {
        let one = |x: &[f64]| {
            let Prediction { mean, variance } = p.predict(x);
            each((mean - 0.3) / variance.sqrt())
        };
        field.rows().map(one).sum::<f64>() / field.len() as f64
    };
    let threshold_field = ThresholdField::new(&now, field.as_ref(), None, 0.3).unwrap();
    let variance = |u: f64| cdf(u) * cdf(-u);
    let wrong = |u: f64| cdf(-u.abs());
    assert!((threshold_field.bernoulli_variance() - of(&now, &variance)).abs() < 1e-14);
    assert!((threshold_field.misclassified() - of(&now, &wrong)).abs() < 1e-14);
    let sur = Integrated::over(&threshold_field, IntegratedBernoulli::default(), &now, noise).unwrap();
    let volume = Integrated::over(&threshold_field, MisclassifiedVolume, &now, noise).unwrap();
    for x in [[0.6, 0.4], [0.1, 0.9]] {
        let Prediction { mean, variance: latent } = now.predict(&x);
        let (mut falls, steps) = ([0.0; 2], 400);
        for k in 0..steps {
            let z = -8.0 + 16.0 * (f64::from(k) + 0.5) / f64::from(steps);
            let y = mean + (latent + noise).sqrt() * z;
            let known = (noise - now.noise_variance()).max(0.0);
            let next = now.with_noisy_observations(PointsRef::single(&x), &[y], &[known]).unwrap();
            let weight = pdf(z) * 16.0 / f64::from(steps);
            falls[0] += weight * (of(&now, &variance) - of(&next, &variance));
            falls[1] += weight * (of(&now, &wrong) - of(&next, &wrong));
        }
        assert!((sur.value(&x) - falls[0]).abs() < 1e-9, "{} {}", sur.value(&x), falls[0]);
        // Here the integrand has kinks.
        assert!((volume.value(&x) - falls[1]).abs() < 1e-5, "{} {}", volume.value(&x), falls[1]);
    }
}

/// Both points at once gain what the first gains and then the second beside it; the order does not matter.
#[test]
fn batches_add_up() {
    let (now, noise) = (posterior(8), 0.05);
    let field = ThresholdField::new(&now, points(60).as_ref(), None, 0.3).unwrap();
    let (a, b) = ([0.6, 0.4], [0.52, 0.3]);
    let known = (noise - now.noise_variance()).max(0.0);
    let after = |x: &[f64; 2]| {
        let Prediction { mean, .. } = now.predict(x);
        now.with_noisy_observations(PointsRef::single(x), &[mean], &[known]).unwrap()
    };
    let gain = |p: &dyn JointPosterior, x: &[f64; 2]| {
        Integrated::over(&field, IntegratedBernoulli::default(), p, noise).unwrap().value(x)
    };
    let one = gain(&now, &a) + gain(&after(&a), &b);
    let other = gain(&now, &b) + gain(&after(&b), &a);
    assert!((one - other).abs() < 1e-11, "{one} {other}");
    assert!(gain(&after(&a), &b) < gain(&now, &b), "what is pending is not told twice");
    assert!(gain(&after(&a), &a) > 0.0);
}

#[test]
fn gradients_match_differences() {
    let (now, noise) = (posterior(12), 0.01);
    let field = ThresholdField::new(&now, points(50).as_ref(), None, 0.3).unwrap();
    let pending = now.with_observation(&[0.3, 0.3], 0.2).unwrap();
    let volume = |field: &ThresholdField, gamma: f64| {
        let volume = Integrated::over(field, SuperlevelVolume { kappa: 1.96 }, &now, noise).unwrap();
        volume.map(|utility| Robust { utility, gamma })
    };
    let acquisitions: Vec<Box<dyn Acquisition>> = vec![
        Box::new(Integrated::over(&field, IntegratedBernoulli::default(), &now, noise).unwrap()),
        Box::new(Integrated::over(&field, IntegratedBernoulli::default(), &pending, noise).unwrap()),
        Box::new(Integrated::over(&field, MisclassifiedVolume, &now, noise).unwrap()),
        Box::new(Integrated::over(&field, TargetedVariance { bandwidth: 0.1 }, &now, noise).unwrap()),
        Box::new(Integrated::over(&field, TruncatedVariance { beta: 4.0, eta: 0.1 }, &now, noise).unwrap()),
        Box::new(Integrated::over(&field, BoundaryInformation::default(), &now, noise).unwrap()),
        Box::new(volume(&field, 1e-8)),
        Box::new(volume(&field, 1e3)),
    ];
    for (which, acquisition) in acquisitions.iter().enumerate() {
        for x in [[0.31, 0.77], [0.9, 0.15], [0.05, 0.4]] {
            let (mut value, mut gradient) = ([0.0], [0.0; 2]);
            assert!(acquisition.values_with_gradients_into(PointsRef::single(&x), &mut value, &mut gradient));
            assert!((value[0] - acquisition.value(&x)).abs() <= 1e-15);
            for k in 0..2 {
                let (mut low, mut high) = (x, x);
                low[k] -= 1e-5;
                high[k] += 1e-5;
                let slope = (acquisition.value(&high) - acquisition.value(&low)) / 2e-5;
                assert!(
                    (slope - gradient[k]).abs() <= 1e-6 * (1e-3 + slope.abs()),
                    "{which}: {slope} {}",
                    gradient[k]
                );
            }
        }
    }
}

#[test]
fn points_far_from_the_threshold_are_left_out_within_a_bound() {
    let now = posterior(40);
    let all = ThresholdField::new(&now, points(400).as_ref(), None, 0.3).unwrap();
    let near = all.clone().near(2.0);
    assert!(near.len() < all.len() && near.neglected() > 0.0);
    assert!((near.bernoulli_variance() + near.neglected() - all.bernoulli_variance()).abs() < 1e-13);
    let value = |field: &ThresholdField| {
        Integrated::over(field, IntegratedBernoulli::default(), &now, 1e-4).unwrap().value(&[0.4, 0.4])
    };
    let (full, part) = (value(&all), value(&near));
    assert!(part <= full + 1e-15 && full - part <= near.neglected(), "{part} {full}");
    let thin = all.clone().thinned(100);
    assert_eq!(thin.len(), 100);
    assert!((thin.weights().iter().sum::<f64>() - all.weights().iter().sum::<f64>()).abs() < 1e-12);
    // A threshold far from all values keeps all of them.
    let far = ThresholdField::new(&now, points(50).as_ref(), None, 1e9).unwrap().near(5.0);
    assert_eq!(far.len(), 50);
    assert_eq!(far.bernoulli_variance(), 0.0);
}

#[test]
fn edges() {
    for (name, utility) in pointwise(0.5) {
        for (mean, std_dev) in
            [(0.5, 0.0), (0.7, 0.0), (1e12, 1e-12), (-1e12, 1e-12), (0.5, 1e12), (0.5, 1e-300)]
        {
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, std_dev);
            assert!(!value.is_nan() && !by_mean.is_nan() && !by_std_dev.is_nan(), "{name} {mean} {std_dev}");
            assert!(name.starts_with("log") || value.is_finite(), "{name} {mean} {std_dev}");
        }
    }
    let now = posterior(6);
    let one = Points::from_rows(&[[0.5, 0.5]]).unwrap();
    let error = |points: &Points, weights: Option<&[f64]>, threshold: f64| {
        ThresholdField::new(&now, points.as_ref(), weights, threshold).unwrap_err()
    };
    assert!(matches!(
        error(&one, None, f64::NAN),
        AcquisitionError::Input(InputError::Number { name: "threshold", .. })
    ));
    assert!(matches!(
        error(&one, Some(&[-1.0]), 0.0),
        AcquisitionError::Input(InputError::Entry { name: "weight", .. })
    ));
    assert!(matches!(error(&one, Some(&[]), 0.0), AcquisitionError::Input(InputError::Length { .. })));
    assert!(matches!(error(&Points::new(2), None, 0.0), AcquisitionError::Input(InputError::Empty { .. })));
    assert!(matches!(
        error(&points_of_one_column(), None, 0.0),
        AcquisitionError::Input(InputError::Dimension { .. })
    ));
    let field = ThresholdField::new(&now, one.as_ref(), None, 0.3).unwrap();
    assert!(Integrated::over(&field, MisclassifiedVolume, &now, -1.0).is_err());
}

fn points_of_one_column() -> Points {
    Points::from_rows(&[[0.5]]).unwrap()
}

/// The deterministic ones: what conditioning does to the variances.
#[test]
fn variances_fall_as_conditioning_says() {
    let (now, points, noise, x) = (posterior(8), points(30), 0.05, [0.6, 0.4]);
    let known = (noise - now.noise_variance()).max(0.0);
    let next = now.with_noisy_observations(PointsRef::single(&x), &[0.7], &[known]).unwrap();
    let field = ThresholdField::new(&now, points.as_ref(), None, 0.3).unwrap();
    let (bandwidth, beta, eta) = (0.2, 4.0, 0.3);
    let (mut targeted, mut truncated) = (0.0, 0.0);
    for point in points.rows() {
        let (Prediction { mean, variance: before }, Prediction { variance: after, .. }) =
            (now.predict(point), next.predict(point));
        let spread = before.sqrt().hypot(bandwidth);
        targeted += pdf((mean - 0.3) / spread) / spread * (before - after) / 30.0;
        let left = |variance: f64| (beta * variance).max(eta * eta);
        truncated += (left(before) - left(after)) / 30.0;
    }
    let value = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected), "{found} {expected}");
    };
    value(Integrated::over(&field, TargetedVariance { bandwidth }, &now, noise).unwrap().value(&x), targeted);
    value(
        Integrated::over(&field, TruncatedVariance { beta, eta }, &now, noise).unwrap().value(&x),
        truncated,
    );
}

/// Every criterion on a field of nothing, of one point and of twins; and beside the point that is observed already.
#[test]
fn fields_at_the_edge() {
    let now = posterior(6);
    let empty = ThresholdField::new(&now, points(3).as_ref(), Some(&[0.0; 3]), 0.3).unwrap();
    let twins = Points::from_rows(&[[0.5, 0.5], [0.5, 0.5]]).unwrap();
    let single = Points::from_rows(&[[0.5, 0.5]]).unwrap();
    let value = |points: &Points, x: &[f64; 2]| {
        let field = ThresholdField::new(&now, points.as_ref(), None, 0.3).unwrap();
        Integrated::over(&field, BoundaryInformation::default(), &now, 0.0).unwrap().value(x)
    };
    assert!((value(&twins, &[0.1, 0.8]) - value(&single, &[0.1, 0.8])).abs() < 1e-16);
    // An observation without noise removes all entropy of its own point.
    let Prediction { mean, variance } = now.predict(&[0.5, 0.5]);
    let entropy = BernoulliEntropy { threshold: 0.3 }.value(mean, variance.sqrt());
    assert!((value(&single, &[0.5, 0.5]) - entropy).abs() < 1e-8);
    assert_eq!(
        Integrated::over(&empty, IntegratedBernoulli::default(), &now, 0.1).unwrap().value(&[0.2, 0.2]),
        0.0
    );
    assert_eq!(empty.bernoulli_variance(), 0.0);
}

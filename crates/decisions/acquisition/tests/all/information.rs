//! Information about the minimum: against 40 digits, against quadrature, laws and edges.

use proptest::prelude::*;
use serde_json::Value;
use thrifty_acquisition::{
    Acquisition, EntropySearch, Gibbon, Gumbel, JointEntropySearch, MaxValueEntropySearch, Minimizer,
    MinimizerDistribution, PathSearch, PredictiveEntropySearch, Utility, minima_among, minima_on,
    minimizers_on, thompson_among,
};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_prob::{cdf, pdf, truncated_variance};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, Posterior, Prediction};

const GOLDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/acquisitions.json"));

fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(number).collect()
}

fn assert_relative(found: f64, truth: f64, tolerance: f64, what: &str) {
    let error = if found == truth { 0.0 } else { (found - truth).abs() / truth.abs().max(1e-300) };
    assert!(error <= tolerance, "{what}: {found} against {truth}, off by {error}");
}

#[test]
fn max_value_and_gibbon() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    for case in golden["mes"]["cases"].as_array().unwrap() {
        let [mu, sigma, noise] = ["mu", "sigma", "noise_var"].map(|name| number(&case[name]));
        // The file maximises: mirrored.
        let minima: Vec<f64> = numbers(&case["max_samples"]).iter().map(|y| -y).collect();
        let mes = MaxValueEntropySearch::new(minima.clone()).unwrap();
        assert_relative(mes.value(-mu, sigma), number(&case["mes"]), 2e-14, "MES");
        for (minimum, part) in minima.iter().zip(numbers(&case["mes_parts"])) {
            // Below, the file's own logarithm of Φ has run out of digits: it lacks the part -ln Φ.
            if part < 1e-50 {
                continue;
            }
            let one = MaxValueEntropySearch::new(vec![*minimum]).unwrap();
            let z = (minimum + mu) / sigma;
            // Rounding of z, magnified by the tail.
            assert_relative(one.value(-mu, sigma), part, 2e-14 + 4e-16 * z * z, "a part of MES");
        }
        let gibbon = Gibbon::new(minima, noise).unwrap();
        assert_relative(gibbon.value(-mu, sigma), number(&case["gibbon_q1"]), 2e-14, "GIBBON");
    }
    for row in golden["mes"]["extreme"].as_array().unwrap() {
        let gamma = number(&row["gamma"]);
        let tolerance = 4e-15 + 4e-16 * gamma.max(0.0).powi(2);
        let mes = MaxValueEntropySearch::new(vec![0.0]).unwrap();
        assert_relative(mes.value(gamma, 1.0), number(&row["mes_term"]), tolerance, "a term of MES");
        assert_relative(truncated_variance(gamma), number(&row["trunc_var_ratio"]), 4e-15, "variance");
        let gibbon = Gibbon::new(vec![0.0], 0.0).unwrap();
        assert_relative(
            gibbon.value(gamma, 1.0),
            number(&row["gibbon_term_rho1"]),
            tolerance,
            "a GIBBON term",
        );
    }
}

#[test]
fn gumbel() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let case = &golden["mes_gumbel"];
    let mirrored: Vec<f64> = numbers(&case["mu"]).iter().map(|mu| -mu).collect();
    let fit = Gumbel::of_minimum(&mirrored, &numbers(&case["sigma"])).unwrap();
    assert_relative(-fit.location, number(&case["gumbel_a"]), 1e-14, "a");
    assert_relative(fit.scale, number(&case["gumbel_b"]), 1e-14, "b");
}

/// A posterior of six observations of a function on the square, and how noisy it takes them to be.
fn posterior(seed: u64, noise: f64) -> GpPosterior<Scaled<Matern52>> {
    let mut rng = Seed(seed).stream("data", 0);
    let x = Points::from_flat((0..12).map(|_| rng.uniform()).collect(), 2);
    let y: Vec<f64> =
        x.rows().map(|p| (6.0 * p[0]).sin() + (p[1] - 0.5).powi(2) + 0.2 * rng.uniform()).collect();
    let settings = GpSettings { noise: Noise::Fixed(noise), ..GpSettings::default() };
    Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap()
}

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Seed(seed).stream("points", 0);
    Points::from_flat((0..2 * count).map(|_| rng.uniform()).collect(), 2)
}

/// Mutual information of an outcome at x and which of two values is the smaller, by the trapezoidal rule.
fn of_two(posterior: &dyn JointPosterior, pair: &Points, x: &[f64], noise: f64) -> (f64, f64) {
    let mut all = pair.clone();
    all.push(x);
    let (mut mean, mut variance, mut c) = ([0.0; 3], [0.0; 3], [0.0; 9]);
    posterior.predict_into(all.as_ref(), &mut mean, &mut variance);
    posterior.covariance_into(all.as_ref(), &mut c);
    let difference = mean[0] - mean[1];
    let spread = c[0] + c[4] - 2.0 * c[1];
    let slope = (c[2] - c[5]) / (c[8] + noise).sqrt();
    let binary = |p: f64| -> f64 { [p, 1.0 - p].iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum() };
    let step = 1e-3;
    let after: f64 = (-9000..=9000)
        .map(|k| {
            let u = f64::from(k) * step;
            let left = (spread - slope * slope).max(0.0).sqrt();
            step * pdf(u) * binary(cdf(-(difference + slope * u) / left))
        })
        .sum();
    let before = binary(cdf(-difference / spread.sqrt()));
    (before, before - after)
}

#[test]
fn on_two_representers_the_searches_are_exact() {
    for (seed, noise) in [(1, 0.0), (2, 0.05), (3, 0.5)] {
        let posterior = posterior(seed, 1e-3);
        let pair = points(2, seed + 50);
        let law = || {
            let rng = &mut Seed(seed).stream("law", 0);
            MinimizerDistribution::new(&posterior, pair.as_ref(), noise, 4096, rng).unwrap()
        };
        let (es, pes) = (EntropySearch::new(law()), PredictiveEntropySearch::new(law()));
        for x in points(5, seed).rows().chain(pair.rows()) {
            let (before, truth) = of_two(&posterior, &pair, x, noise);
            assert!((law().entropy() - before).abs() < 2e-3, "{} {before}", law().entropy());
            assert!((es.value(x) - truth).abs() < 2e-3, "ES {} {truth}", es.value(x));
            assert!((pes.value(x) - truth).abs() < 2e-3, "PES {} {truth}", pes.value(x));
        }
    }
}

/// Gradients against differences; rounding of variances beside an observation is divided by the step.
fn assert_gradients(acquisition: &dyn Acquisition, at: PointsRef<'_>) -> Result<(), TestCaseError> {
    let (mut values, mut gradients) = (vec![0.0; at.len()], vec![0.0; at.len() * at.dim()]);
    prop_assert!(acquisition.values_with_gradients_into(at, &mut values, &mut gradients));
    for (i, x) in at.rows().enumerate() {
        prop_assert!((acquisition.value(x) - values[i]).abs() <= 1e-9 * (1.0 + values[i].abs()));
        for k in 0..at.dim() {
            let along = |offset: f64| {
                let mut moved = x.to_vec();
                moved[k] += offset;
                acquisition.value(&moved)
            };
            let step = 1e-5;
            let slope = (8.0 * (along(step) - along(-step)) - (along(2.0 * step) - along(-2.0 * step)))
                / (12.0 * step);
            let found = gradients[i * at.dim() + k];
            prop_assert!(
                (slope - found).abs() <= 2e-4 * (1.0 + slope.abs()),
                "{k} at {x:?}: {slope} {found}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn entropy_and_predictive_entropy_search_are_one(seed in 0_u64..1000, m in 1_usize..12, noise in 0.0..0.4_f64) {
        let posterior = posterior(seed, 1e-2);
        let representers = points(m, seed + 1);
        let law = || MinimizerDistribution::new(&posterior, representers.as_ref(), noise, 64, &mut Seed(seed).stream("law", 0)).unwrap();
        let (es, pes) = (EntropySearch::new(law()), PredictiveEntropySearch::new(law()));
        for x in points(4, seed + 2).rows().chain(representers.rows().take(2)) {
            let (one, other) = (es.value(x), pes.value(x));
            prop_assert!((one - other).abs() < 1e-10, "{one} {other}");
            prop_assert!((0.0..=(m as f64).ln() + 1e-12).contains(&one), "{one}");
        }
        let total: f64 = law().probabilities().iter().sum();
        prop_assert!((total - 1.0).abs() < 1e-12);
    }

    #[test]
    fn information_falls_with_noise_and_bounds_hold(
        mean in -3.0..3.0_f64, std_dev in 0.01..3.0_f64, noise in 0.0..1.0_f64, minima in prop::collection::vec(-4.0..0.0_f64, 1..6)
    ) {
        let mes = MaxValueEntropySearch::new(minima.clone()).unwrap().value(mean, std_dev);
        let exact = Gibbon::new(minima.clone(), 0.0).unwrap().value(mean, std_dev);
        let noisy = Gibbon::new(minima.clone(), noise).unwrap().value(mean, std_dev);
        let noisier = Gibbon::new(minima, noise + 0.1).unwrap().value(mean, std_dev);
        prop_assert!(mes >= exact - 1e-13 && exact >= noisy - 1e-13 && noisy >= noisier - 1e-13 && noisier >= 0.0);
        // At most the information of the observation about the value.
        prop_assert!(noisier <= 0.5 * (std_dev * std_dev / (noise + 0.1)).ln_1p() + 1e-12);
    }

    #[test]
    fn joint_entropy_and_batches_have_their_slopes(seed in 0_u64..1000, noise in 0.02..0.4_f64) {
        let posterior = posterior(seed, 1e-2);
        let (mut rng, search) = (Seed(seed).stream("paths", 0), PathSearch { raw: 64, climbs: 1 });
        let none = Points::new(2);
        let minimizers = minimizers_on(&posterior, &Domain::unit_cube(2), none.as_ref(), &search, 5, &mut rng).unwrap();
        let at = points(3, seed + 3);
        let joint = JointEntropySearch::on(&posterior, &minimizers, noise).unwrap();
        assert_gradients(&joint, at.as_ref())?;
        let minima: Vec<f64> = minimizers.iter().map(|m| m.value).collect();
        let alone = Gibbon::new(minima.clone(), noise).unwrap();
        let pending = points(3, seed + 4);
        let batch = alone.clone().beside(&posterior, pending.as_ref()).unwrap();
        assert_gradients(&batch, at.as_ref())?;
        for x in at.rows() {
            let Prediction { mean, variance } = posterior.predict(x);
            prop_assert!(joint.value(x) >= -1e-12);
            prop_assert!(joint.value(x) <= 0.5 * (variance / noise).ln_1p() + 1e-9);
            // Pending points can only take away.
            prop_assert!(batch.value(x) <= alone.value(mean, variance.sqrt()) + 1e-12);
        }
    }
}

#[test]
fn a_batch_is_its_determinant() {
    let posterior = posterior(4, 1e-2);
    let (noise, pair) = (0.1, points(2, 9));
    let gibbon = Gibbon::new(vec![-1.0, -1.3], noise).unwrap();
    let batch = gibbon.clone().beside(&posterior, pair.as_ref().slice(0, 1)).unwrap();
    let mut c = [0.0; 4];
    posterior.covariance_into(pair.as_ref(), &mut c);
    let correlation = c[1] / ((c[0] + noise) * (c[3] + noise)).sqrt();
    let Prediction { mean, variance } = posterior.predict(pair.row(1));
    let expected = gibbon.value(mean, variance.sqrt()) + 0.5 * (1.0 - correlation * correlation).ln();
    assert!((batch.value(pair.row(1)) - expected).abs() < 1e-10);
    let free = gibbon.clone().beside(&posterior, Points::new(2).as_ref()).unwrap();
    assert!((free.value(pair.row(1)) - gibbon.value(mean, variance.sqrt())).abs() < 1e-12);
}

#[test]
fn sampled_minima_are_those_of_the_posterior() {
    let posterior = posterior(7, 1e-2);
    let grid = points(60, 2);
    let mut rng = Seed(1).stream("minima", 0);
    let mut sampled = minima_among(&posterior, grid.as_ref(), 512, &mut rng).unwrap();
    sampled.sort_by(f64::total_cmp);
    let gumbel = Gumbel::of(&posterior, grid.as_ref()).unwrap();
    // Taking the points for independent places the minimum lower.
    assert!(gumbel.quantile(0.5) < sampled[256], "{gumbel:?} {}", sampled[256]);
    let none = Points::new(2);
    let search = PathSearch::default();
    let mut paths =
        minima_on(&posterior, &Domain::unit_cube(2), none.as_ref(), &search, 64, &mut rng).unwrap();
    paths.sort_by(f64::total_cmp);
    // Over the whole square the minimum is lower than on the points, but not by much.
    let difference = sampled[256] - paths[32];
    assert!((0.0..1.0).contains(&difference), "{difference}");
    let chosen = thompson_among(&posterior, grid.as_ref(), 512, &mut rng).unwrap();
    let law = MinimizerDistribution::new(&posterior, grid.as_ref(), 0.1, 512, &mut rng).unwrap();
    let p = law.probabilities();
    for (i, p) in p.iter().enumerate() {
        let share = chosen.iter().filter(|c| **c == i).count() as f64 / 512.0;
        assert!((share - p).abs() < 0.06, "{i}: {share} {p}");
    }
}

#[test]
fn edges() {
    let posterior = posterior(1, 1e-4);
    assert_eq!(
        MaxValueEntropySearch::new(vec![]).unwrap_err().to_string(),
        "no minima, expected at least one"
    );
    let error = MaxValueEntropySearch::new(vec![0.0, f64::NAN]).unwrap_err();
    assert_eq!(error.to_string(), "minima 1 is NaN, expected a finite number");
    let error = Gibbon::new(vec![0.0], -1.0).unwrap_err();
    assert!(error.to_string().contains("noise variance is -1"), "{error}");
    for (mean, std_dev) in [(0.0, 0.0), (-1e300, 1e-300), (1e300, 1e-300), (0.0, 1e300), (-1e8, 1.0)] {
        for utility in [
            &MaxValueEntropySearch::new(vec![0.0, -1.0]).unwrap() as &dyn Utility,
            &Gibbon::new(vec![0.0, -1.0], 0.0).unwrap(),
            &Gibbon::new(vec![0.0, -1.0], 0.1).unwrap(),
        ] {
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, std_dev);
            assert!(value >= 0.0 && !by_mean.is_nan() && !by_std_dev.is_nan(), "{mean} {std_dev}: {value}");
        }
    }
    // Duplicates count once; one candidate leaves nothing to learn.
    let twice = Points::from_rows(&[[0.2, 0.3], [0.2, 0.3], [0.8, 0.1]]).unwrap();
    let rng = &mut Seed(0).stream("law", 0);
    assert_eq!(
        MinimizerDistribution::new(&posterior, twice.as_ref(), 0.0, 32, rng).unwrap().representers(),
        2
    );
    let one = MinimizerDistribution::new(&posterior, twice.as_ref().slice(0, 1), 0.0, 32, rng).unwrap();
    assert_eq!(EntropySearch::new(one).value(&[0.5, 0.5]), 0.0);
    assert!(MinimizerDistribution::new(&posterior, twice.as_ref(), 0.0, 0, rng).is_err());
    assert!(MinimizerDistribution::new(&posterior, Points::new(3).as_ref(), 0.0, 8, rng).is_err());
    let wrong = [Minimizer { x: vec![0.1], value: 0.0 }];
    let error = JointEntropySearch::on(&posterior, &wrong, 0.1).err().unwrap();
    assert_eq!(error.to_string(), "minimisers of dimension 1, expected 2");
    let known = [Minimizer { x: vec![0.1, 0.2], value: -1.0 }];
    assert!(JointEntropySearch::on(&posterior, &known, 0.0).unwrap().value(&[0.1, 0.2]).is_finite());
}

/// The information at a point where nothing is left to learn, without noise, is 0.
#[test]
fn a_known_point_tells_nothing() {
    struct Known;

    impl Posterior for Known {
        fn dim(&self) -> usize {
            2
        }

        fn predict_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
            mean.fill(0.3);
            variance.fill(0.0);
        }

        fn joint(&self) -> Option<&dyn JointPosterior> {
            Some(self)
        }
    }

    impl JointPosterior for Known {
        fn covariance_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }

        fn cross_covariance_into(&self, _: PointsRef<'_>, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }
    }

    let minimizers = [Minimizer { x: vec![0.1, 0.2], value: -1.0 }];
    let search = JointEntropySearch::on(&Known, &minimizers, 0.0).unwrap();
    assert_eq!(search.value(&[0.6, 0.4]), 0.0);
}

/// Quantiles of the minimum of independent normal values, against the definition `P(min ≤ y) = p`, where values differ in
/// scale and some are far away.
#[test]
fn a_gumbel_distribution_has_the_quartiles_of_the_minimum() {
    for (mean, std_dev) in [
        (vec![0.0, 1.0, -2.0], vec![1.0, 3.0, 0.1]),
        (vec![0.0], vec![2.0]),
        (vec![1e6, -1e6, 5.0], vec![1.0, 10.0, 1e5]),
        (vec![0.0; 200], vec![1.0; 200]),
        (vec![0.0, 40.0], vec![1e-3, 1.0]),
    ] {
        let fit = Gumbel::of_minimum(&mean, &std_dev).unwrap();
        let below = |y: f64| {
            let above =
                mean.iter().zip(&std_dev).map(|(m, s)| thrifty_prob::cdf((m - y) / s)).product::<f64>();
            1.0 - above
        };
        // By bisection, independently of the search in the library.
        let quantile = |p: f64| {
            let (mut low, mut high) = (-1e8, 1e8);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if below(middle) < p { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        };
        let (median, quartiles) = (quantile(0.5), quantile(0.75) - quantile(0.25));
        let size = 1.0 + median.abs();
        assert!((fit.quantile(0.5) - median).abs() < 1e-9 * size, "{} {median}", fit.quantile(0.5));
        let found = fit.quantile(0.75) - fit.quantile(0.25);
        assert!((found - quartiles).abs() < 1e-9 * size, "{found} {quartiles}");
    }
}

//! Processes on a subset of many observations: their error against all of them, and what a surrogate makes of them.

use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::{Domain, Points};
use thrifty_gp::{Conditioning, Gp, GpSettings, GpSurrogate, Mean, Noise, Refit};
use thrifty_kernel::{Kernel, Matern52, Scaled};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{
    EarlierFit, FittedSurrogate, Observations, Posterior, Prediction, Surrogate, contract,
};

const NOISE: f64 = 1e-3;

fn process() -> Gp<Scaled<Matern52>> {
    let kernel = Scaled::new(Matern52::new(vec![0.3, 0.6]).unwrap(), 1.0).unwrap();
    let settings = GpSettings {
        noise: Noise::Fixed(NOISE),
        mean: Mean::Zero,
        standardize_targets: false,
        ..GpSettings::default()
    };
    Gp::new(kernel).with_settings(settings)
}

fn points(n: usize, seed: u64) -> Points {
    latin_hypercube(n, 2, &mut Seed(seed).stream("points", 0))
}

fn at(x: &Points, y: &[f64], positions: &[usize]) -> (Points, Vec<f64>) {
    let mut kept = Points::new(x.dim());
    positions.iter().for_each(|&i| kept.push(x.row(i)));
    (kept, positions.iter().map(|&i| y[i]).collect())
}

fn smooth(x: &[f64]) -> f64 {
    (5.0 * x[0]).sin() + (x[1] - 0.4).powi(2)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Fewer observations leave no less uncertainty.
    #[test]
    fn the_variance_is_not_below_that_of_all(n in 20_usize..120, size in 16_usize..40, seed in 0_u64..1000) {
        let x = points(n, seed);
        let y: Vec<f64> = x.rows().map(smooth).collect();
        let kept = process().subset(x.as_ref(), &y, size).unwrap();
        prop_assert_eq!(kept.len(), size.min(n));
        let (few_x, few_y) = at(&x, &y, &kept);
        let all = process().condition(x.as_ref(), &y).unwrap();
        let few = process().condition(few_x.as_ref(), &few_y).unwrap();
        for point in points(12, seed + 1).rows() {
            let (all, few) = (all.predict(point).variance, few.predict(point).variance);
            prop_assert!(few >= all - 1e-9, "{few} {all}");
        }
    }
}

/// Mean squared error of the mean of the subset against that of all, over functions drawn from the process, and the difference of variances.
fn error_against_all(x: &Points, kept: &[usize], test: &Points) -> (f64, f64) {
    let kernel = process().kernel().clone();
    let mut covariance = Matrix::default();
    kernel.cov_into(x.as_ref(), x.as_ref(), &mut covariance);
    (0..x.len()).for_each(|i| covariance[(i, i)] += NOISE);
    let factor = Cholesky::new(&covariance, &JitterLadder::default()).unwrap();
    let mut rng = Seed(11).stream("draws", 0);
    let (mut squared, mut excess) = (0.0, 0.0);
    let draws = 300;
    for _ in 0..draws {
        let z: Vec<f64> = x.rows().map(|_| StandardNormal.sample(&mut rng)).collect();
        let y: Vec<f64> =
            (0..x.len()).map(|i| (0..=i).map(|j| factor.factor()[(i, j)] * z[j]).sum()).collect();
        let (few_x, few_y) = at(x, &y, kept);
        let all = process().condition(x.as_ref(), &y).unwrap();
        let few = process().condition(few_x.as_ref(), &few_y).unwrap();
        for point in test.rows() {
            let (all, few) = (all.predict(point), few.predict(point));
            squared += (all.mean - few.mean).powi(2);
            excess += few.variance - all.variance;
        }
    }
    let count = f64::from(draws) * test.len() as f64;
    (squared / count, excess / count)
}

/// Under the model the error of the mean is what the variance says: `E (mean_S - mean)² = var_S - var`. A subset of the first observations
/// is worse than a spread one.
#[test]
fn the_error_of_the_mean_is_the_difference_of_the_variances() {
    let (x, test) = (points(90, 3), points(15, 4));
    // Targets that have nothing to do with the draws: positions alone choose.
    let fixed: Vec<f64> = x.rows().map(smooth).collect();
    let kept = process().subset(x.as_ref(), &fixed, 30).unwrap();
    let (squared, excess) = error_against_all(&x, &kept, &test);
    // 300 draws of about ten independent values: standard error of 3 %.
    assert!((squared / excess - 1.0).abs() < 0.15, "{squared} {excess}");
    // Points of a grid, in order: the first thirty are the left third.
    let mut sorted: Vec<&[f64]> = x.as_ref().rows().collect();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut in_order = Points::new(2);
    sorted.iter().for_each(|row| in_order.push(row));
    let (worse, _) = error_against_all(&in_order, &(0..30).collect::<Vec<_>>(), &test);
    assert!(worse > 4.0 * squared, "{worse} {squared}");
}

fn surrogate(size: usize) -> GpSurrogate {
    GpSurrogate { conditioning: Conditioning::Subset { size }, ..GpSurrogate::default() }
}

fn fit(surrogate: &GpSurrogate, x: &Points, y: &[f64]) -> Box<dyn FittedSurrogate> {
    let domain = Domain::unit_cube(x.dim());
    surrogate.fit(&domain, Observations::new(x.as_ref(), y), None, &mut Seed(7).stream("fit", 0)).unwrap()
}

#[test]
fn up_to_its_size_a_subset_changes_no_bit() {
    let x = points(40, 5);
    let y: Vec<f64> = x.rows().map(smooth).collect();
    let all = fit(&GpSurrogate { conditioning: Conditioning::All, ..GpSurrogate::default() }, &x, &y);
    for size in [40, 41, 1000] {
        let few = fit(&surrogate(size), &x, &y);
        assert_eq!(few.hyperparameters(), all.hyperparameters());
        for point in points(5, 6).rows() {
            assert_eq!(few.posterior().predict(point), all.posterior().predict(point));
        }
    }
    assert_ne!(fit(&surrogate(39), &x, &y).hyperparameters(), all.hyperparameters());
}

#[test]
fn a_subset_keeps_the_contract_of_posteriors() {
    contract::surrogate(&surrogate(16));
    let x = points(60, 8);
    let y: Vec<f64> = x.rows().map(smooth).collect();
    let fitted = fit(&surrogate(24), &x, &y);
    assert_eq!(fitted.learnt_from(), Some(60));
    let posterior = fitted.posterior();
    let mut at = points(6, 9);
    at.push(x.row(3));
    contract::batch_is_pointwise(posterior, at.as_ref(), 1e-10);
    contract::gradients_match(posterior, at.as_ref(), 1e-5, 1e-4);
    contract::covariance_is_consistent(posterior, &at, 1e-9);
    let weights: Vec<f64> = (0..49).map(|i| f64::from(i % 5) - 2.0).collect();
    let of_mean = [1.0, -2.0, 0.5, 0.0, 3.0, 1.0, -1.0];
    contract::joint_gradient_matches(posterior, &at, (&of_mean, &weights), 1e-5, 1e-3);
    for point in at.rows() {
        assert!((posterior.predict(point).mean - smooth(point)).abs() < 0.1);
    }
}

/// Predictions of each from the others are in the order of all the data: those left out are predicted from those that are kept.
#[test]
fn every_observation_is_predicted_from_others() {
    let x = points(60, 8);
    let y: Vec<f64> = x.rows().map(smooth).collect();
    let noise: Vec<f64> = (0..60).map(|i| if i % 2 == 0 { 0.0 } else { 1e-4 }).collect();
    let domain = Domain::unit_cube(2);
    let data = Observations::new(x.as_ref(), &y).with_noise_variance(&noise);
    let (surrogate, rng) = (surrogate(24), &mut Seed(7).stream("fit", 0));
    let fitted = surrogate.fit(&domain, data, None, rng).unwrap();
    let predictions = fitted.leave_one_out().unwrap();
    assert_eq!(predictions.len(), 60);
    let kept = surrogate.process(&domain).unwrap().subset(x.as_ref(), &y, 24).unwrap();
    for (i, Prediction { mean, variance }) in predictions.iter().enumerate() {
        assert!((mean - y[i]).abs() < 5.0 * variance.sqrt() + 0.05, "{i}: {mean} {} {variance}", y[i]);
        let itself = fitted.predict_observed(x.row(i));
        if kept.contains(&i) {
            assert!(*variance > itself.variance, "{i}: without itself less is known");
        } else {
            assert!((mean - itself.mean).abs() < 1e-10, "{i}: {mean} {}", itself.mean);
            let expected = itself.variance + noise[i];
            assert!((variance / expected - 1.0).abs() < 1e-9, "{i}: {variance} {expected}");
        }
    }
}

/// An update keeps hyperparameters while the newest observations agree, and learns anew when they do not.
#[test]
fn updates_ask_the_newest_observations() {
    let x = points(60, 8);
    let mut y: Vec<f64> = x.rows().map(smooth).collect();
    let surrogate = GpSurrogate { refit: Refit::by_growth(1.2), ..surrogate(24) };
    let early = {
        let x = x.as_ref().slice(0, 55);
        let data = Observations::new(x, &y[..55]);
        surrogate.fit(&Domain::unit_cube(2), data, None, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let hyperparameters = early.hyperparameters();
    let update = |y: &[f64]| {
        let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from: Some(55) };
        let data = Observations::new(x.as_ref(), y);
        surrogate.update(&Domain::unit_cube(2), data, earlier, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let kept = update(&y);
    assert_eq!((kept.learnt_from(), kept.hyperparameters()), (Some(55), hyperparameters.clone()));
    y[58] += 3.0;
    assert_eq!(update(&y).learnt_from(), Some(60));
}

/// Observations of a search: 30 everywhere, then 170 near the minimum of a bowl with noise of standard deviation 0.3.
fn search() -> (Points, Vec<f64>) {
    let (far, near) = (points(30, 1), points(170, 2));
    let mut x = Points::new(2);
    far.rows().for_each(|row| x.push(row));
    near.rows().for_each(|row| x.push(&[0.25 + 0.1 * row[0], 0.55 + 0.1 * row[1]]));
    let rng = &mut Seed(3).stream("noise", 0);
    let bowl = |row: &[f64]| 10.0 * ((row[0] - 0.3).powi(2) + (row[1] - 0.6).powi(2));
    let y = x.rows().map(|row| bowl(row) + 0.3 * Distribution::<f64>::sample(&StandardNormal, rng)).collect();
    (x, y)
}

/// The half of a subset is spread farther than the whole: on the scale of the whole all variances would be too small. The noise is that of
/// a fit to the half alone, and stays it in an update that keeps the hyperparameters.
#[test]
fn hyperparameters_are_on_the_scale_on_which_they_were_learnt() {
    let ((x, y), surrogate, domain) = (search(), surrogate(64), Domain::unit_cube(2));
    let fitted = fit(&surrogate, &x, &y);
    let process = surrogate.process_for(&domain, x.as_ref()).unwrap();
    let half = |x: &Points, y: &[f64], size| at(x, y, &process.subset(x.as_ref(), y, size).unwrap());
    let whole = half(&x, &y, 64);
    let few = half(&whole.0, &whole.1, 32);
    let alone = fit(&surrogate, &few.0, &few.1);
    assert_eq!(fitted.hyperparameters(), alone.hyperparameters(), "learnt from the half");
    assert_eq!(fitted.noise_variance(), alone.noise_variance(), "in units of the targets");
    let hyperparameters = fitted.hyperparameters();
    let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from: fitted.learnt_from() };
    let data = Observations::new(x.as_ref(), &y);
    let kept = surrogate.update(&domain, data, earlier, &mut Seed(7).stream("fit", 0)).unwrap();
    assert_eq!(kept.hyperparameters(), hyperparameters);
    let ratio = kept.noise_variance() / fitted.noise_variance();
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
}

/// Hyperparameters that were learnt while all observations were kept mean the same when the first is left out.
#[test]
fn the_first_observations_beyond_the_size_keep_the_scale() {
    let ((x, y), domain) = (search(), Domain::unit_cube(2));
    let surrogate = GpSurrogate { refit: Refit::by_growth(1.2), ..surrogate(64) };
    let first = |n: usize| Observations::new(x.as_ref().slice(0, n), &y[..n]);
    let rng = &mut Seed(7).stream("fit", 0);
    let fitted = surrogate.fit(&domain, first(64), None, rng).unwrap();
    let hyperparameters = fitted.hyperparameters();
    let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from: fitted.learnt_from() };
    for n in [64, 65, 66] {
        let next = surrogate.update(&domain, first(n), earlier, rng).unwrap();
        assert_eq!((next.learnt_from(), next.hyperparameters()), (Some(64), hyperparameters.clone()));
        let ratio = next.noise_variance() / fitted.noise_variance();
        assert!((ratio - 1.0).abs() < 0.05, "{n}: {ratio}");
    }
}

#[test]
fn a_subset_that_is_too_small_is_named() {
    let x = points(60, 8);
    let y: Vec<f64> = x.rows().map(smooth).collect();
    let data = Observations::new(x.as_ref(), &y);
    let error =
        surrogate(15).fit(&Domain::unit_cube(2), data, None, &mut Seed(1).stream("fit", 0)).err().unwrap();
    assert!(
        error.to_string().contains("size of the subset of observations is 15, expected at least 16"),
        "{error}"
    );
}

/// The default is not written, so that settings of earlier files are equal to it; another rule is.
#[test]
fn the_default_is_not_written() {
    let default = serde_json::to_value(GpSurrogate::default()).unwrap();
    assert!(default.get("conditioning").is_none(), "{default}");
    assert_eq!(serde_json::from_value::<GpSurrogate>(default).unwrap(), GpSurrogate::default());
    for conditioning in [Conditioning::All, Conditioning::Subset { size: 48 }] {
        let own = GpSurrogate { conditioning, ..GpSurrogate::default() };
        let written = serde_json::to_value(&own).unwrap();
        assert!(written.get("conditioning").is_some(), "{written}");
        assert_eq!(serde_json::from_value::<GpSurrogate>(written).unwrap(), own);
    }
}

/// Joint distributions are of as many points as the model is conditioned on at most, whatever their number: also after a fantasy and for a
/// mixture.
#[test]
fn joint_distributions_are_bounded_like_the_model() {
    let x = points(24, 5);
    let y: Vec<f64> = x.rows().map(smooth).collect();
    let sampled = GpSurrogate::noisy();
    for (conditioning, limit) in [
        (Conditioning::default(), 1000),
        (Conditioning::Subset { size: 20 }, 20),
        (Conditioning::Subset { size: 30 }, 30),
        (Conditioning::All, usize::MAX),
    ] {
        for surrogate in [GpSurrogate::default(), sampled.clone()] {
            let fitted = fit(&GpSurrogate { conditioning, ..surrogate }, &x, &y);
            assert_eq!(fitted.joint_limit(), limit);
            assert_eq!(fitted.fantasize(&[0.123, 0.456], 0.0).unwrap().joint_limit(), limit);
        }
    }
}

/// A subset of many observations keeps those whose targets are nearest to a value, with their surroundings, instead of the lowest: so the crossing of
/// a threshold is known better.
#[test]
fn observations_near_a_value_are_kept() {
    // A step at 0.7 of the first coordinate; its targets are lowest on the left.
    let x = points(300, 8);
    let y: Vec<f64> = x.rows().map(|x| (30.0 * (x[0] - 0.7)).tanh() + 0.1 * x[1]).collect();
    let crossing: Vec<[f64; 2]> = (0..9).map(|i| [0.7, (f64::from(i) + 0.5) / 9.0]).collect();
    let plain = surrogate(40);
    let near = plain.near(0.05).unwrap();
    let domain = Domain::unit_cube(2);
    let variance = |surrogate: &dyn Surrogate| {
        let (data, mut rng) = (Observations::new(x.as_ref(), &y), Seed(7).stream("fit", 0));
        let fitted = surrogate.fit(&domain, data, None, &mut rng).unwrap();
        let again = fitted.hyperparameters();
        let earlier = EarlierFit { hyperparameters: &again, learnt_from: Some(300) };
        let fitted = surrogate.update(&domain, data, earlier, &mut rng).unwrap();
        crossing.iter().map(|x| fitted.posterior().predict(x).variance).sum::<f64>()
    };
    let (lowest, nearest) = (variance(&plain), variance(&*near));
    assert!(nearest < 0.5 * lowest, "{nearest} {lowest}");
    assert_eq!(near.describe().unwrap(), plain.describe().unwrap());
}

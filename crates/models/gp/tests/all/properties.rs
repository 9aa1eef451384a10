//! Laws of the posterior and the fit on random data, degenerate data, and bad input.

use proptest::prelude::*;
use thrifty_check::InputError;
use thrifty_domain::{Domain, Points};
use thrifty_gp::{ExactLikelihood, Gp, GpError, GpPosterior, GpSettings, Mean, Noise};
use thrifty_kernel::{
    Constant, Kernel, Linear, Matern12, Matern52, Matern52Profile, Product, Scaled, SquaredExponential, Sum,
};
use thrifty_params::{LogLikelihood, Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, PathSampler, Posterior, Prediction, contract};

fn data() -> impl Strategy<Value = (Points, Vec<f64>)> {
    (1_usize..4, 1_usize..25).prop_flat_map(|(dim, n)| {
        let x = prop::collection::vec(0.0..1.0_f64, n * dim);
        (x, prop::collection::vec(-3.0..3.0_f64, n)).prop_map(move |(x, y)| (Points::from_flat(x, dim), y))
    })
}

fn noisy(noise: f64) -> GpSettings {
    GpSettings { noise: Noise::Fixed(noise), ..GpSettings::default() }
}

fn kernels(dim: usize) -> Vec<Box<dyn Kernel>> {
    let l = |v: f64| vec![v; dim];
    let matern = Scaled::new(Matern52::new(l(0.6)).unwrap(), 1.7).unwrap();
    let product = Product::new(matern.clone(), SquaredExponential::new(l(1.1)).unwrap()).unwrap();
    vec![Box::new(matern), Box::new(product), Box::new(Matern12::new(l(0.4)).unwrap())]
}

/// `k(x, y) = 1 + x · y`: variances differ from point to point.
fn affine(dim: usize) -> Sum<Constant, Linear> {
    Sum::new(Constant, Linear::new(vec![1.0; dim]).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn posteriors_obey_the_contract((x, y) in data(), at in prop::collection::vec(0.03..0.97_f64, 12)) {
        for kernel in kernels(x.dim()) {
            let settings = GpSettings { normalize_inputs: x.len() > 3, ..noisy(1e-2) };
            let posterior = Gp::new(kernel).with_settings(settings).condition(x.as_ref(), &y).unwrap();
            let test = Points::from_flat(at.clone(), x.dim());
            contract::batch_is_pointwise(&posterior, test.as_ref(), 1e-10);
            contract::covariance_is_consistent(&posterior, &test, 1e-10);
        }
    }

    #[test]
    fn posterior_gradients_match_finite_differences((x, y) in data(), at in prop::collection::vec(0.03..0.97_f64, 6)) {
        // Smooth kernels: finite differences across a Matérn-1/2 kink mean nothing.
        let mut smooth: Vec<Box<dyn Kernel>> = kernels(x.dim()).into_iter().take(2).collect();
        // Variances that differ from point to point have gradients of their own.
        smooth.push(Box::new(affine(x.dim())));
        smooth.push(Product::new(smooth[0].clone(), affine(x.dim())).unwrap().clone_box());
        for kernel in smooth {
            let posterior = Gp::new(kernel).with_settings(noisy(1e-2)).condition(x.as_ref(), &y).unwrap();
            let test = Points::from_flat(at.clone(), x.dim());
            contract::gradients_match(&posterior, test.as_ref(), 1e-5, 1e-6);
        }
    }

    #[test]
    fn likelihood_gradients_match_finite_differences((x, y) in data()) {
        for mut kernel in kernels(x.dim()) {
            let noise = Noise::Learned { start: 0.05, floor: 1e-6, ceiling: 1.0, prior: None };
            let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &noise, Mean::Learned);
            let values: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
            let (mut gradient, mut unused) = (vec![0.0; values.len()], vec![0.0; values.len()]);
            likelihood.log_likelihood(&mut gradient).unwrap();
            for i in 0..values.len() {
                let step = 1e-5 * values[i].abs().max(0.1);
                let mut at = |offset: f64| {
                    let mut moved = values.clone();
                    moved[i] += offset;
                    likelihood.set_params(&moved);
                    likelihood.log_likelihood(&mut unused).unwrap()
                };
                let slope = (at(step) - at(-step)) / (2.0 * step);
                prop_assert!((slope - gradient[i]).abs() <= 1e-6 * (1.0 + slope.abs() + y.len() as f64), "{i}: {slope} {}", gradient[i]);
            }
        }
    }

    #[test]
    fn an_added_observation_equals_conditioning_again((x, y) in data(), at in prop::collection::vec(0.0..1.0_f64, 3)) {
        let point = &at[..x.dim()];
        let settings = GpSettings { standardize_targets: false, ..noisy(1e-3) };
        let gp = Gp::matern52(x.dim()).with_settings(settings);
        let added = gp.condition(x.as_ref(), &y).unwrap().with_observation(point, 0.7).unwrap();
        let (mut all_x, mut all_y) = (x.clone(), y.clone());
        all_x.push(point);
        all_y.push(0.7);
        let again = gp.condition(all_x.as_ref(), &all_y).unwrap();
        let (a, b) = (added.predict(&vec![0.3; x.dim()]), again.predict(&vec![0.3; x.dim()]));
        prop_assert!((a.mean - b.mean).abs() < 1e-9 && (a.variance - b.variance).abs() < 1e-9, "{a:?} {b:?}");
    }

    #[test]
    fn joint_gradients_match_finite_differences((x, y) in data(), at in prop::collection::vec(0.03..0.97_f64, 6), w in prop::collection::vec(-1.0..1.0_f64, 42)) {
        for kernel in kernels(x.dim()).into_iter().take(2).chain([affine(x.dim()).clone_box()]) {
            let settings = GpSettings { normalize_inputs: x.len() > 3, ..noisy(1e-2) };
            let posterior = Gp::new(kernel).with_settings(settings).condition(x.as_ref(), &y).unwrap();
            let test = Points::from_flat(at.clone(), x.dim());
            let m = test.len();
            contract::joint_gradient_matches(&posterior, &test, (&w[..m], &w[6..6 + m * m]), 1e-5, 1e-5);
        }
    }

    #[test]
    fn paths_are_smooth_functions((x, y) in data(), at in prop::collection::vec(0.03..0.97_f64, 6), seed in 0_u64..100) {
        for kernel in kernels(x.dim()).into_iter().take(2).chain([affine(x.dim()).clone_box()]) {
            let posterior = Gp::new(kernel).with_settings(noisy(1e-2)).condition(x.as_ref(), &y).unwrap();
            let test = Points::from_flat(at.clone(), x.dim());
            let paths = posterior.sample_paths(2, &mut Seed(seed).stream("paths", 0)).unwrap();
            prop_assert_eq!(paths.len(), 2);
            for path in paths {
                contract::path_is_consistent(&*path, test.as_ref(), 1e-5, 1e-5);
            }
        }
    }

    #[test]
    fn many_added_observations_and_fantasies_equal_conditioning_again((x, y) in data(), at in prop::collection::vec(0.0..1.0_f64, 6), noise in 0.0..0.5_f64) {
        let more = Points::from_flat(at, x.dim());
        let settings = GpSettings { standardize_targets: false, ..noisy(1e-2) };
        let gp = Gp::matern52(x.dim()).with_settings(settings);
        let new_y: Vec<f64> = (0..more.len()).map(|i| (i as f64).sin()).collect();
        let start = gp.condition(x.as_ref(), &y).unwrap();
        let added = start.with_noisy_observations(more.as_ref(), &new_y, &vec![noise; more.len()]).unwrap();
        let mut all_x = x.clone();
        more.as_ref().rows().for_each(|p| all_x.push(p));
        let again = |new_y: &[f64], noise: f64| {
            let all_y = [&y[..], new_y].concat();
            let variances = [vec![0.0; y.len()], vec![noise; more.len()]].concat();
            gp.condition_with_noise(all_x.as_ref(), &all_y, &variances).unwrap()
        };
        let close = |a: Prediction, b: Prediction| {
            (a.mean - b.mean).abs() < 1e-10 && (a.variance - b.variance).abs() < 1e-10
        };
        let at = vec![0.3; x.dim()];
        prop_assert!(close(added.predict(&at), again(&new_y, noise).predict(&at)));
        for fantasy in start.fantasies(more.as_ref(), 3, &mut Seed(1).stream("fantasies", 0)).unwrap() {
            let imagined = &fantasy.targets()[y.len()..];
            prop_assert!(close(fantasy.predict(&at), again(imagined, 0.0).predict(&at)));
        }
    }

    #[test]
    fn a_fitted_process_survives_writing_and_reading((x, y) in data(), seed in 0_u64..100) {
        let gp = Gp::matern52(x.dim()).with_settings(GpSettings { normalize_inputs: true, ..GpSettings::default() });
        let fitted = gp.fit(x.as_ref(), &y, &mut Seed(seed).stream("fit", 0)).unwrap();
        let text = serde_json::to_string(&fitted).unwrap();
        let read: GpPosterior<Scaled<Matern52>> = serde_json::from_str(&text).unwrap();
        let at = vec![0.3; x.dim()];
        let bits = |p: Prediction| (p.mean.to_bits(), p.variance.to_bits());
        prop_assert_eq!(bits(read.predict(&at)), bits(fitted.predict(&at)));
        prop_assert_eq!(read.params(), fitted.params());
        prop_assert_eq!(read.restarts(), fitted.restarts());
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn known_noise_that_is_everywhere_the_same_is_common_noise((x, y) in data(), noise in 1e-4..1.0_f64) {
        let settings = |noise| GpSettings { standardize_targets: false, ..noisy(noise) };
        let gp = |noise| Gp::matern52(x.dim()).with_settings(settings(noise));
        let known = gp(0.0).condition_with_noise(x.as_ref(), &y, &vec![noise; y.len()]).unwrap();
        let common = gp(noise).condition(x.as_ref(), &y).unwrap();
        let at = vec![0.3; x.dim()];
        prop_assert_eq!(known.predict(&at), common.predict(&at));
        prop_assert_eq!(known.log_likelihood(), common.log_likelihood());
        let fit = |gp: Gp<Scaled<Matern52>>, known: f64| {
            let noise = vec![known; y.len()];
            gp.fit_with_noise(x.as_ref(), &y, &noise, &mut Seed(2).stream("fit", 0)).unwrap().hyperparameters()
        };
        prop_assert_eq!(fit(gp(0.0), noise), fit(gp(noise), 0.0));
    }

    #[test]
    fn a_fit_is_at_least_as_likely_as_its_start_and_has_the_same_bits_twice((x, y) in data(), seed in 0_u64..100) {
        let gp = Gp::matern52(x.dim());
        let fit = || gp.fit(x.as_ref(), &y, &mut Seed(seed).stream("fit", 0)).unwrap();
        let (first, second) = (fit(), fit());
        prop_assert_eq!(first.hyperparameters(), second.hyperparameters());
        prop_assert_eq!(first.restarts().len(), 1 + gp.settings().restarts);
        let best = first.restarts().iter().filter_map(|r| r.log_posterior).fold(f64::NEG_INFINITY, f64::max);
        // Warm-started at its own result, a fit without restarts can only stay or improve.
        let alone = GpSettings { restarts: 0, ..gp.settings().clone() };
        prop_assert_eq!(gp.warm_start(), None);
        let warm = gp.clone().with_settings(alone).warm_started(first.hyperparameters());
        prop_assert_eq!(warm.warm_start(), Some(&first.hyperparameters()[..]));
        let again = warm.fit(x.as_ref(), &y, &mut Seed(0).stream("fit", 0)).unwrap();
        prop_assert!(again.restarts()[0].log_posterior.unwrap() >= best - 1e-9 * best.abs().max(1.0));
    }

    #[test]
    fn predictions_follow_the_scale_of_the_targets((x, y) in data(), exponent in -12_i32..=12, shift in -5.0..5.0_f64) {
        let scale = 10_f64.powi(exponent);
        let gp = Gp::matern52(x.dim()).with_settings(noisy(1e-4));
        let scaled: Vec<f64> = y.iter().map(|v| scale * (v + shift)).collect();
        let (a, b) = (gp.condition(x.as_ref(), &y).unwrap(), gp.condition(x.as_ref(), &scaled).unwrap());
        let (Prediction { mean: m, variance: v }, Prediction { mean: ms, variance: vs }) = (a.predict(&vec![0.4; x.dim()]), b.predict(&vec![0.4; x.dim()]));
        if x.len() > 1 {
            prop_assert!((scale * (m + shift) - ms).abs() <= 1e-7 * scale * 10.0, "{m} {ms}");
            prop_assert!((v * scale * scale - vs).abs() <= 1e-7 * scale * scale * 10.0, "{v} {vs}");
        }
    }
}

/// Moments of 4000 paths at two points against the exact joint posterior, within five standard errors and the
/// error of the features.
#[test]
fn paths_have_the_moments_of_the_posterior() {
    let x = Points::from_flat(vec![0.1, 0.35, 0.8], 1);
    let y = [0.4, -0.9, 1.3];
    let kernel = Scaled::new(Matern52::new(vec![0.4]).unwrap(), 1.2).unwrap();
    let posterior = Gp::new(kernel).with_settings(noisy(0.05)).condition(x.as_ref(), &y).unwrap();
    let test = Points::from_flat(vec![0.5, 0.6], 1);
    let count = 4000;
    let mut sums = [0.0; 5];
    for block in 0..40 {
        for path in posterior.sample_paths(count / 40, &mut Seed(7).stream("paths", block)).unwrap() {
            let mut f = [0.0; 2];
            path.values_into(test.as_ref(), &mut f);
            let terms = [f[0], f[1], f[0] * f[0], f[1] * f[1], f[0] * f[1]];
            sums.iter_mut().zip(terms).for_each(|(s, t)| *s += t / count as f64);
        }
    }
    let mut covariance = [0.0; 4];
    posterior.covariance_into(test.as_ref(), &mut covariance);
    let (a, b) = (posterior.predict(&[0.5]), posterior.predict(&[0.6]));
    let error = 5.0 / (count as f64).sqrt();
    assert!(
        (sums[0] - a.mean).abs() < error * a.variance.sqrt()
            && (sums[1] - b.mean).abs() < error * b.variance.sqrt()
    );
    let found = [sums[2] - sums[0] * sums[0], sums[3] - sums[1] * sums[1], sums[4] - sums[0] * sums[1]];
    for (found, exact) in found.into_iter().zip([a.variance, b.variance, covariance[1]]) {
        assert!((found - exact).abs() < (1.5 * error + 0.03) * a.variance, "{found} {exact}");
    }
}

#[test]
fn an_observation_on_top_of_another_is_repaired_by_jitter() {
    let x = Points::from_flat(vec![0.2, 0.7], 1);
    let settings = GpSettings { standardize_targets: false, ..noisy(0.0) };
    let posterior = Gp::matern52(1).with_settings(settings).condition(x.as_ref(), &[1.0, 2.0]).unwrap();
    assert_eq!(posterior.jitter(), 0.0);
    let again = posterior.with_observation(&[0.2], 1.0).unwrap();
    let Prediction { mean, variance } = again.predict(&[0.2]);
    assert!((mean - 1.0).abs() < 1e-5 && (0.0..1e-5).contains(&variance), "{mean} {variance}");
}

#[test]
fn leave_one_out_is_leaving_one_out() {
    let x = Points::from_flat(vec![0.1, 0.3, 0.45, 0.8, 0.95], 1);
    let y = [0.2, 1.0, 0.7, -0.4, 0.1];
    let known = [0.0, 0.02, 0.0, 0.1, 0.0];
    let settings = GpSettings { standardize_targets: false, ..noisy(0.03) };
    let gp = Gp::matern52(1).with_settings(settings);
    let all = gp.condition_with_noise(x.as_ref(), &y, &known).unwrap();
    for (left, (mean, variance)) in all.leave_one_out().into_iter().enumerate() {
        let keep = |values: &[f64]| -> Vec<f64> {
            values.iter().enumerate().filter(|(i, _)| *i != left).map(|(_, v)| *v).collect()
        };
        let rest = Points::from_flat(keep(x.as_flat()), 1);
        let others = gp.condition_with_noise(rest.as_ref(), &keep(&y), &keep(&known)).unwrap();
        let Prediction { mean: m, variance: v } = others.predict(x.row(left));
        assert!((m - mean).abs() < 1e-12 && (v + 0.03 + known[left] - variance).abs() < 1e-12);
    }
    let calibration = all.leave_one_out_calibration().unwrap();
    assert_eq!(calibration.pit.len(), 5);
}

/// Leave-one-out predictions after an observation more are those of all of them, whether some were asked for before or not; their changes agree
/// with the differences of two predictions.
#[test]
fn leaving_one_out_follows_the_observations() {
    let x = Points::from_flat(vec![0.1, 0.3, 0.45, 0.8, 0.95], 1);
    let (y, change) = ([0.2, 1.0, 0.7, -0.4, 0.1], [0.5, -0.1, 0.0, 2.0, 0.3]);
    let gp = Gp::matern52(1).with_settings(GpSettings { standardize_targets: false, ..noisy(0.03) });
    let whole = gp.condition(x.as_ref(), &y).unwrap().leave_one_out();
    let first = gp.condition(x.as_ref().slice(0, 4), &y[..4]).unwrap();
    assert_eq!(first.leave_one_out().len(), 4);
    let after = first.with_observation(x.row(4), y[4]).unwrap();
    for (found, expected) in after.leave_one_out().into_iter().zip(&whole) {
        assert!((found.0 - expected.0).abs() < 1e-12 && (found.1 - expected.1).abs() < 1e-12);
    }
    let moved: Vec<f64> = y.iter().zip(&change).map(|(y, v)| y + v).collect();
    let moved = gp.condition(x.as_ref(), &moved).unwrap().leave_one_out();
    let changes = after.leave_one_out_change(&change).unwrap();
    for ((change, before), after) in changes.iter().zip(&whole).zip(&moved) {
        assert!((before.0 + change - after.0).abs() < 1e-12, "{change} {before:?} {after:?}");
    }
}

fn fit(x: &Points, y: &[f64]) -> Result<Prediction, GpError> {
    let posterior = Gp::matern52(x.dim()).fit(x.as_ref(), y, &mut Seed(3).stream("fit", 0))?;
    Ok(posterior.predict(&vec![0.3; x.dim()]))
}

#[test]
fn degenerate_data_have_finite_answers() {
    let line = |n: u32| Points::from_flat((0..n).map(|i| f64::from(i) / f64::from(n)).collect(), 1);
    let same = Points::from_flat(vec![0.25; 100], 1);
    let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
    for (x, y) in [
        (line(1), vec![7.0]),
        (line(1), vec![0.0]),
        (line(20), vec![3.5; 20]),
        (line(20), vec![-1e12; 20]),
        (same.clone(), vec![1e-12; 100]),
        (same, alternating),
        (line(30), (0..30).map(|i| 1e12 * f64::from(i).sin()).collect()),
        (line(30), (0..30).map(|i| 1e-12 * f64::from(i).sin()).collect()),
        (line(30), (0..30).map(|i| 1e150 * f64::from(i).sin()).collect()),
    ] {
        let Prediction { mean, variance } = fit(&x, &y).unwrap();
        let (low, high) =
            y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        let margin = 1.5 * (high - low) + 1e-6 * high.abs() + 1e-200;
        assert!(mean >= low - margin && mean <= high + margin, "{mean} from targets in [{low}, {high}]");
        assert!(variance >= 0.0 && variance.is_finite(), "{variance}");
    }
    // Squares of targets beyond 1e154 overflow: such targets are refused, by name.
    let error =
        fit(&line(30), &(0..30).map(|i| 1e300 * f64::from(i).sin()).collect::<Vec<f64>>()).unwrap_err();
    assert!(matches!(error, GpError::TargetTooLarge { index: 1, value, .. } if value > 8e299), "{error}");
}

#[test]
fn duplicated_points_average() {
    let x = Points::from_flat(vec![0.5; 100], 1);
    let y: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
    let posterior = Gp::matern52(1).fit(x.as_ref(), &y, &mut Seed(3).stream("fit", 0)).unwrap();
    let Prediction { mean, variance } = posterior.predict(&[0.5]);
    assert!((mean - 0.5).abs() < 1e-3 && variance < 0.01, "{mean} ± {variance}");
    assert!((posterior.noise_variance() - 0.25).abs() < 0.1, "{}", posterior.noise_variance());
}

#[test]
fn bad_input_is_named() {
    let x = Points::from_flat(vec![0.1, 0.2, 0.3], 1);
    let y = [1.0, 2.0, 3.0];
    let gp = Gp::matern52(1);
    let rng = || Seed(0).stream("fit", 0);
    assert_eq!(
        gp.fit(Points::new(1).as_ref(), &[], &mut rng()).unwrap_err(),
        GpError::Input(InputError::Empty { name: "observations" })
    );
    let short = gp.fit(x.as_ref(), &y[..2], &mut rng()).unwrap_err();
    assert_eq!(short, GpError::Input(InputError::Length { name: "targets", found: 2, expected: 3 }));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = gp.fit(x.as_ref(), &[1.0, bad, 2.0], &mut rng()).unwrap_err();
        assert!(error.to_string().starts_with("target 1 is"), "{error}");
        let points = Points::from_flat(vec![0.1, 0.2, bad], 1);
        let error = gp.fit(points.as_ref(), &y, &mut rng()).unwrap_err();
        assert!(error.to_string().starts_with("coordinate 0 of point 2"), "{error}");
        let settings = GpSettings { noise: Noise::Fixed(bad), ..GpSettings::default() };
        let error = gp.clone().with_settings(settings).condition(x.as_ref(), &y).unwrap_err();
        assert!(error.to_string().starts_with("setting noise"), "{error}");
    }
    let error = Gp::matern52(2).fit(x.as_ref(), &y, &mut rng()).unwrap_err();
    assert_eq!(error, GpError::Input(InputError::Dimension { name: "points", found: 1, expected: 2 }));
    let posterior = gp.condition(x.as_ref(), &y).unwrap();
    assert!(posterior.with_observation(&[0.1, 0.2], 1.0).is_err());
    assert!(posterior.with_observation(&[f64::NAN], 1.0).is_err());
    assert!(posterior.with_observation(&[0.5], f64::NAN).is_err());
    let error = gp.condition_with_noise(x.as_ref(), &y, &[0.0, -1.0, 0.0]).unwrap_err();
    assert_eq!(error.to_string(), "noise variance 1 is -1, expected a finite number from 0");
    let error = gp.condition_with_noise(x.as_ref(), &y, &[0.0]).unwrap_err();
    assert_eq!(error, GpError::Input(InputError::Length { name: "noise variances", found: 1, expected: 3 }));
    let text = serde_json::to_string(&posterior).unwrap();
    for (good, bad) in
        [("\"dim\":1", "\"dim\":2"), ("\"noise\":[", "\"noise\":[1.0,"), ("\"mean\":", "\"means\":")]
    {
        let broken = text.replacen(good, bad, 1);
        assert_ne!(text, broken);
        assert!(serde_json::from_str::<GpPosterior<Scaled<Matern52>>>(&broken).is_err(), "{bad}");
    }
}

/// Outcomes of many fantasies at three points: their means and covariances are those of the prediction with noise, within 5 standard
/// errors.
#[test]
fn fantasies_are_drawn_from_the_joint_prediction_with_noise() {
    let x = Points::from_flat(vec![0.1, 0.35, 0.8], 1);
    let settings = GpSettings { standardize_targets: false, ..noisy(1e-4) };
    let posterior = Gp::matern52(1).with_settings(settings).condition(x.as_ref(), &[0.4, -0.3, 0.9]).unwrap();
    // Almost on an observation, between two, and far from all.
    let at = Points::from_flat(vec![0.101, 0.5, 1.5], 1);
    let (mut covariance, count) = ([0.0; 9], 3000);
    posterior.covariance_into(at.as_ref(), &mut covariance);
    (0..3).for_each(|i| covariance[4 * i] += 1e-4);
    let fantasies = posterior.fantasies(at.as_ref(), count, &mut Seed(2).stream("fantasies", 0)).unwrap();
    let off: Vec<[f64; 3]> = fantasies
        .iter()
        .map(|fantasy| std::array::from_fn(|i| fantasy.targets()[3 + i] - posterior.predict(at.row(i)).mean))
        .collect();
    let average = |of: &dyn Fn(&[f64; 3]) -> f64| off.iter().map(of).sum::<f64>() / count as f64;
    for i in 0..3 {
        let (mean, error) = (average(&|off| off[i]), (covariance[4 * i] / count as f64).sqrt());
        assert!(mean.abs() < 5.0 * error, "mean of outcome {i} is off by {mean}");
        for j in 0..=i {
            let (found, expected) = (average(&|off| off[i] * off[j]), covariance[3 * i + j]);
            let squares = covariance[4 * i] * covariance[4 * j] + expected * expected;
            let error = (squares / count as f64).sqrt();
            assert!((found - expected).abs() < 5.0 * error, "outcomes {i} and {j}: {found} {expected}");
        }
    }
}

#[test]
fn as_many_fantasies_as_asked_for() {
    let x = Points::from_flat(vec![0.1, 0.8], 1);
    let posterior = Gp::matern52(1).condition(x.as_ref(), &[0.4, -0.3]).unwrap();
    for count in [0, 1, 4] {
        let fantasies = posterior.fantasies(x.as_ref(), count, &mut Seed(1).stream("fantasies", 0)).unwrap();
        assert_eq!(fantasies.len(), count, "fantasies");
    }
}

/// Domains of numbers alone: the kernel of the variables has the hyperparameters, bounds and priors of the stationary one.
#[test]
fn a_domain_of_numbers_has_the_stationary_kernel() {
    for dim in [1, 3] {
        let told = |params: Vec<Param>| -> Vec<(f64, f64, f64, Option<Prior>)> {
            params.into_iter().map(|p| (p.value, p.low, p.high, p.prior)).collect()
        };
        let of_domain = Gp::on_domain::<Matern52Profile>(&Domain::unit_cube(dim));
        assert_eq!(
            told(of_domain.kernel().params()),
            told(Gp::matern52(dim).kernel().params()),
            "hyperparameters of {dim} dimensions"
        );
    }
}

/// One observation y of a process with mean m, variance v and noise s: its log density is that of N(m, v + s), with slopes or without.
#[test]
fn one_observation_has_the_normal_density_around_the_mean() {
    let x = Points::from_flat(vec![0.4], 1);
    let (variance, noise) = (1.7, 0.3);
    for (y, mean) in [(0.9, 0.0), (0.9, 0.6), (-0.2, 1.5), (2.0, -3.0)] {
        let mut kernel = Scaled::new(Matern52::new(vec![0.5]).unwrap(), variance).unwrap();
        let (y_all, noise_kind) = ([y], Noise::Fixed(noise));
        let mut likelihood =
            ExactLikelihood::new(&mut kernel, x.as_ref(), &y_all, &noise_kind, Mean::Fixed(mean));
        let mut gradient = vec![0.0; likelihood.params().len()];
        let total = variance + noise;
        let expected = -0.5 * (y - mean).powi(2) / total - 0.5 * (std::f64::consts::TAU * total).ln();
        let whole = likelihood.log_likelihood(&mut gradient).unwrap();
        let alone = likelihood.log_likelihood_value().unwrap();
        for found in [whole, alone] {
            assert!((found - expected).abs() < 1e-12, "{y} around {mean}: {found}, expected {expected}");
        }
    }
}

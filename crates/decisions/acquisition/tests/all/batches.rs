//! Noise, pending points, fantasies, weights: closed forms, laws and edges.

use proptest::prelude::*;
use thrifty_acquisition::{
    Acquisition, AcquisitionError, Analytic, Average, ExpectedImprovement, LocalPenalties,
    LogExpectedImprovement, LogFeasibility, LogInverseCost, Masked, NoisyExpectedImprovement, PosteriorMean,
    ThompsonPath, Utility, Weighted, choose_anchors, fantasies, lipschitz_constant, prune_baseline,
};
use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Conditioned, JointPosterior, Posterior, Prediction, contract};

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Seed(seed).stream("points", 0);
    Points::from_flat((0..2 * count).map(|_| rng.uniform()).collect(), 2)
}

/// Seven observations with this noise variance, on scaled targets.
fn posterior(seed: u64, noise: f64) -> (Points, Vec<f64>, GpPosterior<Scaled<Matern52>>) {
    let x = points(7, seed);
    let y: Vec<f64> = x.rows().map(|p| (6.0 * p[0]).sin() + (p[1] - 0.5).powi(2)).collect();
    let settings = GpSettings { noise: Noise::Fixed(noise), ..GpSettings::default() };
    let posterior = Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap();
    (x, y, posterior)
}

fn nei<'a>(
    posterior: &'a dyn JointPosterior,
    baseline: &Points,
    draws: usize,
) -> NoisyExpectedImprovement<'a> {
    let rng = &mut Seed(3).stream("nei", 0);
    NoisyExpectedImprovement::new(posterior, baseline.as_ref(), draws, rng).unwrap()
}

/// Against fourth-order differences.
fn assert_gradients(acquisition: &dyn Acquisition, at: PointsRef<'_>) -> Result<(), TestCaseError> {
    let (mut values, mut gradients) = (vec![0.0; at.len()], vec![0.0; at.len() * at.dim()]);
    prop_assert!(acquisition.values_with_gradients_into(at, &mut values, &mut gradients));
    for (i, x) in at.rows().enumerate() {
        prop_assert!((acquisition.value(x) - values[i]).abs() <= 1e-8 * (1.0 + values[i].abs()));
        for k in 0..at.dim() {
            let along = |offset: f64| {
                let mut moved = x.to_vec();
                moved[k] += offset;
                acquisition.value(&moved)
            };
            let step = 2e-5;
            let slope = (8.0 * (along(step) - along(-step)) - (along(2.0 * step) - along(-2.0 * step)))
                / (12.0 * step);
            let found = gradients[i * at.dim() + k];
            prop_assert!(
                (slope - found).abs() <= 1e-3 * (1.0 + slope.abs()),
                "{k} at {x:?}: {slope} {found}"
            );
        }
    }
    Ok(())
}

#[test]
fn without_noise_it_is_expected_improvement() {
    for seed in 0..5 {
        let (x, y, posterior) = posterior(seed, 1e-12);
        let target = y.iter().copied().fold(f64::INFINITY, f64::min);
        let (noisy, log) = (nei(&posterior, &x, 32), nei(&posterior, &x, 32).logarithm());
        for at in points(6, seed + 40).rows() {
            let Prediction { mean, variance } = posterior.predict(at);
            let ei = ExpectedImprovement { target }.value(mean, variance.sqrt());
            assert!((noisy.value(at) - ei).abs() < 1e-5 * (ei + 1e-3), "{} {ei}", noisy.value(at));
            let log_ei = LogExpectedImprovement { target }.value(mean, variance.sqrt());
            assert!(
                (log.value(at) - log_ei).abs() < 1e-3 * (1.0 + log_ei.abs()),
                "{} {log_ei}",
                log.value(at)
            );
        }
    }
}

/// The definition: improvement of x on the best of the baseline, all drawn together.
#[test]
fn it_is_the_expected_improvement_on_uncertain_values() {
    let (x, _, posterior) = posterior(3, 0.2);
    let noisy = nei(&posterior, &x, 512);
    let rng = &mut Seed(8).stream("draws", 0);
    for at in points(3, 77).rows() {
        let mut all = x.clone();
        all.push(at);
        let draws = thrifty_surrogate::sample_jointly(&posterior, all.as_ref(), 40_000, rng).unwrap();
        let gains: Vec<f64> = draws
            .iter()
            .map(|f| (f[..7].iter().copied().fold(f64::INFINITY, f64::min) - f[7]).max(0.0))
            .collect();
        let mean = gains.iter().sum::<f64>() / gains.len() as f64;
        let spread = (gains.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gains.len() as f64).sqrt();
        let error = (noisy.value(at) - mean).abs();
        assert!(error < 4.0 * spread / 200.0 + 0.02 * mean + 1e-6, "{} {mean} {spread}", noisy.value(at));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn noisy_improvement_has_its_slopes_and_pending_points_take_away(seed in 0_u64..500, noise in 0.01..0.5_f64) {
        let (x, _, posterior) = posterior(seed, noise);
        let at = points(3, seed + 1);
        let (plain, log) = (nei(&posterior, &x, 32), nei(&posterior, &x, 32).logarithm());
        assert_gradients(&plain, at.as_ref())?;
        assert_gradients(&log, at.as_ref())?;
        let mut pending = x.clone();
        pending.push(at.row(0));
        let after = nei(&posterior, &pending, 512);
        let before = nei(&posterior, &x, 512);
        for point in at.rows() {
            let value = plain.value(point);
            prop_assert!(value < 1e-200 || (value.ln() - log.value(point)).abs() < 1e-8);
            let (now, then) = (after.value(point), before.value(point));
            prop_assert!(now >= 0.0 && now <= then + 0.03 * (then + 0.05), "{now} {then}");
        }
        // A point that is pending has nothing left to gain on itself.
        prop_assert!(after.value(at.row(0)) <= 1e-6);
    }

    #[test]
    fn conditioned_is_what_the_process_itself_says(seed in 0_u64..500, noise in 0.001..0.5_f64, y in (-1.0..1.0_f64, -1.0..1.0_f64)) {
        let (_, _, posterior) = posterior(seed, noise);
        let (pending, at) = (points(2, seed + 1), points(4, seed + 2));
        let y = [y.0, y.1];
        let own = posterior.with_observations(pending.as_ref(), &y).unwrap();
        let any = Conditioned::new(&posterior, pending.as_ref(), &y, posterior.noise_variance()).unwrap();
        for x in at.rows() {
            let (Prediction { mean, variance }, Prediction { mean: other, variance: spread }) = (own.predict(x), any.predict(x));
            prop_assert!((mean - other).abs() < 1e-7 && (variance - spread).abs() < 1e-7, "{mean} {other} {variance} {spread}");
        }
        contract::batch_is_pointwise(&any, at.as_ref(), 1e-9);
        contract::covariance_is_consistent(&any, &at, 1e-9);
        contract::gradients_match(&any, at.as_ref(), 1e-5, 1e-3);
        let weights: Vec<f64> = (0..16).map(|i| f64::from(i % 5) - 2.0).collect();
        contract::joint_gradient_matches(&any, &at, (&[1.0, -0.5, 0.3, 2.0], &weights), 1e-5, 1e-3);
    }

    #[test]
    fn weights_multiply_and_have_their_slopes(seed in 0_u64..500) {
        let (_, y, posterior) = posterior(seed, 0.05);
        let (_, _, other) = self::posterior(seed + 1, 0.1);
        let (pending, at) = (points(2, seed + 3), points(3, seed + 4));
        let target = y.iter().copied().fold(f64::INFINITY, f64::min) + 0.1;
        let steepest = lipschitz_constant(&posterior, pending.as_ref()).unwrap().max(0.1);
        let penalties = LocalPenalties::new(&posterior, pending.as_ref(), target, steepest).unwrap();
        let make = |log: bool| {
            let weighted = if log {
                Weighted::log_utility(Analytic::new(&posterior, LogExpectedImprovement { target }))
            } else {
                Weighted::utility(Analytic::new(&posterior, ExpectedImprovement { target }))
            };
            weighted
                .times(Analytic::new(&other, LogFeasibility { threshold: 0.2 }))
                .times(Analytic::new(&other, LogInverseCost::default()))
                .times(penalties.clone())
        };
        let (plain, log) = (make(false), make(true));
        assert_gradients(&plain, at.as_ref())?;
        assert_gradients(&log, at.as_ref())?;
        for x in at.rows() {
            let (Prediction { mean: m, variance: v }, Prediction { mean: c, variance: w }) = (posterior.predict(x), other.predict(x));
            let by_hand = ExpectedImprovement { target }.value(m, v.sqrt())
                * thrifty_prob::cdf((0.2 - c) / w.sqrt())
                / (c + 0.5 * w).exp()
                * penalties.value(x).exp();
            prop_assert!((plain.value(x) - by_hand).abs() <= 1e-9 * by_hand);
            prop_assert!((log.value(x) - by_hand.ln()).abs() <= 1e-8 * (1.0 + by_hand.ln().abs()));
            prop_assert!(penalties.value(x) <= 0.0);
        }
    }

    #[test]
    fn averages_over_fantasies_keep_the_mean(seed in 0_u64..500) {
        let (_, _, posterior) = posterior(seed, 0.05);
        let (pending, at) = (points(2, seed + 3), points(3, seed + 4));
        let imagined = fantasies(&posterior, pending.as_ref(), 0.05, 128, &mut Seed(seed).stream("fantasies", 0)).unwrap();
        let means = imagined.iter().map(|p| Box::new(Analytic::new(p, PosteriorMean)) as Box<dyn Acquisition>);
        let mean = Average::of(means.collect()).unwrap();
        for x in at.rows() {
            // What is expected of the mean is the mean.
            prop_assert!((mean.value(x) + posterior.predict(x).mean).abs() < 0.05, "{}", mean.value(x));
        }
        let logs = || imagined.iter().map(|p| Box::new(Analytic::new(p, LogExpectedImprovement { target: 0.0 })) as Box<dyn Acquisition>);
        let few = Average::of_logarithms(logs().take(8).collect()).unwrap();
        assert_gradients(&few, at.as_ref())?;
    }
}

/// Weights count by their share, of values and of logarithms.
#[test]
fn averages_have_weights() {
    let (_, _, posterior) = posterior(3, 0.05);
    let at = points(4, 8);
    let of = |target: f64, logarithm: bool| -> Box<dyn Acquisition + '_> {
        if logarithm {
            Box::new(Analytic::new(&posterior, LogExpectedImprovement { target }))
        } else {
            Box::new(Analytic::new(&posterior, ExpectedImprovement { target }))
        }
    };
    let plain = Average::weighted(vec![(1.5, of(0.0, false)), (0.5, of(1.0, false))]).unwrap();
    let log = Average::weighted(vec![(1.5, of(0.0, true)), (0.5, of(1.0, true))]).unwrap().in_logarithms();
    for x in at.rows() {
        let by_hand = 0.75 * of(0.0, false).value(x) + 0.25 * of(1.0, false).value(x);
        assert!((plain.value(x) - by_hand).abs() <= 1e-12 * by_hand, "{}", plain.value(x));
        assert!((log.value(x) - by_hand.ln()).abs() <= 1e-9 * (1.0 + by_hand.ln().abs()), "{}", log.value(x));
    }
    assert_gradients(&plain, at.as_ref()).unwrap();
    assert_gradients(&log, at.as_ref()).unwrap();
}

/// A ball of radius (μ - M)/L about each pending point: the higher the point, the larger.
#[test]
fn local_penalties_are_what_their_formula_says() {
    let (x, y, posterior) = posterior(4, 0.05);
    let best = y.iter().copied().fold(f64::INFINITY, f64::min) - 0.2;
    for lipschitz in [0.5, 4.0] {
        let penalties = LocalPenalties::new(&posterior, x.as_ref(), best, lipschitz).unwrap();
        for at in points(5, 21).rows() {
            let of = |center: &[f64]| {
                let Prediction { mean, variance } = posterior.predict(center);
                assert!(mean > best);
                let distance = (at[0] - center[0]).hypot(at[1] - center[1]);
                thrifty_prob::log_cdf((lipschitz * distance - (mean - best)) / variance.sqrt())
            };
            let expected: f64 = x.rows().map(of).sum();
            let found = penalties.value(at);
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
        }
    }
}

#[test]
fn a_drawn_function_has_its_slopes() {
    let (_, _, posterior) = posterior(3, 0.05);
    let path = ThompsonPath::drawn(&posterior, &mut Seed(1).stream("path", 0)).unwrap();
    assert_gradients(&path, points(3, 9).as_ref()).unwrap();
}

#[test]
fn anchors_are_where_the_minimum_may_be() {
    let (x, _, posterior) = posterior(5, 0.01);
    let rng = &mut Seed(2).stream("anchors", 0);
    let pool = points(200, 6);
    let anchors = choose_anchors(&posterior, pool.as_ref(), 20, rng).unwrap();
    assert_eq!(anchors.len(), 20);
    let average =
        |points: &Points| points.rows().map(|p| posterior.predict(p).mean).sum::<f64>() / points.len() as f64;
    assert!(average(&anchors) < average(&pool));
    let best = prune_baseline(&posterior, x.as_ref(), 64, rng).unwrap();
    let lowest =
        (0..7).min_by(|a, b| posterior.predict(x.row(*a)).mean.total_cmp(&posterior.predict(x.row(*b)).mean));
    assert_eq!(best.first().copied(), lowest);
    // No more than there are, duplicates once.
    let twice = Points::from_rows(&[[0.1, 0.1], [0.1, 0.1]]).unwrap();
    assert_eq!(choose_anchors(&posterior, twice.as_ref(), 5, rng).unwrap().len(), 1);
}

#[test]
fn edges() {
    let (x, _, posterior) = posterior(1, 0.1);
    let rng = &mut Seed(2).stream("edges", 0);
    let empty = NoisyExpectedImprovement::new(&posterior, Points::new(2).as_ref(), 8, rng).err();
    assert_eq!(empty, Some(AcquisitionError::Input(InputError::Empty { name: "baseline points" })));
    let wrong =
        NoisyExpectedImprovement::new(&posterior, Points::zeros(1, 3).as_ref(), 8, rng).err().unwrap();
    assert_eq!(wrong.to_string(), "baseline points of dimension 3, expected 2");
    // The baseline twice over is the baseline.
    let mut twice = x.clone();
    x.rows().for_each(|p| twice.push(p));
    let (once, again) = (nei(&posterior, &x, 1024), nei(&posterior, &twice, 1024));
    let at = [0.4, 0.6];
    assert!(
        (once.value(&at) - again.value(&at)).abs() < 0.02 * once.value(&at),
        "{} {}",
        once.value(&at),
        again.value(&at)
    );
    assert!(fantasies(&posterior, x.as_ref(), -1.0, 4, rng).is_err());
    assert!(fantasies(&posterior, x.as_ref(), 0.1, 0, rng).is_err());
    assert!(fantasies(&posterior, Points::new(2).as_ref(), 0.1, 2, rng).is_err());
    let bad = Points::from_flat(vec![f64::NAN, 0.5], 2);
    let error = NoisyExpectedImprovement::new(&posterior, bad.as_ref(), 8, rng).err().unwrap();
    assert!(error.to_string().contains("0 is NaN"), "{error}");
    assert!(Average::of(vec![]).is_err());
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mean: Box<dyn Acquisition> = Box::new(Analytic::new(&posterior, PosteriorMean));
        let error = Average::weighted(vec![(weight, mean)]).err().unwrap().to_string();
        assert!(error.contains("weight of an acquisition"), "{error}");
    }
    let error = LocalPenalties::new(&posterior, x.as_ref(), 0.0, f64::NAN).unwrap_err();
    assert_eq!(error.to_string(), "Lipschitz constant is NaN, expected a positive finite number");
    assert!(LogInverseCost::new(-1.0).is_err());
    assert_eq!(LogInverseCost::cooled(10.0, 2.0, 6.0).unwrap().exponent(), 0.5);
    assert_eq!(LogFeasibility { threshold: 1.0 }.value(1.0, 0.0), 0.0);
    assert_eq!(LogFeasibility { threshold: 1.0 }.value(1.1, 0.0), f64::NEG_INFINITY);
    let error = Conditioned::new(&posterior, x.as_ref(), &[f64::NAN; 7], 0.1).err().unwrap();
    assert!(error.to_string().contains("outcome 0 is NaN"), "{error}");
    let inside = Masked::new(Analytic::new(&posterior, PosteriorMean), |x: &[f64]| x[0] < 0.5);
    assert_eq!(inside.value(&[0.6, 0.1]), f64::NEG_INFINITY);
    assert!(inside.value(&[0.4, 0.1]).is_finite());
    let never = Analytic::new(&posterior, LogFeasibility { threshold: f64::NEG_INFINITY });
    let zero = Weighted::utility(Analytic::new(&posterior, ExpectedImprovement { target: 0.0 })).times(never);
    assert_eq!(zero.value(&[0.3, 0.3]), 0.0);
}

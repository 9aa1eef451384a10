//! The exact knowledge gradient: against simulation, against slower ways to the same numbers, and at the edges.

use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{Acquisition, KnowledgeGradient, OneShotKnowledgeGradient};
use thrifty_check::InputError;
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_optim::{LocalSearch, Objective};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointLookahead, Posterior, Prediction, lookahead};

fn data(n: usize, seed: u64) -> (Points, Vec<f64>) {
    let mut rng = Seed(seed).stream("data", 0);
    let (mut x, mut y) = (Points::new(2), Vec::new());
    for _ in 0..n {
        let point = [rng.uniform(), rng.uniform()];
        x.push(&point);
        y.push((7.0 * point[0]).sin() + 2.0 * (point[1] - 0.4).powi(2) + 0.1 * rng.uniform());
    }
    (x, y)
}

fn posterior(n: usize, seed: u64) -> (Points, GpPosterior<Scaled<Matern52>>) {
    let (x, y) = data(n, seed);
    let fitted = Gp::matern52(2).fit(x.as_ref(), &y, &mut Seed(seed).stream("fit", 0)).unwrap();
    (x, fitted)
}

/// The definition: condition on drawn outcomes and see what the best mean becomes.
#[test]
fn it_is_the_expected_fall_of_the_best_mean() {
    let (x, posterior) = posterior(9, 3);
    let noise = 0.05;
    let mut rng = Seed(5).stream("outcomes", 0);
    for (at, own) in [([0.63, 0.41], true), ([0.2, 0.9], true), ([0.63, 0.41], false)] {
        let exact = KnowledgeGradient::new(&posterior, x.as_ref(), noise).unwrap();
        let exact = if own { exact } else { exact.among_anchors() }.value(&at);
        let means = |p: &dyn Posterior, set: &Points| -> f64 {
            set.rows().map(|row| p.predict(row).mean).fold(f64::INFINITY, f64::min)
        };
        let mut after = x.clone();
        if own {
            after.push(&at);
        }
        let Prediction { mean, variance } = posterior.predict(&at);
        let (draws, best) = (4000, means(&posterior, &x));
        let mut falls = Vec::with_capacity(draws);
        for _ in 0..draws / 2 {
            let z: f64 = StandardNormal.sample(&mut rng);
            // A pair of opposite outcomes has less noise than two.
            for z in [z, -z] {
                let y = mean + (variance + noise).sqrt() * z;
                let known = noise - posterior.noise_variance();
                let next = posterior
                    .with_noisy_observations(PointsRef::single(&at), &[y], &[known.max(0.0)])
                    .unwrap();
                falls.push(best - means(&next, &after));
            }
        }
        let average = falls.iter().sum::<f64>() / draws as f64;
        let spread = (falls.iter().map(|f| (f - average).powi(2)).sum::<f64>() / draws as f64).sqrt();
        assert!(
            (average - exact).abs() < 4.0 * spread / (draws as f64).sqrt() + 1e-9,
            "{at:?}: {average} {exact} {spread}"
        );
    }
}

struct Climbing<'a>(&'a dyn Acquisition);

impl Objective for Climbing<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.0.values_into(x, out);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let mut value = [0.0];
        self.0.values_with_gradients_into(PointsRef::single(x), &mut value, gradient).then_some(value[0])
    }
}

fn smallest_mean(posterior: &dyn Posterior, x: &Points) -> f64 {
    x.rows().map(|row| posterior.predict(row).mean).fold(f64::INFINITY, f64::min)
}

#[test]
fn one_shot_of_one_point_is_the_exact_one() {
    let (x, posterior) = posterior(8, 3);
    let (noise, best) = (0.05, smallest_mean(&posterior, &x));
    let exact = KnowledgeGradient::new(&posterior, x.as_ref(), noise).unwrap().among_anchors();
    let rng = &mut Seed(1).stream("outcomes", 0);
    let one = OneShotKnowledgeGradient::new(&posterior, 1, 1024, noise, best, rng).unwrap();
    for at in [[0.63, 0.41], [0.2, 0.9], [0.9, 0.1]] {
        let found = one.value(&one.completed(PointsRef::single(&at), x.as_ref()).unwrap());
        let truth = exact.value(&at);
        assert!((found - truth).abs() < 1e-3 * (truth + 0.1), "{at:?}: {found} {truth}");
    }
}

#[test]
fn one_shot_climbs_and_two_points_tell_more_than_one() {
    let (x, posterior) = posterior(8, 5);
    let (noise, best) = (0.05, smallest_mean(&posterior, &x));
    let rng = &mut Seed(1).stream("outcomes", 0);
    let two = OneShotKnowledgeGradient::new(&posterior, 2, 8, noise, best, rng).unwrap();
    let start = two.completed(PointsRef::single(&[0.6, 0.4]), x.as_ref());
    assert!(start.is_err(), "one point for two observations");
    let pair = Points::from_rows(&[[0.6, 0.4], [0.2, 0.8]]).unwrap();
    let start = two.completed(pair.as_ref(), x.as_ref()).unwrap();
    let summit = LocalSearch::default().maximize(&Domain::unit_cube(two.dim()), &Climbing(&two), &start);
    assert!(summit.value > two.value(&start) && summit.value > 0.0, "{}", summit.value);
    let rng = &mut Seed(1).stream("outcomes", 0);
    let many = OneShotKnowledgeGradient::new(&posterior, 2, 1024, noise, best, rng).unwrap();
    let both = many.value(&many.completed(pair.as_ref(), x.as_ref()).unwrap());
    for at in pair.rows() {
        let alone = KnowledgeGradient::new(&posterior, x.as_ref(), noise).unwrap().among_anchors().value(at);
        assert!(both >= alone - 1e-4, "{both} {alone}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn one_shot_has_its_slopes(seed in 0_u64..500, q in 1_usize..4, noise in 0.01..0.3_f64) {
        let (_, posterior) = posterior(7, seed);
        let rng = &mut Seed(seed).stream("one shot", 0);
        let kg = OneShotKnowledgeGradient::new(&posterior, q, 5, noise, 0.0, rng).unwrap();
        let at: Vec<f64> = (0..kg.dim()).map(|_| rng.uniform()).collect();
        let (mut value, mut gradient) = ([0.0], vec![0.0; kg.dim()]);
        prop_assert!(kg.values_with_gradients_into(PointsRef::single(&at), &mut value, &mut gradient));
        prop_assert!((value[0] - kg.value(&at)).abs() < 1e-10);
        for k in 0..kg.dim() {
            let moved = |offset: f64| {
                let mut moved = at.clone();
                moved[k] += offset;
                kg.value(&moved)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            prop_assert!((gradient[k] - slope).abs() < 1e-4 * (1.0 + slope.abs()), "{k}: {} {slope}", gradient[k]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn fast_and_slow_ways_agree_and_slopes_match(n in 1_usize..12, seed in 0_u64..500, noise in 0.0..0.3_f64, at in (0.05..0.95_f64, 0.05..0.95_f64)) {
        let (x, posterior) = posterior(n, seed);
        let at = [at.0, at.1];
        let mut means: Vec<f64> = x.rows().chain([&at[..]]).map(|row| posterior.predict(row).mean).collect();
        means.sort_by(f64::total_cmp);
        let gap = (means[1] - means[0]).clamp(f64::MIN_POSITIVE, 1.0);
        for only_anchors in [false, true] {
            for logarithm in [false, true] {
                let make = |ahead| {
                    let kg = KnowledgeGradient::of(ahead).unwrap();
                    let kg = if only_anchors { kg.among_anchors() } else { kg };
                    if logarithm { kg.logarithm() } else { kg }
                };
                let fast = make(lookahead(&posterior, x.as_ref(), noise));
                let slow = make(Box::new(JointLookahead::new(&posterior, x.as_ref(), noise)));
                let (value, other) = (fast.value(&at), slow.value(&at));
                // Of a logarithm -z²/2 with z = Δμ/Δσ the covariances in Δσ are exact to 1e-13 of 1, which is 1e-13 z/Δμ of Δσ.
                let rounding = if logarithm { 2e-13 * (2.0 * other.abs()).sqrt() / gap } else { 0.0 };
                let close = (value - other).abs() <= (1e-6 + rounding) * (1.0 + other.abs());
                prop_assert!(close || value == other, "{value} {other}");
                // Where the gain is nearly zero, differences are rounding alone.
                if value.is_finite() && (logarithm && value > -12.0 || !logarithm && value > 1e-7) {
                    let (mut out, mut gradient, mut by_slow) = ([0.0], [0.0; 2], [0.0; 2]);
                    prop_assert!(fast.values_with_gradients_into(PointsRef::single(&at), &mut out, &mut gradient));
                    prop_assert!(slow.values_with_gradients_into(PointsRef::single(&at), &mut out, &mut by_slow));
                    for k in 0..2 {
                        let step = 1e-6;
                        let moved = |offset: f64| {
                            let mut moved = at;
                            moved[k] += offset;
                            fast.value(&moved)
                        };
                        let slope = (moved(step) - moved(-step)) / (2.0 * step);
                        prop_assert!((gradient[k] - slope).abs() <= 2e-4 * (1.0 + slope.abs()), "{} {slope}", gradient[k]);
                        prop_assert!((gradient[k] - by_slow[k]).abs() <= 1e-5 * (1.0 + slope.abs()));
                    }
                }
            }
        }
    }

    #[test]
    fn knowledge_is_never_worth_less_than_nothing(n in 1_usize..12, seed in 0_u64..500, noise in 0.0..0.3_f64) {
        let (x, posterior) = posterior(n, seed);
        let plain = KnowledgeGradient::new(&posterior, x.as_ref(), noise).unwrap();
        let fewer = KnowledgeGradient::new(&posterior, x.as_ref(), noise).unwrap().among_anchors();
        let noisier = KnowledgeGradient::new(&posterior, x.as_ref(), noise + 0.5).unwrap();
        let log = KnowledgeGradient::new(&posterior, x.as_ref(), noise).unwrap().logarithm();
        for point in Points::from_rows(&[[0.1, 0.2], [0.5, 0.5], [0.8, 0.3]]).unwrap().rows() {
            let value = plain.value(point);
            prop_assert!(value >= fewer.value(point) - 1e-12 && fewer.value(point) >= 0.0);
            prop_assert!(value >= noisier.value(point) - 1e-12);
            if value > 1e-12 {
                prop_assert!((log.value(point) - value.ln()).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn edges() {
    let (x, posterior) = posterior(6, 1);
    let none = KnowledgeGradient::new(&posterior, Points::new(2).as_ref(), 0.1).err();
    assert_eq!(none, Some(InputError::Empty { name: "anchors" }.into()));
    let error = KnowledgeGradient::new(&posterior, x.as_ref(), f64::NAN).err().unwrap();
    assert!(error.to_string().contains("noise variance is NaN"), "{error}");
    // One anchor and nothing else to choose: nothing to decide.
    let one = x.as_ref().slice(0, 1);
    let alone = KnowledgeGradient::new(&posterior, one, 0.1).unwrap().among_anchors();
    assert_eq!(alone.value(&[0.3, 0.3]), 0.0);
    assert_eq!(alone.logarithm().value(&[0.3, 0.3]), f64::NEG_INFINITY);
}

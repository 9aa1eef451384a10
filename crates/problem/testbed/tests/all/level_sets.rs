//! Problems with thresholds: how much is above, what is cut off, and draws with the covariance they promise.

use proptest::prelude::*;
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::Config;
use thrifty_testbed::{LevelSetProblem as Problem, RandomFunction, Spectrum};

fn points(problem: &Problem, count: usize) -> Vec<Config> {
    let dim = problem.space().dim();
    let points = Sobol::scrambled(dim, &mut Seed(7).stream("points", 0)).take(count);
    points.rows().map(|x| problem.space().decode(x)).collect()
}

fn share_above(problem: &Problem) -> f64 {
    let configs = points(problem, 4096);
    configs.iter().filter(|config| problem.is_above(config).unwrap()).count() as f64 / 4096.0
}

#[test]
fn as_much_is_above_as_the_formulas_give() {
    for (problem, share, within) in [
        (Problem::death_valley2(), 0.206, 0.003),
        (Problem::death_valley4(), 0.0327, 0.004),
        (Problem::caligo9(), 0.0482, 0.004),
    ] {
        let found = share_above(&problem);
        assert!((found - share).abs() < within, "{}: {found}", problem.name());
    }
    for problem in [
        Problem::branin(),
        Problem::himmelblau(),
        Problem::rosenbrock(),
        Problem::goldstein_price(),
        Problem::lake(Seed(1)),
        Problem::draw(Spectrum::Matern { twice_smoothness: 5 }, &[0.2, 0.2], Seed(1)),
    ] {
        let found = share_above(&problem);
        assert!((0.02..0.98).contains(&found), "{}: {found}", problem.name());
    }
}

#[test]
fn what_a_run_returns_is_the_margin_cut_off() {
    for (margin, clipped, bits) in [
        (Problem::death_valley4(), Problem::death_valley4_clipped(), 512.0),
        (Problem::caligo9(), Problem::caligo9_clipped(), 1e4),
    ] {
        let mut viable = 0;
        for config in points(&margin, 2048) {
            let (signed, cut) = (margin.truth(&config).unwrap(), clipped.truth(&config).unwrap());
            assert!(cut >= 0.0, "{}: {cut}", clipped.name());
            viable += usize::from(cut > 0.0);
            // Rounded down by less than one bit of those there are; error rates that abort return nothing.
            if cut > 0.0 && margin.name() == "Caligo9" {
                assert!(signed >= cut && signed - cut < 1.0 / bits, "{signed} {cut}");
            }
        }
        assert!(viable > 20, "{}: {viable}", clipped.name());
    }
}

#[test]
fn bad_configurations_are_named_and_measured_as_failures() {
    let valley = Problem::death_valley2();
    let error = valley.truth(&Config::new()).unwrap_err().to_string();
    assert!(error.contains('Q'), "{error}");
    let outcome = valley.evaluate(&Config::new(), &mut Seed(0).stream("noise", 0));
    assert!(outcome.measurement().is_none());
}

/// Configurations of other spaces are refused, although the formula takes their numbers.
#[test]
fn configurations_outside_the_space_have_no_value() {
    let branin = Problem::branin();
    let with = |values: &[(&str, f64)]| {
        let mut config = Config::new();
        values.iter().for_each(|(name, value)| config.insert(*name, *value));
        config
    };
    let inside = with(&[("x0", 0.0), ("x1", 5.0)]);
    assert!(branin.truth(&inside).is_ok() && branin.is_above(&inside).is_ok());
    let outside = with(&[("x0", 11.0), ("x1", 5.0)]);
    let error = branin.truth(&outside).unwrap_err().to_string();
    assert!(error.contains("x0 is 11"), "{error}");
    assert!(branin.is_above(&outside).is_err());
    let outcome = branin.evaluate(&outside, &mut Seed(0).stream("noise", 0));
    assert!(outcome.measurement().is_none(), "outside is measured as a failure");
}

#[test]
fn the_boundary_of_the_valley_is_where_the_rate_ends() {
    // For r above 0.2525 the margin is Rmax - r - D/n: r moves it one for one.
    let valley = Problem::death_valley2();
    let at = |r: f64| {
        let mut config = Config::new();
        config.insert("Q", 0.04);
        config.insert("r", r);
        valley.truth(&config).unwrap()
    };
    assert!((at(0.6) - at(0.8) - 0.2).abs() < 1e-12);
}

/// Mean over draws of products at two points, and of the squares at one.
fn covariance(spectrum: Spectrum, lengthscale: f64, distance: f64) -> (f64, f64) {
    let (mut product, mut square) = (0.0, 0.0);
    let draws = 4000;
    for seed in 0..draws {
        let mut rng = Seed(seed).stream("draw", 0);
        let f = RandomFunction::draw(spectrum, &[lengthscale], &mut rng);
        let (a, b) = (f.value(&[0.2]), f.value(&[0.2 + distance]));
        product += a * b / draws as f64;
        square += a * a / draws as f64;
    }
    (product, square)
}

#[test]
fn draws_have_the_covariance_of_their_process() {
    let (distance, lengthscale) = (0.15_f64, 0.3);
    let s = 5.0_f64.sqrt() * distance / lengthscale;
    for (spectrum, expected) in [
        (Spectrum::SquaredExponential, (-0.5 * (distance / lengthscale).powi(2)).exp()),
        (Spectrum::Matern { twice_smoothness: 5 }, (1.0 + s + s * s / 3.0) * (-s).exp()),
        (Spectrum::Matern { twice_smoothness: 1 }, (-distance / lengthscale).exp()),
    ] {
        let (product, square) = covariance(spectrum, lengthscale, distance);
        // The standard deviation of a mean of 4,000 products of normal variables is about 0.02.
        assert!((product - expected).abs() < 0.07, "{spectrum:?}: {product}, expected {expected}");
        assert!((square - 1.0).abs() < 0.09, "{spectrum:?}: {square}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// A better memory of the adversary and more errors never help; the margin is finite everywhere.
    #[test]
    fn margins_fall_with_errors_and_memory(q in 0.01..0.14_f64, r in 0.5..0.98_f64, up in 0.0..0.01_f64) {
        let valley = Problem::death_valley2();
        let at = |q: f64, r: f64| {
            let mut config = Config::new();
            config.insert("Q", q);
            config.insert("r", r);
            valley.truth(&config).unwrap()
        };
        prop_assert!(at(q, r).is_finite());
        prop_assert!(at(q + up, r) <= at(q, r) + 1e-12);
        prop_assert!(at(q, r + up) <= at(q, r) + 1e-12);
    }
}

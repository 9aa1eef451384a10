//! Values of the test functions away from their optima.
//!
//! Computed with Python's `math` from the formulas of the cited papers, apart from those that follow by hand, such as
//! Goldstein–Price(1, 1) = 1876 and Rosenbrock(1, 3, 2) = 400 + 4904.

use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_testbed::{LevelSetProblem, MultiObjectiveFunction, Problem, TestFunction};

fn check(function: &TestFunction, values: &[(&[f64], f64)]) {
    for (x, expected) in values {
        let found = function.value(x);
        let close = (found - expected).abs() <= 1e-12 * expected.abs().max(1.0);
        assert!(close, "{}({x:?}) is {found}, expected {expected}", function.name());
    }
}

#[test]
fn hartmann_functions() {
    check(
        &TestFunction::hartmann3(),
        &[
            (&[0.5, 0.5, 0.5], -0.628_022_015_070_593_7),
            (&[0.1, 0.9, 0.2], -0.069_877_626_605_077_32),
            (&[0.8, 0.4, 0.6], -0.765_576_615_303_833),
        ],
    );
    // The last four are near the centres of the four terms.
    check(
        &TestFunction::hartmann6(),
        &[
            (&[0.5; 6], -0.505_314_991_702_233_3),
            (&[0.1, 0.9, 0.2, 0.7, 0.3, 0.6], -0.075_265_867_088_007_16),
            (&[0.1, 0.15, 0.55, 0.0, 0.85, 0.6], -0.993_350_513_866_339),
            (&[0.25, 0.4, 0.8, 0.35, 0.1, 0.95], -1.584_257_679_467_87),
            (&[0.25, 0.15, 0.35, 0.3, 0.3, 0.65], -3.178_018_019_430_011_6),
            (&[0.4, 0.8, 0.9, 0.6, 0.1, 0.05], -3.005_624_398_636_465_2),
        ],
    );
}

#[test]
fn functions_of_two_variables() {
    check(
        &TestFunction::branin(),
        &[(&[0.0, 0.0], 55.602_112_642_270_264), (&[2.0, 12.0], 81.109_921_153_385_5)],
    );
    check(&TestFunction::goldstein_price(), &[(&[1.0, 1.0], 1876.0), (&[-1.0, 0.5], 10_660.160_156_25)]);
    check(
        &TestFunction::six_hump_camel(),
        &[(&[1.0, 1.0], 3.0 + 7.0 / 30.0), (&[2.0, -1.5], 11.0 + 59.0 / 60.0)],
    );
}

#[test]
fn functions_of_one_variable() {
    check(
        &TestFunction::forrester(),
        &[(&[0.0], 3.027_209_981_231_713), (&[0.3], -0.015_576_733_692_346_06)],
    );
    check(
        &TestFunction::wang_freitas(),
        &[(&[0.1], -2.0), (&[0.25], -0.649_304_934_716_699_6), (&[0.885], -1.298_609_869_433_479_3)],
    );
}

#[test]
fn functions_of_any_dimension() {
    let ackley = TestFunction::ackley(2);
    check(&ackley, &[(&[1.0, 1.0], 3.625_384_938_440_362_7), (&[2.3, -1.7], 8.637_571_800_133_344)]);
    check(&TestFunction::rosenbrock(3), &[(&[1.0, 3.0, 2.0], 5304.0), (&[0.0; 3], 2.0)]);
    check(&TestFunction::styblinski_tang(2), &[(&[1.0, 2.0], -24.0), (&[-1.0, 3.0], -34.0)]);
    let cosines = TestFunction::by_name("cosines").expect("a function of this name");
    check(&cosines, &[(&[0.0, 0.0], -0.5), (&[0.7, 0.2], -0.817_048_145_670_514_8)]);
}

#[test]
fn logarithms() {
    check(&TestFunction::log_goldstein_price(), &[(&[1.0, 1.0], 1876_f64.ln())]);
    check(&TestFunction::log_six_hump_camel(), &[(&[1.0, 1.0], 1.450_449_996_466_051_5)]);
    check(&TestFunction::log_hartmann6(), &[(&[0.5; 6], 0.682_573_298_210_409_4)]);
    check(&TestFunction::log_rosenbrock(2), &[(&[1.0, 2.0], 100.5_f64.ln())]);
    check(&TestFunction::log_styblinski_tang(2), &[(&[1.0, 2.0], 56_f64.ln()), (&[-1.0, 3.0], 46_f64.ln())]);
}

/// The sign of a problem of level sets is that of the function above its threshold.
#[test]
fn level_sets_of_known_functions() {
    // Himmelblau's function is 170 at the origin and 0 at (3, 2).
    let himmelblau = LevelSetProblem::himmelblau();
    let at = |x: [f64; 2]| himmelblau.truth(&TestFunction::config(&x)).expect("a point of the space");
    assert_eq!((at([0.0, 0.0]).abs(), at([3.0, 2.0]).abs()), (170.0, 0.0));
}

#[test]
fn problems_have_the_dimensions_that_they_say() {
    let two = [MultiObjectiveFunction::branin_currin(), MultiObjectiveFunction::constrained_branin_currin()];
    for problem in two {
        assert_eq!((problem.bounds().len(), problem.space().dim()), (2, 2), "{}", problem.name());
    }
    assert_eq!(MultiObjectiveFunction::vehicle_safety().bounds().len(), 5);
    assert_eq!(MultiObjectiveFunction::caligo().bounds().len(), 4);
    for (function, dim) in
        [(TestFunction::hartmann3(), 3), (TestFunction::hartmann6(), 6), (TestFunction::ackley(4), 4)]
    {
        assert_eq!(function.bounds().len(), dim, "{}", function.name());
    }
}

/// A second implementation in Python of the rates of oblivious transfer.
#[test]
fn rates_of_oblivious_transfer() {
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9 * (1.0 + expected.abs());
    let problem = LevelSetProblem::death_valley4_clipped();
    for (x, expected) in [
        ([4096.0, 0.02, 0.5, 0.8], 0.284_177_381_519_664),
        ([1024.0, 0.03, 0.55, 0.72], 0.106_311_356_645_193_95),
        ([8192.0, 0.05, 0.6, 0.66], 0.052_121_696_278_449_835),
    ] {
        let mut config = Config::new();
        ["n", "Q", "r", "R"].iter().zip(x).for_each(|(name, value)| config.insert(*name, value));
        let found = problem.truth(&config).expect("a configuration of the space");
        assert!(close(found, expected), "{x:?}: {found}, expected {expected}");
    }
    for (x, expected) in [
        (
            [6.0, 5.0, 0.1, 0.05],
            [0.041_805_883_421_224_196, 1.332_992_144_693_894_2, 1.118_714_298_571_428_5],
        ),
        ([6.5, 6.0, 0.3, 0.02], [-0.194_811_214_095_910_85, 1.133_196_857_877_557_5, 11.580_162_452_660_169]),
    ] {
        let found = MultiObjectiveFunction::caligo().losses(&x);
        assert!(
            found.iter().zip(expected).all(|(f, e)| close(*f, e)),
            "{x:?}: {found:?}, expected {expected:?}"
        );
    }
}

#[test]
fn the_valley_reaches_from_512_to_8192_bits() {
    let space = LevelSetProblem::death_valley4().space().clone();
    for (u, bits) in [(0.0, 512.0), (0.5, 2048.0), (1.0, 8192.0)] {
        let found = space.decode(&[u, 0.5, 0.5, 0.5]).float("n").expect("a number");
        assert!((found - bits).abs() < 1e-6, "{found}");
    }
}

/// A layer of height 1 with patches of standard deviation 0.15: below the layer only the patches remain.
#[test]
fn a_lake_has_a_layer_and_patches() {
    let spread = |x: [f64; 2], center: f64| {
        let values = (0..400).map(|seed| {
            let lake = LevelSetProblem::lake(Seed(seed));
            lake.truth(&TestFunction::config(&x)).expect("a point of the space") - center
        });
        let (sum, squares) = values.fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
        (sum / 400.0, (squares / 400.0_f64).sqrt())
    };
    // At x0 = 0 the layer lies at a depth of 0.4; at a depth of 1 it has vanished.
    for (x, center) in [([0.0, 0.4], 1.0), ([0.0, 1.0], 0.0)] {
        let (mean, std_dev) = spread(x, center);
        // Standard errors 0.0075 and 0.0053.
        assert!(mean.abs() < 0.045 && (std_dev - 0.15).abs() < 0.032, "{x:?}: {mean} ± {std_dev}");
    }
}

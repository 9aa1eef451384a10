//! Laws of the optimisers on random problems, and bad input.

use proptest::prelude::*;
use thrifty_domain::{Domain, PointsRef, Variable};
use thrifty_optim::{
    Lbfgsb, LocalSearch, Objective, OptimError, Termination, multi_start, projected_start, suite,
};

/// A convex quadratic with random axes of curvature, its centre maybe outside the box.
fn quadratic<'a>(weights: &'a [f64], center: &'a [f64]) -> impl Fn(&[f64], &mut [f64]) -> f64 + 'a {
    move |x, gradient| {
        let mut value = 0.0;
        for i in 0..x.len() {
            // Neighbours are coupled, so that the Hessian is not diagonal.
            let next = (i + 1) % x.len();
            let (a, b) = (x[i] - center[i], x[next] - center[next]);
            value += weights[i] * a * a + 0.1 * (a - b).powi(2);
        }
        for i in 0..x.len() {
            let previous = (i + x.len() - 1) % x.len();
            let next = (i + 1) % x.len();
            let d = |j: usize| x[j] - center[j];
            gradient[i] = 2.0 * weights[i] * d(i) + 0.2 * (d(i) - d(next)) - 0.2 * (d(previous) - d(i));
        }
        value
    }
}

fn problem() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<f64>)> {
    (1_usize..12).prop_flat_map(|n| {
        let weights =
            prop::collection::vec(-3.0..4.0_f64, n).prop_map(|w| w.iter().map(|v| 10_f64.powf(*v)).collect());
        (weights, prop::collection::vec(-2.0..3.0_f64, n), prop::collection::vec(-4.0..4.0_f64, n))
    })
}

proptest! {
    #[test]
    fn convex_quadratics_end_at_a_stationary_point_inside((weights, center, start) in problem()) {
        let bounds = vec![(-1.0, 1.0); weights.len()];
        let f = quadratic(&weights, &center);
        let optimizer = Lbfgsb { gradient_tolerance: 1e-7, value_tolerance: 0.0, ..Lbfgsb::default() };
        let found = optimizer.minimize(&f, &start, &bounds).unwrap();
        prop_assert!(found.x.iter().all(|x| (-1.0..=1.0).contains(x)));
        let mut gradient = vec![0.0; start.len()];
        let inside: Vec<f64> = start.iter().map(|v| v.clamp(-1.0, 1.0)).collect();
        prop_assert!(found.value <= f(&inside, &mut gradient));
        let scale = weights.iter().fold(1.0, |m: f64, w| m.max(*w));
        for (x, g) in found.x.iter().zip(&found.gradient) {
            let projected = x - (x - g).clamp(-1.0, 1.0);
            prop_assert!(projected.abs() <= 1e-6 * scale, "{:?}: {projected} at {x}", found.termination);
        }
        let again = optimizer.minimize(&f, &start, &bounds).unwrap();
        prop_assert_eq!(again, found, "the same bits twice");
    }

    #[test]
    fn a_climb_is_feasible_and_never_below_its_start(seed in any::<u64>(), smooth in any::<bool>()) {
        let variables = vec![
            Variable::continuous(),
            Variable::stepped(7),
            Variable::one_hot(3),
            Variable::continuous().when(2, vec![0, 1]),
        ];
        let domain = Domain::new(variables).unwrap();
        let bumps = Bumps { seed, smooth };
        let start: Vec<f64> = (0..domain.dim()).map(|i| bumps.hash(i as u64)).collect();
        let mut feasible = start.clone();
        domain.snap(&mut feasible);
        let summit = LocalSearch::default().maximize(&domain, &bumps, &start);
        prop_assert!(domain.is_feasible(&summit.x), "{:?}", summit.x);
        prop_assert!(summit.value >= bumps.at(&feasible));
        prop_assert_eq!(summit.value, bumps.at(&summit.x));
        for neighbor in domain.neighbors(&summit.x) {
            prop_assert!(bumps.at(&neighbor) <= summit.value, "a neighbour is higher");
        }
    }
}

/// A sum of sines with random frequencies.
struct Bumps {
    seed: u64,
    smooth: bool,
}

impl Bumps {
    fn hash(&self, i: u64) -> f64 {
        thrifty_sampling::Seed(self.seed).stream("bumps", i).uniform()
    }

    fn at(&self, x: &[f64]) -> f64 {
        let mut gradient = vec![0.0; x.len()];
        self.with_gradient(x, &mut gradient)
    }

    fn with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
            let (rate, phase) = (1.0 + 5.0 * self.hash(i as u64), 6.0 * self.hash(100 + i as u64));
            value += (rate * x + phase).sin();
            *g = rate * (rate * x + phase).cos();
        }
        value
    }
}

impl Objective for Bumps {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.iter_mut().zip(x.rows()).for_each(|(out, x)| *out = self.at(x));
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        self.smooth.then(|| self.with_gradient(x, gradient))
    }
}

#[test]
fn a_function_that_fails_beyond_a_line_is_minimized_before_it() {
    // -ln(1 - x) + … has a pole at 1 and NaN beyond: rejected steps must come back.
    let f = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -(-1.0 / (1.0 - x[0]).powi(2)) - 20.0;
        if x[0] >= 1.0 { f64::NAN } else { 1.0 / (1.0 - x[0]) - 20.0 * x[0] }
    };
    let found = Lbfgsb::default().minimize(f, &[0.0], &[(-5.0, 50.0)]).unwrap();
    assert!((found.x[0] - (1.0 - (1.0_f64 / 20.0).sqrt())).abs() < 1e-4, "{found:?}");
}

/// A value that falls up to an edge and is undefined beyond: the search ends at the edge, not at its start.
#[test]
fn a_function_that_falls_to_an_edge_is_minimized_at_the_edge() {
    let falling = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -1.0;
        if x[0] > 3e-4 { f64::INFINITY } else { -x[0] }
    };
    let found = Lbfgsb::default().minimize(falling, &[0.0], &[(-5.0, 5.0)]).unwrap();
    assert!(found.x[0] > 2.99e-4 && found.x[0] <= 3e-4, "{found:?}");
    let optimizer = Lbfgsb { gradient_tolerance: 1e-4, value_tolerance: 1e-8, ..Lbfgsb::default() };
    let (mut worst, mut rng) = (0.0, thrifty_sampling::Seed(1).stream("edges", 0));
    let cases = std::iter::once([95.7, 3.95, -0.458]).chain(std::iter::repeat_with(|| {
        [10_f64.powf(3.0 * rng.uniform() - 1.0), 0.2 + 3.8 * rng.uniform(), -0.1 - 2.9 * rng.uniform()]
    }));
    for [k, m, start] in cases.take(2000) {
        let mut lowest = f64::INFINITY;
        let bowl = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = k * (x[0] - m);
            let value = if x[0] > 0.0 { f64::INFINITY } else { 0.5 * k * (x[0] - m).powi(2) };
            lowest = value.min(lowest);
            value
        };
        let found = optimizer.minimize(bowl, &[start], &[(-4.6, 4.6)]).unwrap();
        assert_eq!(found.value, lowest, "nothing that was seen is lower: {k} {m} {start} {found:?}");
        worst = f64::max(worst, found.value - 0.5 * k * m * m);
    }
    assert!(worst < 0.01, "{worst} above the edge");
}

/// The limit of evaluations within a search along a line that met an undefined value: the lowest point of the line is kept.
#[test]
fn the_last_evaluation_of_a_search_does_not_forget_lower_ones() {
    for max_evaluations in 2..30 {
        let mut lowest = f64::INFINITY;
        let falling = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            let value = if x[0] > 3e-4 { f64::NAN } else { -x[0] };
            lowest = value.min(lowest);
            value
        };
        let optimizer = Lbfgsb { max_evaluations, ..Lbfgsb::default() };
        let found = optimizer.minimize(falling, &[0.0], &[(-5.0, 5.0)]).unwrap();
        assert_eq!((found.value, found.x[0]), (lowest, -lowest), "{max_evaluations} evaluations");
        assert!(found.evaluations <= max_evaluations, "{found:?}");
    }
}

#[test]
fn edges_and_bad_input() {
    let flat = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        3.0
    };
    let optimizer = Lbfgsb::default();
    let found = optimizer.minimize(flat, &[], &[]).unwrap();
    assert_eq!((found.value, found.evaluations, found.termination), (3.0, 1, Termination::Gradient));
    assert_eq!(optimizer.minimize(flat, &[9.0], &[(1.0, 1.0)]).unwrap().x, [1.0]);
    let open = [(f64::NEG_INFINITY, f64::INFINITY); 2];
    let found = optimizer.minimize(suite::rosenbrock, &[-1.2, 1.0], &open).unwrap();
    assert!(found.value < 1e-8, "{found:?}");
    assert_eq!(
        optimizer.minimize(flat, &[0.0], &[]).unwrap_err(),
        OptimError::DimensionMismatch { start: 1, bounds: 0 }
    );
    for (low, high) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
        let error = optimizer.minimize(flat, &[0.0, 0.5], &[(0.0, 1.0), (low, high)]).unwrap_err();
        assert!(matches!(error, OptimError::InvalidBounds { index: 1, .. }), "{error}");
    }
    assert!(matches!(
        optimizer.minimize(flat, &[f64::NAN], &[(0.0, 1.0)]),
        Err(OptimError::NonFiniteStart { index: 0, .. })
    ));
    let nan = |_: &[f64], _: &mut [f64]| f64::NAN;
    assert!(matches!(optimizer.minimize(nan, &[0.5], &[(0.0, 1.0)]), Err(OptimError::NonFiniteValue { .. })));
    assert_eq!(multi_start(&optimizer, flat, &[], &[]).unwrap_err(), OptimError::NoStarts);
}

#[test]
fn the_best_of_several_starts_is_kept_and_all_are_reported() {
    let f = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -(x[0].sin() + x[0] * x[0].cos());
        -x[0] * x[0].sin()
    };
    let starts: Vec<Vec<f64>> = [1.0, 2.5, 7.0, 9.0].map(|v| vec![v]).to_vec();
    let found = multi_start(&Lbfgsb::default(), f, &starts, &[(0.0, 10.0)]).unwrap();
    assert_eq!(found.results.len(), 4);
    assert!((found.best().x[0] - 7.978_665_7).abs() < 1e-4, "{:?}", found.best());
    let some = |x: &[f64], gradient: &mut [f64]| if x[0] < 5.0 { f64::NAN } else { f(x, gradient) };
    let found = multi_start(&Lbfgsb::default(), some, &starts, &[(0.0, 10.0)]).unwrap();
    assert!(found.results[0].is_err() && found.results[2].is_ok());
}

/// A parabola with its top at `top`, its slope known or not.
struct Parabola {
    top: Vec<f64>,
    smooth: bool,
}

impl Objective for Parabola {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let value = |x: &[f64]| -x.iter().zip(&self.top).map(|(x, top)| (x - top).powi(2)).sum::<f64>();
        out.iter_mut().zip(x.rows()).for_each(|(out, x)| *out = value(x));
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let mut value = [0.0];
        self.values_into(PointsRef::single(x), &mut value);
        gradient.iter_mut().zip(x.iter().zip(&self.top)).for_each(|(g, (x, top))| *g = -2.0 * (x - top));
        self.smooth.then_some(value[0])
    }
}

/// Tops inside the box and beyond two of its sides, with slopes and by compass search, whose last step is 1e-5.
#[test]
fn a_climb_ends_at_the_top_of_a_parabola() {
    let domain =
        Domain::new(vec![Variable::continuous(), Variable::continuous(), Variable::stepped(5)]).unwrap();
    for (top, expected) in [
        ([0.62, 0.31, 0.72], [0.62, 0.31, 0.7]),
        ([1.4, -0.3, 0.1], [1.0, 0.0, 0.1]),
        ([0.0, 1.0, 0.9], [0.0, 1.0, 0.9]),
    ] {
        for smooth in [true, false] {
            let parabola = Parabola { top: top.to_vec(), smooth };
            let summit = LocalSearch::default().maximize(&domain, &parabola, &[0.2, 0.9, 0.5]);
            let error = summit.x.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= if smooth { 1e-6 } else { 1e-5 }, "{smooth} {:?} {expected:?}", summit.x);
        }
    }
}

/// One turn is one search along the columns and one move of a level: four turns reach a level four away.
#[test]
fn turns_are_limited() {
    let domain = Domain::new(vec![Variable::one_hot(4), Variable::one_hot(4), Variable::one_hot(4)]).unwrap();
    let top = [1.0, 0.0, 0.0, 0.0].repeat(3);
    let start: Vec<f64> = [0.0, 0.0, 0.0, 1.0].repeat(3);
    let parabola = Parabola { top, smooth: true };
    for (max_rounds, value) in [(0, -6.0), (1, -4.0), (2, -2.0), (3, 0.0), (20, 0.0)] {
        let search = LocalSearch { max_rounds, ..LocalSearch::default() };
        assert_eq!(search.maximize(&domain, &parabola, &start).value, value, "{max_rounds}");
    }
    assert_eq!(LocalSearch::default().max_rounds, 20);
    assert_eq!(LocalSearch::default().optimizer.max_evaluations, 100);
}

/// A start whose value is not a number is left for any that is.
#[test]
fn a_climb_leaves_a_start_without_a_value() {
    struct Gap;
    impl Objective for Gap {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            out.iter_mut().zip(x.rows()).for_each(|(v, x)| *v = if x[0] > 0.55 { x[0] } else { f64::NAN });
        }
    }
    let domain = Domain::new(vec![Variable::continuous()]).unwrap();
    let summit = LocalSearch::default().maximize(&domain, &Gap, &[0.5]);
    assert!((summit.x[0] - 1.0).abs() < 1e-12 && (summit.value - 1.0).abs() < 1e-12, "{summit:?}");
}

#[test]
fn a_search_ends_for_the_reason_it_names() {
    let bounds = [(-5.0, 5.0); 2];
    let run = |optimizer: &Lbfgsb| optimizer.minimize(suite::rosenbrock, &[-1.2, 1.0], &bounds).unwrap();
    let exact = Lbfgsb { gradient_tolerance: 1e-9, value_tolerance: 0.0, ..Lbfgsb::default() };
    let found = run(&exact);
    assert_eq!(found.termination, Termination::Gradient);
    assert!(found.gradient.iter().all(|g| g.abs() <= 1e-9), "{found:?}");
    for max_iterations in [0, 1, 7] {
        let found = run(&Lbfgsb { max_iterations, ..exact.clone() });
        assert_eq!((found.iterations, found.termination), (max_iterations, Termination::Iterations));
    }
    for max_evaluations in 1..12 {
        let found = run(&Lbfgsb { max_evaluations, ..exact.clone() });
        assert_eq!((found.evaluations, found.termination), (max_evaluations, Termination::Evaluations));
        let mut gradient = [0.0; 2];
        assert_eq!(suite::rosenbrock(&found.x, &mut gradient), found.value);
        assert_eq!(gradient[..], found.gradient[..]);
    }
    // The first iteration whose fall is within the tolerance is the last.
    let loose = run(&Lbfgsb { gradient_tolerance: 0.0, value_tolerance: 0.1, ..exact.clone() });
    assert_eq!(loose.termination, Termination::Value);
    let values: Vec<f64> = (0..=loose.iterations)
        .map(|max_iterations| run(&Lbfgsb { max_iterations, ..exact.clone() }).value)
        .collect();
    for (k, pair) in values.windows(2).enumerate() {
        let small = pair[0] - pair[1] <= 0.1 * pair[0].abs().max(pair[1].abs()).max(1.0);
        assert_eq!(small, k + 1 == loose.iterations, "{values:?}");
    }
    // A pit that the gradient does not show: no step is lower.
    let wrong = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0;
        if x[0] == 1.0 { 0.0 } else { 1.0 }
    };
    let found = exact.minimize(wrong, &[1.0], &[(-9.0, 9.0)]).unwrap();
    assert_eq!((found.termination, found.x[0]), (Termination::LineSearch, 1.0));
    // Without memory the steps are those of steepest descent: they converge, more slowly.
    let none = Lbfgsb { memory: 0, max_iterations: 300, ..exact.clone() };
    let found = none.minimize(suite::quadratic1e4, &[1.0, 0.5], &[(-3.0, 3.0); 2]).unwrap();
    assert!(found.value < 1.0, "{found:?}");
}

/// Without a box the first step has length 1 at most: that of a short gradient is the gradient.
#[test]
fn the_first_step_without_a_box() {
    let open = [(f64::NEG_INFINITY, f64::INFINITY); 2];
    for (slope, expected) in [([3.0, 4.0], [-0.6, -0.8]), ([0.03, 0.04], [-0.03, -0.04])] {
        let seen = std::cell::RefCell::new(Vec::new());
        let f = |x: &[f64], gradient: &mut [f64]| {
            seen.borrow_mut().push(x.to_vec());
            (0..2).for_each(|i| gradient[i] = slope[i] + x[i]);
            (0..2).map(|i| slope[i] * x[i] + 0.5 * x[i] * x[i]).sum()
        };
        Lbfgsb { max_iterations: 1, ..Lbfgsb::default() }.minimize(f, &[0.0, 0.0], &open).unwrap();
        let first = seen.into_inner().swap_remove(1);
        assert!(first.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{first:?}");
    }
}

/// The error is that of the first start when every start fails; a failure beside a success is kept in its place.
#[test]
fn errors_of_starts_are_kept() {
    let f = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 2.0 * x[0];
        if x[0] > 1.0 {
            f64::INFINITY
        } else if x[0] < -1.0 {
            f64::NEG_INFINITY
        } else {
            x[0] * x[0]
        }
    };
    let optimizer = Lbfgsb::default();
    let open = [(f64::NEG_INFINITY, f64::INFINITY)];
    let from = |starts: &[f64]| {
        let starts: Vec<Vec<f64>> = starts.iter().map(|v| vec![*v]).collect();
        multi_start(&optimizer, f, &starts, &open)
    };
    assert_eq!(from(&[3.0, -3.0]).unwrap_err(), OptimError::NonFiniteValue { value: f64::INFINITY });
    assert_eq!(from(&[-3.0, 3.0]).unwrap_err(), OptimError::NonFiniteValue { value: f64::NEG_INFINITY });
    let found = from(&[3.0, 0.5, -3.0]).unwrap();
    let failed: Vec<bool> = found.results.iter().map(Result::is_err).collect();
    assert_eq!(failed, [true, false, true]);
    assert!(found.best().x[0].abs() < 1e-5);
}

/// The first of equal minima is the best; polishing takes that one further, counts all its evaluations and leaves
#[test]
fn the_best_start_is_polished() {
    let f = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 4.0 * x[0] * (x[0] * x[0] - 1.0);
        (x[0] * x[0] - 1.0).powi(2)
    };
    let bounds = [(-3.0, 3.0)];
    let rough = Lbfgsb { max_iterations: 1, ..Lbfgsb::default() };
    let starts = [vec![2.9], vec![-1.4], vec![1.4]];
    let found = multi_start(&rough, f, &starts, &bounds).unwrap();
    assert_eq!(found.results[1].as_ref().unwrap().value, found.results[2].as_ref().unwrap().value);
    assert_eq!(found.best(), found.results[1].as_ref().unwrap());
    let exact = Lbfgsb { gradient_tolerance: 1e-12, value_tolerance: 0.0, ..Lbfgsb::default() };
    let alone = exact.minimize(f, &found.best().x, &bounds).unwrap();
    let polished = found.clone().polished(&exact, f, &bounds).unwrap();
    assert!((polished.best().x[0] + 1.0).abs() < 1e-9, "{:?}", polished.best());
    assert_eq!(polished.best().evaluations, found.best().evaluations + alone.evaluations);
    assert_eq!((&polished.results[0], &polished.results[2]), (&found.results[0], &found.results[2]));
    let fails = |_: &[f64], _: &mut [f64]| f64::NAN;
    assert!(matches!(found.polished(&exact, fails, &bounds), Err(OptimError::NonFiniteValue { .. })));
}

/// On a flat function a compass search tries both directions of each axis at every step from 0.1 halved to
/// the box, and of equally high points the first is taken.
#[test]
fn a_compass_search_tries_these_points() {
    struct Recorder(std::cell::RefCell<Vec<Vec<f64>>>);
    // Used from one thread.
    impl Objective for Recorder {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            let mut seen = self.0.borrow_mut();
            for (row, out) in x.rows().zip(out) {
                seen.push(row.to_vec());
                // Two ways lead up, once.
                *out = if seen.len() == 2 || seen.len() == 3 { 1.0 } else { 0.0 };
            }
        }
    }
    let domain = Domain::new(vec![Variable::continuous()]).unwrap();
    let recorder = Recorder(std::cell::RefCell::new(Vec::new()));
    let summit = LocalSearch::default().maximize(&domain, &recorder, &[0.95]);
    assert_eq!((summit.x, summit.value), (vec![0.85], 1.0));
    let seen = recorder.0.into_inner();
    let mut expected = vec![0.95, 0.85, 1.0];
    let mut step = 0.1;
    while step > 1e-5 {
        expected.extend([0.85 - step, (0.85_f64 + step).min(1.0)]);
        step *= 0.5;
    }
    assert_eq!(expected.len(), 3 + 28);
    assert_eq!(seen.len(), expected.len());
    for (a, b) in seen.iter().zip(expected) {
        assert!((a[0] - b).abs() < 1e-15, "{a:?} {b}");
    }
}

/// The first of neighbours with the same value is taken, one without a value never; a tie with the start is no move.
#[test]
fn a_move_takes_the_first_of_the_best_neighbors() {
    struct Levels(Vec<f64>);
    impl Objective for Levels {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            let level = |row: &[f64]| row.iter().position(|v| *v == 1.0).expect("a level");
            out.iter_mut().zip(x.rows()).for_each(|(out, row)| *out = self.0[level(row)]);
        }
    }
    let domain = Domain::new(vec![Variable::one_hot(4)]).unwrap();
    let start = [1.0, 0.0, 0.0, 0.0];
    for (values, expected) in [
        ([0.0, f64::NAN, 2.0, 2.0], 2),
        ([0.0, 3.0, 2.0, 3.0], 1),
        ([3.0, 3.0, 2.0, f64::NAN], 0),
        ([f64::NAN, f64::NAN, -1.0, -2.0], 2),
        ([f64::NAN; 4], 0),
        ([f64::NEG_INFINITY, f64::NAN, f64::NEG_INFINITY, -5.0], 3),
    ] {
        let summit = LocalSearch::default().maximize(&domain, &Levels(values.to_vec()), &start);
        assert_eq!(summit.x.iter().position(|v| *v == 1.0), Some(expected), "{values:?}");
    }
}

/// Wrong starts and bounds are named; bounds that are infinite on one side are allowed.
#[test]
fn boxes_that_are_open_on_one_side() {
    let half = [(0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.0)];
    let bowl = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 2.0 * (x[0] + 1.0);
        gradient[1] = 2.0 * (x[1] + 2.0);
        (x[0] + 1.0).powi(2) + (x[1] + 2.0).powi(2)
    };
    assert_eq!(Lbfgsb::default().value_tolerance, 1e7 * f64::EPSILON);
    let found = Lbfgsb::default().minimize(bowl, &[5.0, 5.0], &half).unwrap();
    assert!(found.x[0] == 0.0 && (found.x[1] + 2.0).abs() < 1e-6, "{found:?}");
    assert_eq!(projected_start(&[-5.0, 5.0], &half), Ok(vec![0.0, 0.0]));
    for (low, high) in [(f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY)] {
        let error = projected_start(&[0.0], &[(low, high)]).unwrap_err();
        assert_eq!(error, OptimError::InvalidBounds { index: 0, low, high });
    }
    let error = projected_start(&[0.0, f64::INFINITY], &[(0.0, 1.0); 2]).unwrap_err();
    assert_eq!(error, OptimError::NonFiniteStart { index: 1, value: f64::INFINITY });
}

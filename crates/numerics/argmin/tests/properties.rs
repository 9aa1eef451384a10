//! Adaptors and searches by argmin's solvers, and the golden-section search of ours beside argmin's.

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::goldensectionsearch::GoldenSectionSearch;
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use proptest::prelude::*;
use thrifty_argmin::{ArgminError, FusedProblem, fused, nelder_mead};
use thrifty_optim::{Lbfgsb, OptimError, golden_section, suite};

struct Bowl;

impl CostFunction for Bowl {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok((x[0] - 3.0).powi(2))
    }
}

impl Gradient for Bowl {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(vec![2.0 * (x[0] - 3.0)])
    }
}

#[test]
fn argmin_both_ways() {
    let found = Lbfgsb::default().minimize(fused(Bowl), &[0.0], &[(-9.0, 9.0)]).unwrap();
    assert!((found.x[0] - 3.0).abs() < 1e-8);
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let problem = FusedProblem::new(suite::rosenbrock);
    let result =
        Executor::new(problem, solver).configure(|s| s.param(vec![-1.2, 1.0]).max_iters(200)).run().unwrap();
    assert!(result.state().get_best_cost() < 1e-10, "{}", result.state().get_best_cost());
    let twice = FusedProblem::new(suite::rosenbrock);
    let x = vec![0.3, 0.4];
    let (value, gradient) = (twice.cost(&x).unwrap(), twice.gradient(&x).unwrap());
    let mut expected = vec![0.0; 2];
    assert_eq!(value, suite::rosenbrock(&x, &mut expected));
    assert_eq!((gradient, twice.calls()), (expected, 1));
}

#[test]
fn nelder_mead_stays_in_the_box_and_finds_the_corner() {
    let rosenbrock = |x: &[f64]| suite::rosenbrock(x, &mut [0.0; 2]);
    let (x, value) = nelder_mead(rosenbrock, &[-1.2, 1.0], &[(-5.0, 5.0), (-5.0, 5.0)], 1000).unwrap();
    assert!(value < 1e-10, "{x:?} {value}");
    let (x, _) = nelder_mead(|x| -x[0] - x[1], &[0.5, 0.5], &[(0.0, 1.0), (0.0, 1.0)], 500).unwrap();
    assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-6 && *v <= 1.0), "{x:?}");
    assert!(nelder_mead(|_| 0.0, &[0.5], &[(1.0, 0.0)], 10).is_err());
    assert_eq!(nelder_mead(|_| 7.0, &[], &[], 10), Ok((Vec::new(), 7.0)));
}

/// The first simplex: edges of a tenth of each range, pointing inwards where the upper bound is nearer than that.
#[test]
fn the_first_simplex_of_nelder_mead() {
    let bounds = [(0.0, 1.0), (0.0, 4.0), (f64::NEG_INFINITY, f64::INFINITY)];
    for (start, corners) in [
        ([0.5, 1.0, 0.0], [0.6, 1.4, 0.1]),
        ([0.9, 3.6, 7.0], [1.0, 4.0, 7.1]),
        ([0.95, 3.7, -7.0], [0.85, 3.3, -6.9]),
    ] {
        let seen = std::cell::RefCell::new(Vec::new());
        let f = |x: &[f64]| {
            seen.borrow_mut().push(x.to_vec());
            x.iter().map(|v| v * v).sum()
        };
        nelder_mead(f, &start, &bounds, 1).unwrap();
        let seen = seen.into_inner();
        for (i, corner) in corners.iter().enumerate() {
            let mut expected = start;
            expected[i] = *corner;
            let close = |x: &Vec<f64>| x.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(seen.iter().any(close), "{expected:?} in {seen:?}");
        }
    }
}

/// Ranges of huge bounds: one whose width overflows counts as infinite, one whose width is a number as that width.
#[test]
fn edges_between_huge_bounds_are_numbers() {
    for (start, corner, bounds) in [(7.0, 7.1, (-1.5e308, 1.5e308)), (1.2e308, 1.25e308, (1e308, 1.5e308))] {
        let seen = std::cell::RefCell::new(Vec::new());
        let f = |x: &[f64]| {
            seen.borrow_mut().push(x[0]);
            0.0
        };
        nelder_mead(f, &[start], &[bounds], 1).unwrap();
        let seen = seen.into_inner();
        let close = |x: &f64| (x / corner - 1.0).abs() < 1e-12;
        assert!(seen.iter().any(close), "a corner at {corner} between {bounds:?}: {seen:?}");
    }
}

/// Nelder-Mead never ends at a point without a value.
#[test]
fn nelder_mead_keeps_away_from_points_without_a_value() {
    let f = |x: &[f64]| if x[0] > 0.4 { f64::NAN } else { (x[0] - 0.3).powi(2) + x[1] * x[1] };
    let (x, value) = nelder_mead(&f, &[0.1, 0.5], &[(0.0, 1.0), (-1.0, 1.0)], 500).unwrap();
    assert!(value.is_finite() && value == f(&x) && value < f(&[0.1, 0.5]), "{x:?} {value}");
}

/// A function of no variables is called once; a new point calls again, the same point does not.
#[test]
fn fused_problems_call_once_per_point() {
    let none = FusedProblem::new(|_: &[f64], _: &mut [f64]| 7.0);
    assert_eq!((none.calls(), none.cost(&vec![]).unwrap(), none.calls()), (0, 7.0, 1));
    assert_eq!((none.gradient(&vec![]).unwrap(), none.calls()), (vec![], 1));
    let problem = FusedProblem::new(suite::rosenbrock);
    for (x, calls) in [([0.0, 0.0], 1), ([0.0, 0.0], 1), ([1.0, 0.0], 2), ([0.0, 0.0], 3)] {
        let mut gradient = vec![0.0; 2];
        let value = suite::rosenbrock(&x, &mut gradient);
        assert_eq!((problem.gradient(&x.to_vec()).unwrap(), problem.calls()), (gradient, calls));
        assert_eq!((problem.cost(&x.to_vec()).unwrap(), problem.calls()), (value, calls));
    }
}

/// A problem whose value, gradient or number of slopes is missing.
struct Missing(&'static str);

impl CostFunction for Missing {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, _: &Vec<f64>) -> Result<f64, Error> {
        if self.0 == "value" { Err(Error::msg("no value")) } else { Ok(2.0) }
    }
}

impl Gradient for Missing {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, _: &Vec<f64>) -> Result<Vec<f64>, Error> {
        match self.0 {
            "gradient" => Err(Error::msg("no gradient")),
            "slope" => Ok(vec![1.0]),
            _ => Ok(vec![1.0, 3.0]),
        }
    }
}

#[test]
fn what_a_problem_cannot_evaluate_is_infinite() {
    for (missing, expected) in
        [("value", f64::INFINITY), ("gradient", f64::INFINITY), ("slope", f64::INFINITY), ("nothing", 2.0)]
    {
        let mut gradient = [0.0; 2];
        assert_eq!(fused(Missing(missing))(&[0.0, 0.0], &mut gradient), expected, "{missing}");
        assert_eq!(gradient, if expected == 2.0 { [1.0, 3.0] } else { [0.0; 2] });
    }
}

/// Wrong starts and bounds of a simplex search are named; bounds that are infinite on one side are allowed.
#[test]
fn simplices_in_boxes_that_are_open_on_one_side() {
    let half = [(0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.0)];
    let bowl = |x: &[f64]| (x[0] + 1.0).powi(2) + (x[1] + 2.0).powi(2);
    let (x, value) = nelder_mead(bowl, &[5.0, 5.0], &half, 500).unwrap();
    assert!(x[0].abs() < 1e-6 && (x[1] + 2.0).abs() < 1e-5 && (value - 1.0).abs() < 1e-9, "{x:?} {value}");
    for (low, high) in [(f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY)] {
        let error = nelder_mead(|_| 0.0, &[0.0], &[(low, high)], 5).unwrap_err();
        assert_eq!(error, ArgminError::Start(OptimError::InvalidBounds { index: 0, low, high }));
    }
    let error = nelder_mead(|_| 0.0, &[0.0, f64::INFINITY], &[(0.0, 1.0); 2], 5).unwrap_err();
    assert_eq!(error, ArgminError::Start(OptimError::NonFiniteStart { index: 1, value: f64::INFINITY }));
}

/// A function of one number as a problem of argmin.
struct Line<F>(F);

impl<F: Fn(f64) -> f64> CostFunction for Line<F> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, x: &f64) -> Result<f64, Error> {
        Ok((self.0)(*x))
    }
}

/// The best of two cells refined by argmin: the middle of the interval is the start.
fn by_argmin(f: impl Fn(f64) -> f64, (low, high): (f64, f64), tolerance: f64) -> f64 {
    let middle = low + (high - low) * 1.0 / 2.0;
    let solver = GoldenSectionSearch::new(low, high).unwrap().with_tolerance(tolerance).unwrap();
    let run =
        Executor::new(Line(&f), solver).configure(|state| state.param(middle).max_iters(200)).run().unwrap();
    let found = *run.state().get_best_param().unwrap();
    if f(found) < f(middle) { found } else { middle }
}

proptest! {
    /// Both searches take the same steps: their results are the same bits.
    #[test]
    fn golden_sections_are_those_of_argmin(
        low in -5.0..5.0_f64,
        width in 1e-6..8.0_f64,
        at in 0.02..0.98_f64,
        power in 1.0..4.0_f64,
        skew in -0.4..0.4_f64,
        tolerance in prop::sample::select(vec![1e-9, 1e-6, 1e-3, 0.1]),
    ) {
        let (high, least) = (low + width, low + at * width);
        let f = |x: f64| { let d = (x - least) / width; d.abs().powf(power) * (1.0 + skew * d.signum()) };
        prop_assume!(f(low + 0.5 * width) < f(low) && f(low + 0.5 * width) < f(high));
        let found = golden_section(f, (low, high), 2, tolerance);
        prop_assert_eq!(found.to_bits(), by_argmin(f, (low, high), tolerance).to_bits());
    }
}

//! The structured Newton method: laws on random problems, what it learns besides the curvature it is told, and bad input.

use proptest::prelude::*;
use thrifty_optim::{CurvedObjective, Minimum, MultiStart, OptimError, StructuredNewton, Termination, suite};

/// A function with its gradient, and a curvature at the point of the last gradient.
struct Function<F, C> {
    value: F,
    curvature: C,
    at: Vec<f64>,
    evaluations: usize,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64, C: FnMut(&[f64], &mut [f64])> CurvedObjective for Function<F, C> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.at = x.to_vec();
        self.evaluations += 1;
        (self.value)(x, gradient)
    }

    fn curvature(&mut self, hessian: &mut [f64]) -> bool {
        hessian.fill(0.0);
        (self.curvature)(&self.at, hessian);
        true
    }
}

fn minimize(
    newton: &StructuredNewton,
    value: impl FnMut(&[f64], &mut [f64]) -> f64,
    curvature: impl FnMut(&[f64], &mut [f64]),
    start: &[f64],
    bounds: &[(f64, f64)],
) -> Result<Minimum, OptimError> {
    let mut function = Function { value, curvature, at: Vec::new(), evaluations: 0 };
    let found = newton.minimize(&mut function, start, bounds)?;
    assert_eq!(found.evaluations, function.evaluations);
    Ok(found)
}

fn exact() -> StructuredNewton {
    StructuredNewton { gradient_tolerance: 1e-9, value_tolerance: 0.0, ..StructuredNewton::default() }
}

const OPEN: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Minimum of `Σ w_i (x_i - c_i)² + ½ ((Σ x_i) - ½)²` in the box of ±1, of (log₁₀ w, c, start), told the whole curvature (0), the diagonal (1), or
/// one that is wrong (2): its largest distance from a stationary point. It is in the box, never above the start, and the same bits twice.
fn off_stationary(terms: &[(f64, f64, f64)], told: usize) -> f64 {
    let n = terms.len();
    let weights: Vec<f64> = terms.iter().map(|t| 10_f64.powf(t.0)).collect();
    let start: Vec<f64> = terms.iter().map(|t| t.2).collect();
    let bounds = vec![(-1.0, 1.0); n];
    let value = |x: &[f64], gradient: &mut [f64]| {
        let sum = x.iter().sum::<f64>() - 0.5;
        for i in 0..n {
            gradient[i] = 2.0 * weights[i] * (x[i] - terms[i].1) + sum;
        }
        (0..n).map(|i| weights[i] * (x[i] - terms[i].1).powi(2)).sum::<f64>() + 0.5 * sum * sum
    };
    let curvature = |_: &[f64], hessian: &mut [f64]| {
        for i in 0..n {
            for j in 0..n {
                hessian[i * n + j] = if told == 0 { 1.0 } else { 0.0 };
            }
            hessian[i * n + i] += if told == 2 { 5.0 } else { 2.0 * weights[i] };
        }
    };
    let found = minimize(&exact(), value, curvature, &start, &bounds).unwrap();
    assert_eq!(minimize(&exact(), value, curvature, &start, &bounds).unwrap(), found);
    assert!(found.x.iter().all(|x| (-1.0..=1.0).contains(x)));
    let inside: Vec<f64> = start.iter().map(|v| v.clamp(-1.0, 1.0)).collect();
    assert!(found.value <= value(&inside, &mut vec![0.0; n]));
    // A quadratic that is known is done in one step for each bound that is reached on the way.
    assert!(told != 0 || found.evaluations <= 6 + 2 * n, "{}", found.evaluations);
    let projected = found.x.iter().zip(&found.gradient).map(|(x, g)| x - (x - g).clamp(-1.0, 1.0));
    projected.fold(0.0, |most, off: f64| most.max(off.abs()))
}

proptest! {
    #[test]
    fn convex_quadratics_end_at_a_stationary_point_inside(
        terms in prop::collection::vec((-2.0..2.0_f64, -2.0..3.0_f64, -4.0..4.0_f64), 1..8),
        told in 0..3_usize,
    ) {
        let off = off_stationary(&terms, told);
        prop_assert!(off <= 1e-5, "{off}");
    }

    #[test]
    fn known_minima_change_no_end(starts in prop::collection::vec(prop::collection::vec(-3.0..3.0_f64, 3), 1..6)) {
        let alone = ends_in_wells(&StructuredNewton::default(), &starts);
        let together = ends_in_wells(&StructuredNewton { known_within: 0.1, ..StructuredNewton::default() }, &starts);
        for (own, end) in alone.results.iter().flatten().zip(together.results.iter().flatten()) {
            prop_assert!((own.value - end.value).abs() < 1e-6, "{own:?} {end:?}");
            prop_assert!(end.evaluations <= own.evaluations);
        }
        prop_assert!(together.results[0] == alone.results[0] && together.results.len() == starts.len());
    }
}

/// Rosenbrock's function as a sum of squares, told `2 JᵀJ`; and told nothing that is right.
#[test]
fn what_is_not_told_is_learnt() {
    let gauss_newton = |x: &[f64], hessian: &mut [f64]| {
        hessian.copy_from_slice(&[800.0 * x[0] * x[0] + 2.0, -400.0 * x[0], -400.0 * x[0], 200.0]);
    };
    let told = minimize(&exact(), suite::rosenbrock, gauss_newton, &[-1.2, 1.0], &[OPEN; 2]).unwrap();
    assert!(told.x.iter().all(|x| (x - 1.0).abs() < 1e-8), "{told:?}");
    assert!(told.evaluations < 40, "{}", told.evaluations);
    let nothing = |_: &[f64], hessian: &mut [f64]| hessian.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    let learnt = minimize(&exact(), suite::rosenbrock, nothing, &[-1.2, 1.0], &[OPEN; 2]).unwrap();
    assert!(learnt.x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{learnt:?}");
    assert!(learnt.evaluations > told.evaluations);
}

/// `x - ln x` has no value up to 0, where long steps lead.
#[test]
fn steps_without_a_value_are_taken_shorter() {
    let value = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0 - 1.0 / x[0];
        if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::NAN }
    };
    let flat = |_: &[f64], hessian: &mut [f64]| hessian[0] = 1e-3;
    let newton = StructuredNewton { radius: 100.0, ..exact() };
    let found = minimize(&newton, value, flat, &[9.0], &[OPEN]).unwrap();
    assert!((found.x[0] - 1.0).abs() < 1e-7 && found.termination == Termination::Gradient, "{found:?}");
}

/// Down from a saddle, to the bound that is nearer to the start.
#[test]
fn functions_that_are_not_convex_end_at_a_bound() {
    let value = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[-2.0 * x[0], 2.0 * x[1]]);
        x[1] * x[1] - x[0] * x[0]
    };
    let known = |_: &[f64], hessian: &mut [f64]| hessian.copy_from_slice(&[-2.0, 0.0, 0.0, 2.0]);
    let found = minimize(&exact(), value, known, &[0.1, 0.7], &[(-1.0, 2.0), (-1.0, 1.0)]).unwrap();
    assert!(found.x[0] == 2.0 && found.x[1].abs() < 1e-9 && (found.value + 4.0).abs() < 1e-9, "{found:?}");
}

/// A whole step that goes beyond one bound: the other variables go on from where it is met. Steps that are cut off there promise a fall that
/// does not come, and end the search.
#[test]
fn steps_go_on_along_the_bounds_that_they_meet() {
    assert!(off_stationary(&[(1.416, -1.304, 3.351), (1.698, 0.886, 0.0)], 2) <= 1e-5);
}

/// Variables that the way to a minimum without bounds would push out, and that turn back once another one is held at its bound.
#[test]
fn variables_leave_their_bounds_when_others_meet_theirs() {
    let (mut terms, held) =
        (vec![(0.0, -0.9, -3.0), (0.5, 2.4, -2.4), (-1.1, -1.1, -1.9), (0.0, 0.0, 1.8)], -2.0);
    terms.extend([(-0.3, 2.8, held), (0.0, 1.1, -4.0), (-0.7, -1.5, -1.4)]);
    assert!(off_stationary(&terms, 0) <= 1e-5);
}

/// Wells at ±1 in every variable, those at -1 higher: values, and the curvature but for a tenth.
fn wells(x: &[f64], gradient: &mut [f64]) -> f64 {
    for (g, x) in gradient.iter_mut().zip(x) {
        *g = 4.0 * x * (x * x - 1.0) - 0.3;
    }
    x.iter().map(|x| (x * x - 1.0).powi(2) - 0.3 * x).sum()
}

fn curvature_of_wells(x: &[f64], hessian: &mut [f64]) {
    for (i, x_i) in x.iter().enumerate() {
        hessian[i * x.len() + i] = 0.9 * (12.0 * x_i * x_i - 4.0);
    }
}

fn ends_in_wells(newton: &StructuredNewton, starts: &[Vec<f64>]) -> MultiStart {
    let mut function =
        Function { value: wells, curvature: curvature_of_wells, at: Vec::new(), evaluations: 0 };
    let found = newton.minimize_from(&mut function, starts, &vec![(-3.0, 3.0); starts[0].len()]).unwrap();
    let counted: usize = found.results.iter().flatten().map(|end| end.evaluations).sum();
    assert_eq!(counted, function.evaluations);
    found
}

#[test]
fn starts_end_early_at_minima_that_are_known() {
    let starts = [vec![0.8, 0.9], vec![2.0, 1.7], vec![-2.0, 1.7], vec![-1.5, 0.5], vec![0.3, 2.9]];
    let alone = ends_in_wells(&StructuredNewton::default(), &starts);
    let known = StructuredNewton { known_within: 0.1, ..StructuredNewton::default() };
    let together = ends_in_wells(&known, &starts);
    let is_known = |end: &Minimum| end.termination == Termination::Known;
    assert_eq!(
        together.results.iter().flatten().map(is_known).collect::<Vec<_>>(),
        [false, true, false, true, true]
    );
    for ((own, end), source) in alone.results.iter().zip(&together.results).zip([0, 0, 2, 2, 0]) {
        let (own, end, source) =
            (own.as_ref().unwrap(), end.as_ref().unwrap(), together.results[source].as_ref().unwrap());
        assert!(!is_known(own) && own.x.iter().zip(&end.x).all(|(a, b)| (a - b).abs() < 1e-4));
        assert_eq!((&end.x, end.value), (&source.x, source.value));
        assert_eq!(end.evaluations < own.evaluations, is_known(end));
    }
}

#[test]
fn ends_have_their_reason() {
    let square = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 2.0 * x[0];
        x[0] * x[0]
    };
    let two = |_: &[f64], hessian: &mut [f64]| hessian[0] = 2.0;
    let newton = StructuredNewton::default();
    let at_once = minimize(&newton, square, two, &[0.0], &[OPEN]).unwrap();
    assert_eq!((at_once.evaluations, at_once.termination), (1, Termination::Gradient));
    let one = StructuredNewton { max_evaluations: 1, ..newton.clone() };
    let stopped = minimize(&one, square, two, &[3.0], &[OPEN]).unwrap();
    assert_eq!((stopped.x[0], stopped.termination), (3.0, Termination::Evaluations));
    // The first step is at most 2 long, but for a tenth.
    let two_steps = StructuredNewton { max_evaluations: 2, ..newton.clone() };
    let moved = minimize(&two_steps, square, two, &[30.0], &[OPEN]).unwrap();
    assert!((0.9..=2.2).contains(&(30.0 - moved.x[0])), "{moved:?}");
    let rough = StructuredNewton { value_tolerance: 0.9, gradient_tolerance: 0.0, ..newton.clone() };
    assert_eq!(minimize(&rough, square, two, &[0.5], &[OPEN]).unwrap().termination, Termination::Value);
    // A gradient that points uphill, and curvatures that are no numbers: no step is lower, and the search ends.
    let wrong = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -1.0;
        x[0]
    };
    let stuck = minimize(&newton, wrong, two, &[1.0], &[OPEN]).unwrap();
    assert_eq!((stuck.x[0], stuck.termination), (1.0, Termination::LineSearch));
    let nan = |_: &[f64], hessian: &mut [f64]| hessian[0] = f64::NAN;
    let lost = minimize(&newton, square, nan, &[1.0], &[OPEN]).unwrap();
    assert_eq!((lost.x[0], lost.termination), (1.0, Termination::LineSearch));
    let nothing = |_: &[f64], _: &mut [f64]| {};
    let none = minimize(&newton, |_: &[f64], _: &mut [f64]| 4.0, nothing, &[], &[]).unwrap();
    assert_eq!((none.value, none.termination), (4.0, Termination::Gradient));
}

#[test]
fn bad_input_is_named() {
    struct Flat;
    impl CurvedObjective for Flat {
        fn value_and_gradient(&mut self, _: &[f64], gradient: &mut [f64]) -> f64 {
            gradient.fill(1.0);
            0.0
        }
        fn curvature(&mut self, _: &mut [f64]) -> bool {
            false
        }
    }
    let of =
        |start: &[f64], bounds: &[(f64, f64)]| StructuredNewton::default().minimize(&mut Flat, start, bounds);
    assert_eq!(of(&[0.0], &[OPEN]), Err(OptimError::NoCurvature));
    assert_eq!(StructuredNewton::default().minimize_from(&mut Flat, &[], &[OPEN]), Err(OptimError::NoStarts));
    assert_eq!(of(&[0.0], &[]), Err(OptimError::DimensionMismatch { start: 1, bounds: 0 }));
    assert_eq!(of(&[0.0], &[(1.0, 0.0)]), Err(OptimError::InvalidBounds { index: 0, low: 1.0, high: 0.0 }));
    assert!(matches!(of(&[f64::NAN], &[OPEN]), Err(OptimError::NonFiniteStart { index: 0, .. })));
    let infinite = |_: &[f64], _: &mut [f64]| f64::INFINITY;
    let found = minimize(&exact(), infinite, |_: &[f64], _: &mut [f64]| {}, &[0.0], &[OPEN]);
    assert_eq!(found, Err(OptimError::NonFiniteValue { value: f64::INFINITY }));
}

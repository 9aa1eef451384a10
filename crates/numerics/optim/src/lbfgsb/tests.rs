//! The limited-memory model, its Cauchy point and its subspace step against the same in dense matrices.

use thrifty_sampling::{Seed, Stream};

use super::cauchy::CauchyPoint;
use super::memory::{Memory, dot};
use super::small::SmallLu;
use super::{longest_step, projected_gradient_norm, subspace};

type Dense = Vec<Vec<f64>>;

fn vector(n: usize, rng: &mut Stream) -> Vec<f64> {
    (0..n).map(|_| 2.0 * rng.uniform() - 1.0).collect()
}

fn product(matrix: &Dense, v: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, v)).collect()
}

/// Solves `matrix x = b` by elimination without pivoting, for positive definite matrices.
fn solved(matrix: &Dense, b: &[f64]) -> Vec<f64> {
    let (mut m, mut x, n) = (matrix.clone(), b.to_vec(), b.len());
    for k in 0..n {
        for row in k + 1..n {
            let pivot = m[k].clone();
            let factor = m[row][k] / pivot[k];
            m[row].iter_mut().zip(&pivot).skip(k).for_each(|(entry, p)| *entry -= factor * p);
            x[row] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| m[k][c] * x[c]).sum();
        x[k] = (x[k] - known) / m[k][k];
    }
    x
}

/// A positive definite matrix with curvatures of different size.
fn definite(n: usize, rng: &mut Stream) -> Dense {
    let axes: Dense = (0..n).map(|_| vector(n, rng)).collect();
    let sizes: Vec<f64> = (0..n).map(|_| 10_f64.powf(3.0 * rng.uniform() - 1.5)).collect();
    let entry = |i: usize, j: usize| {
        let sum: f64 = axes.iter().zip(&sizes).map(|(axis, size)| size * axis[i] * axis[j]).sum();
        if i == j { sum + 0.1 } else { sum }
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// The model of these pairs by the BFGS formula in dense matrices, from `θ I`.
fn bfgs(pairs: &[(Vec<f64>, Vec<f64>)], n: usize) -> Dense {
    let (s, y) = &pairs[pairs.len() - 1];
    let theta = dot(y, y) / dot(s, y);
    let identity = |i: usize, j: usize| if i == j { theta } else { 0.0 };
    let mut b: Dense = (0..n).map(|i| (0..n).map(|j| identity(i, j)).collect()).collect();
    for (s, y) in pairs {
        let bs = product(&b, s);
        let (sbs, sy) = (dot(s, &bs), dot(s, y));
        for i in 0..n {
            for j in 0..n {
                b[i][j] += y[i] * y[j] / sy - bs[i] * bs[j] / sbs;
            }
        }
    }
    b
}

/// A memory of `limit` that saw `count` steps on a quadratic, and the dense model of those it still has.
fn model(n: usize, limit: usize, count: usize, rng: &mut Stream) -> (Memory, Dense) {
    let hessian = definite(n, rng);
    let mut memory = Memory::new(n, limit);
    let mut pairs = Vec::new();
    for _ in 0..count {
        let (x, next) = (vector(n, rng), vector(n, rng));
        memory.update(&x, &product(&hessian, &x), &next, &product(&hessian, &next));
        let s: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        pairs.push((s.clone(), product(&hessian, &s)));
    }
    let dense = bfgs(&pairs[pairs.len() - memory.pairs()..], n);
    (memory, dense)
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    let far = found.iter().zip(expected).any(|(a, b)| (a - b).abs().is_nan() || (a - b).abs() > 1e-7 * scale);
    assert!(!far, "{what}: {found:?}, expected {expected:?}");
}

/// `B v = θ v - W M Wᵀ v`, and the step to the minimum of the model solves `B (x - step) = gradient`.
#[test]
fn the_compact_model_is_that_of_the_bfgs_formula() {
    let mut rng = Seed(1).stream("memory", 0);
    for (n, limit, count) in [(1, 1, 1), (2, 3, 1), (4, 3, 3), (5, 3, 7), (6, 10, 4), (7, 5, 6), (3, 1, 4)] {
        let (mut memory, dense) = model(n, limit, count, &mut rng);
        assert_eq!((memory.pairs(), memory.is_empty()), (count.min(limit), false));
        let v = vector(n, &mut rng);
        let width = 2 * memory.pairs();
        let mut middle: Vec<f64> = (0..width).map(|c| (0..n).map(|i| memory.w(i, c) * v[i]).sum()).collect();
        memory.multiply_middle(&mut middle);
        let found: Vec<f64> = (0..n)
            .map(|i| memory.theta * v[i] - (0..width).map(|c| memory.w(i, c) * middle[c]).sum::<f64>())
            .collect();
        assert_close(&found, &product(&dense, &v), &format!("{n} {limit} {count}"));
        let (x, gradient, mut target) = (vector(n, &mut rng), vector(n, &mut rng), vec![f64::NAN; n]);
        assert!(memory.newton_step_into(&x, &gradient, &mut target));
        let moved: Vec<f64> = x.iter().zip(&target).map(|(x, t)| x - t).collect();
        assert_close(&product(&dense, &moved), &gradient, &format!("newton {n} {limit} {count}"));
    }
}

/// Pairs without positive curvature are not kept, a memory that was cleared is as new, and a limit of 0 keeps nothing.
#[test]
fn memory_keeps_pairs_of_positive_curvature() {
    let mut rng = Seed(2).stream("memory", 0);
    let (mut memory, dense) = model(4, 5, 3, &mut rng);
    let theta = memory.theta;
    for slope in [-1.0, 0.0, 1e17, f64::INFINITY, f64::NAN] {
        memory.update(&[0.0; 4], &[0.0; 4], &[1.0, 0.0, 0.0, 0.0], &[slope.min(1.0), slope, 0.0, 0.0]);
        assert_eq!((memory.pairs(), memory.theta), (3, theta), "{slope}");
    }
    let (x, gradient, mut target) = (vector(4, &mut rng), vector(4, &mut rng), vec![0.0; 4]);
    memory.newton_step_into(&x, &gradient, &mut target);
    let moved: Vec<f64> = x.iter().zip(&target).map(|(x, t)| x - t).collect();
    assert_close(&product(&dense, &moved), &gradient, "after pairs that were refused");
    memory.clear();
    assert!(memory.is_empty() && memory.pairs() == 0 && memory.theta == 1.0);
    assert!(!memory.newton_step_into(&x, &gradient, &mut target));
    let mut none = Memory::new(2, 0);
    none.update(&[0.0; 2], &[0.0; 2], &[1.0; 2], &[1.0; 2]);
    assert!(none.is_empty());
}

/// A problem in a box: some variables at a bound, some without bounds, one that does not move.
struct Boxed {
    x: Vec<f64>,
    gradient: Vec<f64>,
    bounds: Vec<(f64, f64)>,
}

fn boxed(n: usize, rng: &mut Stream) -> Boxed {
    let x = vector(n, rng);
    let mut gradient: Vec<f64> = vector(n, rng).iter().map(|g| 3.0 * g).collect();
    let kind = |i: usize| (i + rng.index(2)) % 5;
    let kinds: Vec<usize> = (0..n).map(kind).collect();
    let bounds = kinds
        .iter()
        .zip(&x)
        .map(|(kind, &x)| match kind {
            0 => (x, x + 0.7),
            1 => (x - 0.4, x),
            2 => (f64::NEG_INFINITY, f64::INFINITY),
            3 => (x - 0.1, x + 0.05),
            _ => (x - 0.6, x + 0.9),
        })
        .collect();
    gradient[n - 1] = if n > 3 { 0.0 } else { gradient[n - 1] };
    Boxed { x, gradient, bounds }
}

/// First minimum of the model along the path of the projected gradient, segment by segment in dense matrices.
fn first_minimum(problem: &Boxed, dense: &Dense) -> Vec<f64> {
    let Boxed { x, gradient, bounds } = problem;
    let time = |i: usize| match gradient[i] {
        g if g < 0.0 => (x[i] - bounds[i].1) / g,
        g if g > 0.0 => (x[i] - bounds[i].0) / g,
        _ => f64::INFINITY,
    };
    let at = |t: f64| -> Vec<f64> {
        (0..x.len())
            .map(|i| if gradient[i] == 0.0 { x[i] } else { x[i] - gradient[i] * t.min(time(i)) })
            .collect()
    };
    let mut times: Vec<f64> = (0..x.len()).map(time).filter(|t| t.is_finite() && *t > 0.0).collect();
    times.sort_by(f64::total_cmp);
    let mut from = 0.0;
    for end in times.into_iter().chain([f64::INFINITY]) {
        let point = at(from);
        let direction: Vec<f64> =
            (0..x.len()).map(|i| if time(i) > from { -gradient[i] } else { 0.0 }).collect();
        let z: Vec<f64> = point.iter().zip(x).map(|(a, b)| a - b).collect();
        let slope = dot(gradient, &direction) + dot(&direction, &product(dense, &z));
        let curvature = dot(&direction, &product(dense, &direction));
        if slope >= 0.0 || direction.iter().all(|d| *d == 0.0) {
            return point;
        }
        let step = -slope / curvature;
        if from + step < end {
            return at(from + step);
        }
        from = end;
    }
    at(from)
}

/// Minimum of the model over the free variables from the Cauchy point: projected where that descends, else as far as the box allows.
fn subspace_minimum(problem: &Boxed, dense: &Dense, cauchy: &[f64], free: &[usize]) -> (Vec<f64>, bool) {
    let Boxed { x, gradient, bounds } = problem;
    let z: Vec<f64> = cauchy.iter().zip(x).map(|(a, b)| a - b).collect();
    let bent = product(dense, &z);
    let matrix: Dense = free.iter().map(|&i| free.iter().map(|&j| dense[i][j]).collect()).collect();
    let right: Vec<f64> = free.iter().map(|&i| -(gradient[i] + bent[i])).collect();
    let step = solved(&matrix, &right);
    let moved = |share: f64| -> Vec<f64> {
        let mut out = cauchy.to_vec();
        for (&i, s) in free.iter().zip(&step) {
            out[i] = (out[i] + share * s).clamp(bounds[i].0, bounds[i].1);
        }
        out
    };
    let projected = moved(1.0);
    let slope: f64 = (0..x.len()).map(|i| (projected[i] - x[i]) * gradient[i]).sum();
    if slope < 0.0 {
        return (projected, true);
    }
    let room = |(&i, s): (&usize, &f64)| {
        let ahead = if *s > 0.0 { bounds[i].1 - cauchy[i] } else { bounds[i].0 - cauchy[i] };
        if *s == 0.0 { f64::INFINITY } else { ahead / s }
    };
    (moved(free.iter().zip(&step).map(room).fold(1.0, f64::min)), false)
}

#[test]
fn cauchy_points_and_subspace_steps_are_those_of_dense_matrices() {
    let (mut projected, mut shortened, mut whole) = (0, 0, 0);
    for case in 0..4000 {
        let mut rng = Seed(case).stream("boxes", 0);
        let n = 1 + rng.index(6);
        let (limit, count) = (1 + rng.index(4), 1 + rng.index(5));
        let (mut memory, dense) = model(n, limit, count, &mut rng);
        let problem = boxed(n, &mut rng);
        let mut cauchy = CauchyPoint::new(n, limit);
        cauchy.find(&problem.x, &problem.gradient, &problem.bounds, &mut memory);
        let expected = first_minimum(&problem, &dense);
        assert_close(&cauchy.point, &expected, &format!("Cauchy point {case}"));
        let z: Vec<f64> = cauchy.point.iter().zip(&problem.x).map(|(a, b)| a - b).collect();
        let moved: Vec<f64> =
            (0..2 * memory.pairs()).map(|c| (0..n).map(|i| memory.w(i, c) * z[i]).sum()).collect();
        assert_close(&cauchy.moved, &moved, &format!("moved {case}"));
        let inside: Vec<bool> =
            problem.bounds.iter().zip(&cauchy.point).map(|(b, v)| b.0 < *v && *v < b.1).collect();
        assert_eq!(cauchy.free, inside, "free {case}");
        let free: Vec<usize> = (0..n).filter(|&i| inside[i]).collect();
        let mut out = vec![f64::NAN; n];
        subspace::minimize_into(
            &problem.x,
            &problem.gradient,
            &problem.bounds,
            &mut memory,
            &mut cauchy,
            &mut out,
        );
        if free.is_empty() {
            assert_eq!(out, cauchy.point);
            continue;
        }
        let (expected, is_projected) = subspace_minimum(&problem, &dense, &cauchy.point, &free);
        assert_close(&out, &expected, &format!("subspace {case}"));
        projected += usize::from(is_projected);
        shortened += usize::from(!is_projected);
        whole += usize::from(free.len() == n);
    }
    assert!(projected > 1000 && shortened > 0 && whole > 100, "{projected} {shortened} {whole}");
}

/// Without pairs the Cauchy point is the step along the gradient of length 1, as far as the box allows.
#[test]
fn without_pairs_the_gradient_is_the_step() {
    let mut memory = Memory::new(3, 2);
    let mut cauchy = CauchyPoint::new(3, 2);
    let bounds = [(-9.0, 9.0), (-0.25, 0.25), (0.0, 1.0)];
    let (x, gradient) = ([0.0, 0.0, 0.0], [2.0, -1.0, 1.0]);
    cauchy.find(&x, &gradient, &bounds, &mut memory);
    assert_eq!((&cauchy.point[..], &cauchy.free[..]), (&[-2.0, 0.25, 0.0][..], &[true, false, false][..]));
    let mut out = [f64::NAN; 3];
    subspace::minimize_into(&x, &gradient, &bounds, &mut memory, &mut cauchy, &mut out);
    assert_eq!(out, [-2.0, 0.25, 0.0]);
}

#[test]
fn small_systems_are_solved_and_singular_ones_are_seen() {
    let mut rng = Seed(3).stream("lu", 0);
    let mut lu = SmallLu::default();
    for size in 1..8 {
        let matrix: Dense = (0..size).map(|_| vector(size, &mut rng)).collect();
        let x = vector(size, &mut rng);
        let mut b = product(&matrix, &x);
        assert!(lu.factor(size, |i, j| matrix[i][j]));
        lu.solve(&mut b);
        assert_close(&b, &x, "solution");
    }
    // A 0 on the diagonal needs another row; rows that are equal have no solution.
    assert!(lu.factor(2, |i, j| f64::from(u8::from(i != j))));
    let mut b = [3.0, 5.0];
    lu.solve(&mut b);
    assert_eq!(b, [5.0, 3.0]);
    assert!(!lu.factor(2, |_, j| 1.0 + j as f64));
    assert!(!lu.factor(1, |_, _| f64::INFINITY) && !lu.factor(1, |_, _| f64::NAN));
    // The largest of a column is the pivot: with 1e-20 for pivot the solution would be (0, 1).
    assert!(lu.factor(2, |i, j| if (i, j) == (0, 0) {
        1e-20
    } else if (i, j) == (1, 1) {
        1.0
    } else {
        -1.0
    }));
    let mut b = [1.0, 0.0];
    lu.solve(&mut b);
    assert_close(&b, &[-1.0, -1.0], "pivoted");
}

#[test]
fn projected_gradients_and_longest_steps_by_hand() {
    let bounds = [(0.0, 1.0), (-2.0, 3.0), (f64::NEG_INFINITY, f64::INFINITY)];
    let norm = |x: [f64; 3], g: [f64; 3]| projected_gradient_norm(&x, &g, &bounds);
    assert_eq!(norm([0.25, 0.0, 0.0], [0.5, 0.0, 0.0]), 0.25);
    assert_eq!(norm([0.25, 0.0, 0.0], [0.125, 0.0, 0.0]), 0.125);
    assert_eq!(norm([0.25, 0.0, 0.0], [-0.5, 0.0, 0.0]), 0.5);
    assert_eq!(norm([0.25, 0.0, 0.0], [-2.0, 0.0, 0.0]), 0.75);
    assert_eq!(norm([0.0, 3.0, 0.0], [5.0, -5.0, 0.0]), 0.0);
    assert_eq!(norm([0.0, -2.0, 0.0], [5.0, -9.0, -7.0]), 7.0);
    let longest = |x: [f64; 3], d: [f64; 3]| longest_step(&x, &d, &bounds);
    assert_eq!(longest([0.25, 0.0, 0.0], [0.5, 1.0, 1.0]), 1.5);
    assert_eq!(longest([0.25, 0.0, 0.0], [-0.125, 1.0, 1.0]), 2.0);
    assert_eq!(longest([0.25, 0.0, 0.0], [0.0, -4.0, 1.0]), 0.5);
    assert_eq!(longest([0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), 0.0);
    assert_eq!(longest([1.5, 0.0, 0.0], [1.0, 0.0, 0.0]), 0.0, "beyond a bound");
    assert_eq!(longest([0.25, 0.0, 0.0], [0.0, 0.0, -3.0]), 1e10, "no bound in the way");
}

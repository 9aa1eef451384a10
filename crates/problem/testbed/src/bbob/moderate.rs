//! Functions of low or moderate conditioning, f6 to f9 of `hansen2009`.

use super::instance::{self, SECOND};
use super::matrix::Matrix;
use super::separable::quadratic;
use super::shape::Shape;
use super::transform::{oscillate, scales};

/// f6, attractive sector: `T_osz(Σ (s_i z_i)²)^0.9`, `z = Q Λ^10 R (x - x_opt)`, `s_i = 100` on the side of the optimum.
pub(super) fn attractive_sector(seed: u64, dim: usize) -> Shape {
    let optimizer = instance::optimizer(seed, dim);
    let map = conditioned(seed, dim, 10.0);
    let sides = optimizer.clone();
    Shape::centered(optimizer, move |y| {
        let one = |(z, side): (&f64, &f64)| {
            let z = if z * side > 0.0 { 100.0 * z } else { *z };
            z * z
        };
        oscillate(map.apply(y).iter().zip(&sides).map(one).sum()).powf(0.9)
    })
}

/// `Q Λ^alpha R`, the linear map of many functions.
pub(super) fn conditioned(seed: u64, dim: usize, alpha: f64) -> Matrix {
    Matrix::rotation(seed + SECOND, dim).scaled_product(&scales(alpha, dim), &Matrix::rotation(seed, dim))
}

/// f7, step ellipsoid: an ellipsoid of plateaus, `0.1 max(|ẑ_0|/10⁴, Σ 100^(i/(d-1)) z_i²)`, `z = Q z̃`, `ẑ = Λ^10 R (x - x_opt)`.
///
/// `z̃` is `ẑ` rounded to whole numbers, or to tenths where it is at most a half.
pub(super) fn step_ellipsoid(seed: u64, dim: usize) -> Shape {
    let (inner, outer) = (Matrix::rotation(seed, dim), Matrix::rotation(seed + SECOND, dim));
    let scales = scales(10.0, dim);
    let round = |z: f64| (z + 0.5).floor();
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let z: Vec<f64> = inner.apply(y).iter().zip(&scales).map(|(z, s)| z * s).collect();
        let step = |z: &f64| if z.abs() > 0.5 { round(*z) } else { round(10.0 * z) / 10.0 };
        let steps: Vec<f64> = z.iter().map(step).collect();
        0.1 * quadratic(100.0, outer.apply(&steps).into_iter()).max(1e-4 * z[0].abs())
    })
}

/// `max(1, √d / 8)`, by which a valley is narrowed in many dimensions.
pub(super) fn narrowing(dim: usize) -> f64 {
    ((dim as f64).sqrt() / 8.0).max(1.0)
}

/// Terms of Rosenbrock's function: `100 (z_i² - z_{i+1})² + (z_i - 1)²`.
pub(super) fn valley(z: &[f64]) -> impl Iterator<Item = f64> + '_ {
    z.windows(2).map(|w| 100.0 * (w[0] * w[0] - w[1]).powi(2) + (w[0] - 1.0).powi(2))
}

/// f8, Rosenbrock: its valley at `z = max(1, √d/8) (x - x_opt) + 1`.
pub(super) fn rosenbrock(seed: u64, dim: usize) -> Shape {
    let optimizer: Vec<f64> = instance::optimizer(seed, dim).iter().map(|x| 0.75 * x).collect();
    let factor = narrowing(dim);
    Shape::centered(optimizer, move |y| {
        valley(&y.iter().map(|y| factor * y + 1.0).collect::<Vec<f64>>()).sum()
    })
}

/// f9, rotated Rosenbrock: its valley at `z = max(1, √d/8) R x + 1/2`.
pub(super) fn rotated_rosenbrock(seed: u64, dim: usize) -> Shape {
    rotated_valley(seed, dim, |z| valley(z).sum())
}

/// A function of `max(1, √d/8) R x + 1/2` whose optimum is at 1.
pub(super) fn rotated_valley(
    seed: u64,
    dim: usize,
    of: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
) -> Shape {
    let (rotation, factor) = (Matrix::rotation(seed, dim), narrowing(dim));
    let optimizer = rotation.transposed().apply(&vec![0.5 / factor; dim]);
    Shape::new(optimizer, move |x| {
        let z: Vec<f64> = rotation.apply(x).iter().map(|z| factor * z + 0.5).collect();
        of(&z)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_ellipsoid_has_plateaus() {
        let shape = step_ellipsoid(instance::seed(7, 1), 5);
        let near: Vec<f64> = shape.optimizer.iter().map(|x| x + 1e-4).collect();
        let (at, beside) = (shape.excess(&shape.optimizer), shape.excess(&near));
        // Only the first term of the maximum is left on the plateau of the optimum.
        assert!(at == 0.0 && beside < 1e-7, "{at} {beside}");
    }
}

//! Functions of one optimum and high conditioning, f10 to f14 of `hansen2009`.

use super::instance::{self, SECOND};
use super::matrix::Matrix;
use super::moderate::conditioned;
use super::separable::quadratic;
use super::shape::Shape;
use super::transform::{asymmetric, oscillate, share};

/// f10, rotated ellipsoid: `Σ condition^(i/(d-1)) z_i²`, `z = T_osz(R (x - x_opt))`; the condition is 10⁶, with noise 10⁴.
pub(super) fn rotated_ellipsoid(seed: u64, dim: usize, condition: f64) -> Shape {
    let rotation = Matrix::rotation(seed + SECOND, dim);
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        quadratic(condition, rotation.apply(y).into_iter().map(oscillate))
    })
}

/// f11, discus: `10⁶ z_0² + Σ_{i>0} z_i²`, `z = T_osz(R (x - x_opt))`.
pub(super) fn discus(seed: u64, dim: usize) -> Shape {
    let rotation = Matrix::rotation(seed + SECOND, dim);
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let squares: Vec<f64> = rotation.apply(y).iter().map(|z| oscillate(*z).powi(2)).collect();
        1e6 * squares[0] + squares[1..].iter().sum::<f64>()
    })
}

/// f12, bent cigar: `z_0² + 10⁶ Σ_{i>0} z_i²`, `z = R T_asy^0.5(R (x - x_opt))`.
pub(super) fn bent_cigar(seed: u64, dim: usize) -> Shape {
    let rotation = Matrix::rotation(seed + SECOND, dim);
    Shape::centered(instance::optimizer(seed + SECOND, dim), move |y| {
        let z = rotation.apply(&asymmetric(0.5, &rotation.apply(y)));
        z[0] * z[0] + 1e6 * z[1..].iter().map(|z| z * z).sum::<f64>()
    })
}

/// f13, sharp ridge: `z_0² + 100 √(Σ_{i>0} z_i²)`, `z = Q Λ^10 R (x - x_opt)`.
pub(super) fn sharp_ridge(seed: u64, dim: usize) -> Shape {
    let map = conditioned(seed, dim, 10.0);
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let z = map.apply(y);
        z[0] * z[0] + 100.0 * z[1..].iter().map(|z| z * z).sum::<f64>().sqrt()
    })
}

/// f14, different powers: `√(Σ |z_i|^(2 + 4 i/(d-1)))`, `z = R (x - x_opt)`.
pub(super) fn different_powers(seed: u64, dim: usize) -> Shape {
    let rotation = Matrix::rotation(seed + SECOND, dim);
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let z = rotation.apply(y);
        let power = |(i, z): (usize, &f64)| z.abs().powf(2.0 + 4.0 * share(i, y.len()));
        z.iter().enumerate().map(power).sum::<f64>().sqrt()
    })
}

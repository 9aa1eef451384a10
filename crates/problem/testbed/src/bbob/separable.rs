//! Separable functions, f1 to f5 of `hansen2009`.

use std::f64::consts::TAU;

use super::instance;
use super::shape::Shape;
use super::transform::{asymmetric, oscillate, scales, share};

/// f1, sphere: `‖z‖²`, `z = x - x_opt`.
pub(super) fn sphere(seed: u64, dim: usize) -> Shape {
    Shape::centered(instance::optimizer(seed, dim), |z| z.iter().map(|z| z * z).sum())
}

/// f2, ellipsoid: `Σ 10^(6 i/(d-1)) z_i²`, `z = T_osz(x - x_opt)`.
pub(super) fn ellipsoid(seed: u64, dim: usize) -> Shape {
    Shape::centered(instance::optimizer(seed, dim), |y| quadratic(1e6, y.iter().map(|y| oscillate(*y))))
}

/// `Σ condition^(i/(d-1)) z_i²`.
pub(super) fn quadratic(condition: f64, z: impl ExactSizeIterator<Item = f64>) -> f64 {
    let dim = z.len();
    z.enumerate().map(|(i, z)| condition.powf(share(i, dim)) * z * z).sum()
}

/// `10 (d - Σ cos 2π z_i) + ‖z‖²`.
pub(super) fn ripples(z: &[f64]) -> f64 {
    let cosines: f64 = z.iter().map(|z| (TAU * z).cos()).sum();
    10.0 * (z.len() as f64 - cosines) + z.iter().map(|z| z * z).sum::<f64>()
}

/// f3, Rastrigin: ripples at `z = Λ^10 T_asy^0.2(T_osz(x - x_opt))`.
pub(super) fn rastrigin(seed: u64, dim: usize) -> Shape {
    let scales = scales(10.0, dim);
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let y: Vec<f64> = y.iter().map(|y| oscillate(*y)).collect();
        ripples(&asymmetric(0.2, &y).iter().zip(&scales).map(|(y, s)| y * s).collect::<Vec<f64>>())
    })
}

/// f4, Büche–Rastrigin: ripples at `z_i = s_i T_osz(x_i - x_opt,i)`, `s_i` ten times as large above 0 at every other variable.
pub(super) fn bueche_rastrigin(seed: u64, dim: usize) -> Shape {
    let mut optimizer = instance::optimizer(seed, dim);
    optimizer.iter_mut().step_by(2).for_each(|x| *x = x.abs());
    let scales = scales(10.0, dim);
    let shape = Shape::centered(optimizer, move |y| {
        let one = |(i, y): (usize, &f64)| {
            let z = scales[i] * oscillate(*y);
            if z > 0.0 && i % 2 == 0 { 10.0 * z } else { z }
        };
        ripples(&y.iter().enumerate().map(one).collect::<Vec<f64>>())
    });
    shape.penalized(100.0)
}

/// f5, linear slope: `Σ 5 |s_i| - s_i x_i` with its optimum in a corner, `s_i = ±10^(i/(d-1))`.
pub(super) fn linear_slope(seed: u64, dim: usize) -> Shape {
    let signs: Vec<f64> = instance::optimizer(seed, dim).iter().map(|x| x.signum()).collect();
    let slopes = scales(100.0, dim);
    Shape::new(signs.iter().map(|sign| 5.0 * sign).collect(), move |x| {
        slopes.iter().zip(&signs).zip(x).map(|((slope, sign), x)| slope * (5.0 - sign * x)).sum()
    })
}

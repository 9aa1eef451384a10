//! Multimodal functions with a global structure, f15 to f19 of `hansen2009`.

use std::f64::consts::{PI, TAU};

use super::instance::{self, SECOND};
use super::matrix::Matrix;
use super::moderate::{conditioned, rotated_valley, valley};
use super::separable::ripples;
use super::shape::Shape;
use super::transform::{asymmetric, oscillate, scales};

/// f15, rotated Rastrigin: ripples at `z = Q Λ^10 R T_asy^0.2(T_osz(Q (x - x_opt)))`.
pub(super) fn rotated_rastrigin(seed: u64, dim: usize) -> Shape {
    let (outer, map) = (Matrix::rotation(seed + SECOND, dim), conditioned(seed, dim, 10.0));
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let y: Vec<f64> = outer.apply(y).into_iter().map(oscillate).collect();
        ripples(&map.apply(&asymmetric(0.2, &y)))
    })
}

/// f16, Weierstrass: `10 (1/d Σ_i Σ_k 2⁻ᵏ cos 2π 3ᵏ(z_i + ½) - f_0)³`, `k < 12`, `z = Q Λ^(1/100) R T_osz(Q (x - x_opt))`.
///
/// `f_0 = Σ_k 2⁻ᵏ cos π 3ᵏ`. The penalty of the box has weight `10/d`.
pub(super) fn weierstrass(seed: u64, dim: usize) -> Shape {
    let (outer, map) = (Matrix::rotation(seed + SECOND, dim), conditioned(seed, dim, 0.01));
    let terms: Vec<(f64, f64)> = (0..12).map(|k| (0.5_f64.powi(k), 3_f64.powi(k))).collect();
    let least: f64 = terms.iter().map(|(weight, rate)| weight * (PI * rate).cos()).sum();
    let shape = Shape::centered(instance::optimizer(seed, dim), move |y| {
        let y: Vec<f64> = outer.apply(y).into_iter().map(oscillate).collect();
        let one = |z: &f64| -> f64 {
            terms.iter().map(|(weight, rate)| weight * (TAU * rate * (z + 0.5)).cos()).sum()
        };
        let mean = map.apply(&y).iter().map(one).sum::<f64>() / y.len() as f64;
        10.0 * (mean - least).powi(3)
    });
    shape.penalized(10.0 / dim as f64)
}

/// f17 and f18, Schaffer F7: `(mean √s_i (1 + sin² 50 s_i^0.2))²`, `s_i = √(z_i² + z_{i+1}²)`, `z = Λ^alpha R T_asy^0.5(Q (x - x_opt))`.
pub(super) fn schaffer(seed: u64, dim: usize, alpha: f64) -> Shape {
    let (inner, outer) = (Matrix::rotation(seed, dim), Matrix::rotation(seed + SECOND, dim));
    let scales = scales(alpha, dim);
    Shape::centered(instance::optimizer(seed, dim), move |y| {
        let y = inner.apply(&asymmetric(0.5, &outer.apply(y)));
        let z: Vec<f64> = y.iter().zip(&scales).map(|(y, s)| y * s).collect();
        let one = |w: &[f64]| {
            let square = w[0] * w[0] + w[1] * w[1];
            square.powf(0.25) * (1.0 + (50.0 * square.powf(0.1)).sin().powi(2))
        };
        let terms = z.windows(2).map(one).sum::<f64>();
        (terms / (z.len() - 1) as f64).powi(2)
    })
}

/// f19, Griewank–Rosenbrock: `height (1 + mean (s_i / 4000 - cos s_i))` over the terms of the rotated valley; the height is 10,
/// with noise 1.
pub(super) fn griewank_rosenbrock(seed: u64, dim: usize, height: f64) -> Shape {
    rotated_valley(seed, dim, move |z| {
        let terms: f64 = valley(z).map(|s| s / 4000.0 - s.cos()).sum();
        height * (1.0 + terms / (z.len() - 1) as f64)
    })
}

//! Formulas of the development problems.

use std::f64::consts::{PI, TAU};

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;

/// Eight pits at random places, of depth 1 and from 0.4 to 0.85, on a shallow bowl.
pub fn pits(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let pits: Vec<(Vec<f64>, f64, f64)> = (0..8)
        .map(|k| {
            let center = (0..dim).map(|_| 0.05 + 0.9 * rng.uniform()).collect();
            let depth = if k == 0 { 1.0 } else { 0.4 + 0.45 * rng.uniform() };
            (center, depth, (0.06 + 0.1 * rng.uniform()) * (dim as f64).sqrt())
        })
        .collect();
    move |x| {
        let distance = |a: &[f64]| -> f64 { a.iter().zip(x).map(|(a, x)| (a - x).powi(2)).sum() };
        let pit = |(center, depth, width): &(Vec<f64>, f64, f64)| {
            depth * (-0.5 * distance(center) / width.powi(2)).exp()
        };
        0.1 * distance(&vec![0.5; dim]) / dim as f64 - pits.iter().map(pit).sum::<f64>()
    }
}

/// Ackley's function on its usual scale.
pub fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (squares, cosines) = x.iter().fold((0.0, 0.0), |(s, c), v| (s + v * v / n, c + (TAU * v).cos() / n));
    20.0 + 1_f64.exp() - 20.0 * (-0.2 * f64::sqrt(squares)).exp() - f64::exp(cosines)
}

/// Levy's function on its usual scale.
pub fn levy(x: &[f64]) -> f64 {
    let w: Vec<f64> = x.iter().map(|v| 1.0 + (v - 1.0) / 4.0).collect();
    let last = w[w.len() - 1];
    let middle: f64 = w[..w.len() - 1]
        .iter()
        .map(|w| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2)))
        .sum();
    (PI * w[0]).sin().powi(2) + middle + (last - 1.0).powi(2) * (1.0 + (TAU * last).sin().powi(2))
}

/// Michalewicz's function on [0, π].
pub fn michalewicz(x: &[f64]) -> f64 {
    let one = |(i, v): (usize, &f64)| v.sin() * ((i + 1) as f64 * v * v / PI).sin().powi(20);
    -x.iter().enumerate().map(one).sum::<f64>()
}

/// Bowl around a random point, with 10⁴ times the curvature on one side of a random plane through that point.
///
/// ```text
/// f(x) = ‖x - c‖² + 10⁴ max(0, w·(x - c))²,   ‖w‖ = 1
/// ```
pub fn steep(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let center: Vec<f64> = (0..dim).map(|_| 0.15 + 0.7 * rng.uniform()).collect();
    let mut normal: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(rng)).collect();
    let length = normal.iter().map(|w| w * w).sum::<f64>().sqrt();
    normal.iter_mut().for_each(|w| *w /= length);
    move |x| {
        let from: Vec<f64> = x.iter().zip(&center).map(|(x, c)| x - c).collect();
        let across: f64 = normal.iter().zip(&from).map(|(w, d)| w * d).sum();
        from.iter().map(|d| d * d).sum::<f64>() + 1e4 * across.max(0.0).powi(2)
    }
}

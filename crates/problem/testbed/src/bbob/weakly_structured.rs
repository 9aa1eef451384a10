//! Multimodal functions of weak global structure, f20, f23 and f24 of `hansen2009`.

use std::f64::consts::TAU;

use super::instance;
use super::moderate::conditioned;
use super::random;
use super::shape::Shape;
use super::transform::{penalty, scales};

/// Twice the distance of the optimum of [`schwefel`] from 0, per variable.
const SCHWEFEL: f64 = 4.209_687_463_7;

/// f20, Schwefel: `4.1898… - 1/(100 d) Σ z_i sin √|z_i| + 0.01 Σ max(0, |z_i| - 500)²`.
///
/// ```text
/// z = 100 (Λ^10 (ẑ - 2|x_opt|) + 2|x_opt|),   ẑ_i = x̂_i + (x̂_{i-1} - 2|x_opt|) / 4,   x̂ = 2 sign(x_opt) x
/// ```
pub(super) fn schwefel(seed: u64, dim: usize) -> Shape {
    let sign = |u: f64| if u < 0.5 { -1.0 } else { 1.0 };
    let signs: Vec<f64> = random::uniform(dim, seed).into_iter().map(sign).collect();
    let optimizer = signs.iter().map(|sign| 0.5 * SCHWEFEL * sign).collect();
    let scales = scales(10.0, dim);
    Shape::new(optimizer, move |x| {
        let hat: Vec<f64> = x.iter().zip(&signs).map(|(x, sign)| 2.0 * sign * x).collect();
        let one = |i: usize| {
            let pulled = if i == 0 { hat[0] } else { hat[i] + 0.25 * (hat[i - 1] - SCHWEFEL) };
            100.0 * (scales[i] * (pulled - SCHWEFEL) + SCHWEFEL)
        };
        let z: Vec<f64> = (0..x.len()).map(one).collect();
        let mean = z.iter().map(|z| z * z.abs().sqrt().sin()).sum::<f64>() / z.len() as f64;
        0.01 * (penalty(500.0, &z) + 418.982_887_272_433_9 - mean)
    })
}

/// f23, Katsuura: `10/d² (Π (1 + (i+1) Σ_j |2ʲ z_i - [2ʲ z_i]| / 2ʲ)^(10/d^1.2) - 1)`, `j` from 1 to 32, `z = Q Λ^100 R (x - x_opt)`.
///
/// The penalty of the box has weight 1.
pub(super) fn katsuura(seed: u64, dim: usize) -> Shape {
    let map = conditioned(seed, dim, 100.0);
    let shape = Shape::centered(instance::optimizer(seed, dim), move |y| {
        let d = y.len() as f64;
        let rough = |z: &f64| -> f64 {
            let term = |j: i32| {
                let power = 2_f64.powi(j);
                (power * z - (power * z + 0.5).floor()).abs() / power
            };
            (1..=32).map(term).sum()
        };
        let factors = map.apply(y).into_iter().enumerate().map(|(i, z)| 1.0 + (i + 1) as f64 * rough(&z));
        10.0 / (d * d) * (factors.product::<f64>().powf(10.0 / d.powf(1.2)) - 1.0)
    });
    shape.penalized(1.0)
}

/// f24, Lunacek bi-Rastrigin: two funnels with ripples.
///
/// ```text
/// min(Σ (x̂_i - μ_0)², d + s Σ (x̂_i - μ_1)²) + 10 (d - Σ cos 2π z_i)
/// x̂ = 2 sign(x_opt) x,   z = Q Λ^100 R (x̂ - μ_0),   μ_0 = 2.5,   μ_1 = -√((μ_0² - 1) / s),   s = 1 - 1 / (2 √(d + 20) - 8.2)
/// ```
///
/// The penalty of the box has weight 10⁴.
pub(super) fn lunacek(seed: u64, dim: usize) -> Shape {
    const CENTER: f64 = 2.5;
    let signs: Vec<f64> =
        random::normal(dim, seed).into_iter().map(|z| if z < 0.0 { -1.0 } else { 1.0 }).collect();
    let map = conditioned(seed, dim, 100.0);
    let s = 1.0 - 0.5 / ((dim as f64 + 20.0).sqrt() - 4.1);
    let second = -((CENTER * CENTER - 1.0) / s).sqrt();
    let optimizer = signs.iter().map(|sign| 0.5 * CENTER * sign).collect();
    let shape = Shape::new(optimizer, move |x| {
        let d = x.len() as f64;
        let hat: Vec<f64> = x.iter().zip(&signs).map(|(x, sign)| 2.0 * sign * x).collect();
        let from = |center: f64| hat.iter().map(|x| (x - center).powi(2)).sum::<f64>();
        let shifted: Vec<f64> = hat.iter().map(|x| x - CENTER).collect();
        let cosines: f64 = map.apply(&shifted).iter().map(|z| (TAU * z).cos()).sum();
        from(CENTER).min(d + s * from(second)) + 10.0 * (d - cosines)
    });
    shape.penalized(1e4)
}

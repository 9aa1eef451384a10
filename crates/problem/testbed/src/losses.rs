//! Formulas of the multi-objective test problems.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::functions::branin;

pub(crate) fn branin_currin(x: &[f64]) -> [f64; 2] {
    let (a, b) = (x[0], x[1]);
    let top = 2300.0 * a.powi(3) + 1900.0 * a * a + 2092.0 * a + 60.0;
    let bottom = 100.0 * a.powi(3) + 500.0 * a * a + 4.0 * a + 20.0;
    [branin(&[15.0 * a - 5.0, 15.0 * b]), (1.0 - (-1.0 / (2.0 * b)).exp()) * top / bottom]
}

/// Not positive in a disk, in the units of Branin's function.
pub(crate) fn disk(x: &[f64], _: &[f64]) -> f64 {
    (15.0 * x[0] - 7.5).powi(2) + (15.0 * x[1] - 7.5).powi(2) - 50.0
}

/// `1 + 9 mean(x1, …)`
fn distance(x: &[f64]) -> f64 {
    1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64
}

pub(crate) fn zdt1(x: &[f64]) -> [f64; 2] {
    let g = distance(x);
    [x[0], g * (1.0 - (x[0] / g).sqrt())]
}

pub(crate) fn zdt2(x: &[f64]) -> [f64; 2] {
    let g = distance(x);
    [x[0], g * (1.0 - (x[0] / g).powi(2))]
}

pub(crate) fn zdt3(x: &[f64]) -> [f64; 2] {
    let g = distance(x);
    [x[0], g * (1.0 - (x[0] / g).sqrt() - x[0] / g * (10.0 * PI * x[0]).sin())]
}

pub(crate) fn dtlz2(x: &[f64], objectives: usize) -> Vec<f64> {
    let g: f64 = x[objectives - 1..].iter().map(|v| (v - 0.5).powi(2)).sum();
    let loss = |i: usize| {
        let last = objectives - 1 - i;
        let cosines: f64 = x[..last].iter().map(|v| (FRAC_PI_2 * v).cos()).product();
        (1.0 + g) * cosines * if i > 0 { (FRAC_PI_2 * x[last]).sin() } else { 1.0 }
    };
    (0..objectives).map(loss).collect()
}

/// Not positive within 0.2 of a corner of the sphere or of its middle.
pub(crate) fn corners_and_middle(_: &[f64], losses: &[f64]) -> f64 {
    let square = 0.2 * 0.2;
    let m = losses.len() as f64;
    let norm: f64 = losses.iter().map(|f| f * f).sum();
    let corner = |f: &f64| (f - 1.0).powi(2) + norm - f * f - (m - 1.0) * square;
    let nearest = losses.iter().map(corner).fold(f64::INFINITY, f64::min);
    let middle: f64 = losses.iter().map(|f| (f - m.sqrt().recip()).powi(2) - square).sum();
    nearest.min(middle)
}

/// The volume of the unit ball: `V_m = 2π/m V_(m-2)`, `V_0 = 1`, `V_1 = 2`.
pub(crate) fn ball(m: usize) -> f64 {
    match m {
        0 => 1.0,
        1 => 2.0,
        _ => 2.0 * PI / m as f64 * ball(m - 2),
    }
}

pub(crate) fn vehicle_safety(x: &[f64]) -> [f64; 3] {
    let [a, b, c, d, e] = [x[0], x[1], x[2], x[3], x[4]];
    let mass =
        1640.2823 + 2.357_328_5 * a + 2.322_003_5 * b + 4.568_876_8 * c + 7.721_363_3 * d + 4.455_950_4 * e;
    let acceleration = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d
        + 0.0861 * a * e
        + 0.3628 * b * d
        - 0.1106 * a * a
        - 0.3437 * c * c
        + 0.1764 * d * d;
    let intrusion = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c
        - 0.0118 * b * d
        - 0.0204 * c * d
        - 0.008 * c * e
        - 0.0241 * b * b
        + 0.0109 * d * d;
    [mass, acceleration, intrusion]
}

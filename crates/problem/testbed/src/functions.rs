//! Formulas of the single-objective test functions.

use std::f64::consts::{E, PI, TAU};

const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];

pub(crate) fn branin(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    (b - 5.1 / (4.0 * PI * PI) * a * a + 5.0 / PI * a - 6.0).powi(2)
        + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * a.cos()
        + 10.0
}

fn hartmann<const D: usize>(x: &[f64], rates: &[[f64; D]; 4], centers: &[[f64; D]; 4]) -> f64 {
    let term = |((alpha, rates), centers): ((&f64, &[f64; D]), &[f64; D])| {
        let exponent: f64 = (0..D).map(|i| rates[i] * (x[i] - 1e-4 * centers[i]).powi(2)).sum();
        alpha * (-exponent).exp()
    };
    -ALPHA.iter().zip(rates).zip(centers).map(term).sum::<f64>()
}

pub(crate) fn hartmann3(x: &[f64]) -> f64 {
    let rates = [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];
    let centers = [
        [3689.0, 1170.0, 2673.0],
        [4699.0, 4387.0, 7470.0],
        [1091.0, 8732.0, 5547.0],
        [381.0, 5743.0, 8828.0],
    ];
    hartmann(x, &rates, &centers)
}

pub(crate) fn hartmann6(x: &[f64]) -> f64 {
    let rates = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    let centers = [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ];
    hartmann(x, &rates, &centers)
}

pub(crate) fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let square = x.iter().map(|v| v * v).sum::<f64>() / n;
    let cosine = x.iter().map(|v| (TAU * v).cos()).sum::<f64>() / n;
    -20.0 * (-0.2 * square.sqrt()).exp() - cosine.exp() + 20.0 + E
}

pub(crate) fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

pub(crate) fn forrester(x: &[f64]) -> f64 {
    (6.0 * x[0] - 2.0).powi(2) * (12.0 * x[0] - 4.0).sin()
}

pub(crate) fn x_sin_x(x: &[f64]) -> f64 {
    -x[0] * x[0].sin()
}

pub(crate) fn wang_freitas(x: &[f64]) -> f64 {
    let bump = |center: f64, width: f64| (-0.5 * ((x[0] - center) / width).powi(2)).exp();
    -(2.0 * bump(0.1, 0.1) + 4.0 * bump(0.9, 0.01))
}

pub(crate) fn goldstein_price(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    let u =
        1.0 + (a + b + 1.0).powi(2) * (19.0 - 14.0 * a + 3.0 * a * a - 14.0 * b + 6.0 * a * b + 3.0 * b * b);
    let v = 30.0
        + (2.0 * a - 3.0 * b).powi(2)
            * (18.0 - 32.0 * a + 12.0 * a * a + 48.0 * b - 36.0 * a * b + 27.0 * b * b);
    u * v
}

pub(crate) fn himmelblau(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    (a * a + b - 11.0).powi(2) + (a + b * b - 7.0).powi(2)
}

pub(crate) fn six_hump_camel(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    (4.0 - 2.1 * a * a + a.powi(4) / 3.0) * a * a + a * b + (-4.0 + 4.0 * b * b) * b * b
}

pub(crate) fn cosines(x: &[f64]) -> f64 {
    let term = |v: &f64| {
        let g = 1.6 * v - 0.5;
        g * g - 0.3 * (3.0 * PI * g).cos()
    };
    x.iter().map(term).sum::<f64>() - 1.0
}

pub(crate) fn styblinski_tang(x: &[f64]) -> f64 {
    x.iter().map(|v| 0.5 * (v.powi(4) - 16.0 * v * v + 5.0 * v)).sum()
}

pub(crate) fn log_goldstein_price(x: &[f64]) -> f64 {
    goldstein_price(x).ln()
}

pub(crate) fn log_six_hump_camel(x: &[f64]) -> f64 {
    (six_hump_camel(x) + 1.0316 + 1e-4).ln()
}

pub(crate) fn log_hartmann6(x: &[f64]) -> f64 {
    -(-hartmann6(x)).ln()
}

pub(crate) fn log_rosenbrock(x: &[f64]) -> f64 {
    (rosenbrock(x) + 0.5).ln()
}

pub(crate) fn log_styblinski_tang(x: &[f64]) -> f64 {
    (40.0 * x.len() as f64 + styblinski_tang(x)).ln()
}

//! The functions on which optimisers are judged, with gradients.
//!
//! Source: Moré, Garbow & Hillstrom (1981), numbers 1, 5, 13, 14 and 26, and a quadratic of given condition.

/// A test function of any dimension: value, and gradient overwritten.
pub type TestFunction = fn(&[f64], &mut [f64]) -> f64;

/// All functions with their names, in the order in which [`matching`] tries them.
pub const FUNCTIONS: [(&str, TestFunction); 7] = [
    ("rosenbrock", rosenbrock),
    ("quadratic1e4", quadratic1e4),
    ("quadratic1e6", quadratic1e6),
    ("beale", beale),
    ("powell", powell),
    ("wood", wood),
    ("trigonometric", trigonometric),
];

/// The function with the longest name that `name` starts with.
#[must_use]
pub fn by_name(name: &str) -> Option<TestFunction> {
    let fits = FUNCTIONS.iter().filter(|(prefix, _)| name.starts_with(prefix));
    fits.max_by_key(|(prefix, _)| prefix.len()).map(|&(_, function)| function)
}

/// The function that `name` starts with if it has the value `expected` at `x`, else the first that has.
#[must_use]
pub fn matching(name: &str, x: &[f64], expected: f64) -> Option<TestFunction> {
    let fits = |f: &TestFunction| {
        let mut gradient = vec![0.0; x.len()];
        (f(x, &mut gradient) - expected).abs() <= 1e-9 * expected.abs().max(1e-12)
    };
    by_name(name).filter(fits).or_else(|| FUNCTIONS.iter().map(|&(_, f)| f).find(fits))
}

/// `Σ 100 (x_{i+1} - x_i²)² + (1 - x_i)²` over consecutive pairs. Minimum 0 at 1.
pub fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len().saturating_sub(1) {
        let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * a * a + b * b;
        gradient[i] -= 400.0 * x[i] * a + 2.0 * b;
        gradient[i + 1] += 200.0 * a;
    }
    value
}

/// `Σ 10^(4 i/(n-1)) (x_i - 0.3)²`: condition number 1e4. Minimum 0 at 0.3.
pub fn quadratic1e4(x: &[f64], gradient: &mut [f64]) -> f64 {
    quadratic(4.0, x, gradient)
}

/// `Σ 10^(6 i/(n-1)) (x_i - 0.3)²`: condition number 1e6. Minimum 0 at 0.3.
pub fn quadratic1e6(x: &[f64], gradient: &mut [f64]) -> f64 {
    quadratic(6.0, x, gradient)
}

fn quadratic(decades: f64, x: &[f64], gradient: &mut [f64]) -> f64 {
    let last = x.len().saturating_sub(1).max(1) as f64;
    let mut value = 0.0;
    for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
        let weight = 10_f64.powf(decades * i as f64 / last);
        value += weight * (x - 0.3).powi(2);
        *g = 2.0 * weight * (x - 0.3);
    }
    value
}

/// `Σ_{i=1..3} (y_i - x₀ (1 - x₁^i))²` with y = 1.5, 2.25, 2.625, in two dimensions. Minimum 0 at (3, 0.5).
///
/// In other dimensions the value is NaN.
pub fn beale(x: &[f64], gradient: &mut [f64]) -> f64 {
    let &[a, b] = x else { return f64::NAN };
    gradient.fill(0.0);
    let mut value = 0.0;
    for (i, y) in [(1, 1.5), (2, 2.25), (3, 2.625)] {
        let residual = y - a * (1.0 - b.powi(i));
        value += residual * residual;
        gradient[0] -= 2.0 * residual * (1.0 - b.powi(i));
        gradient[1] += 2.0 * residual * a * f64::from(i) * b.powi(i - 1);
    }
    value
}

/// Powell's singular function over groups of four variables. Minimum 0 at 0, where the Hessian is singular.
///
/// ```text
/// (x₁ + 10x₂)² + 5 (x₃ - x₄)² + (x₂ - 2x₃)⁴ + 10 (x₁ - x₄)⁴
/// ```
pub fn powell(x: &[f64], gradient: &mut [f64]) -> f64 {
    if !x.len().is_multiple_of(4) {
        return f64::NAN;
    }
    let mut value = 0.0;
    for (x, g) in x.chunks_exact(4).zip(gradient.chunks_exact_mut(4)) {
        let (a, b, c, d) = (x[0] + 10.0 * x[1], x[2] - x[3], x[1] - 2.0 * x[2], x[0] - x[3]);
        value += a * a + 5.0 * b * b + c.powi(4) + 10.0 * d.powi(4);
        g[0] = 2.0 * a + 40.0 * d.powi(3);
        g[1] = 20.0 * a + 4.0 * c.powi(3);
        g[2] = 10.0 * b - 8.0 * c.powi(3);
        g[3] = -10.0 * b - 40.0 * d.powi(3);
    }
    value
}

/// Wood's function of four variables. Minimum 0 at 1.
///
/// ```text
/// 100 (x₂ - x₁²)² + (1 - x₁)² + 90 (x₄ - x₃²)² + (1 - x₃)² + 10 (x₂ + x₄ - 2)² + (x₂ - x₄)² / 10
/// ```
pub fn wood(x: &[f64], gradient: &mut [f64]) -> f64 {
    let &[a, b, c, d] = x else { return f64::NAN };
    let (p, q, s, t) = (b - a * a, d - c * c, b + d - 2.0, b - d);
    gradient[0] = -400.0 * a * p - 2.0 * (1.0 - a);
    gradient[1] = 200.0 * p + 20.0 * s + 0.2 * t;
    gradient[2] = -360.0 * c * q - 2.0 * (1.0 - c);
    gradient[3] = 180.0 * q + 20.0 * s - 0.2 * t;
    100.0 * p * p + (1.0 - a).powi(2) + 90.0 * q * q + (1.0 - c).powi(2) + 10.0 * s * s + 0.1 * t * t
}

/// The trigonometric function. Minimum 0.
///
/// ```text
/// Σ_i (n - Σ_j cos x_j + i (1 - cos x_i) - sin x_i)²,   i = 1 … n
/// ```
pub fn trigonometric(x: &[f64], gradient: &mut [f64]) -> f64 {
    let n = x.len() as f64;
    let cosines: f64 = x.iter().map(|x| x.cos()).sum();
    let residual = |i: usize| n - cosines + (i + 1) as f64 * (1.0 - x[i].cos()) - x[i].sin();
    let total: f64 = (0..x.len()).map(residual).sum();
    for (i, g) in gradient.iter_mut().enumerate() {
        let own = (i + 1) as f64 * x[i].sin() - x[i].cos();
        *g = 2.0 * (total * x[i].sin() + residual(i) * own);
    }
    (0..x.len()).map(|i| residual(i).powi(2)).sum()
}

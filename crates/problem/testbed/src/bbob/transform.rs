//! Transformations of variables and values, §0.2 of `hansen2009`.

/// Diagonal of the matrix Λ^alpha.
///
/// ```text
/// alpha^(i / (2 (d - 1))),   i = 0, …, d - 1
/// ```
pub(super) fn scales(alpha: f64, dim: usize) -> Vec<f64> {
    (0..dim).map(|i| alpha.sqrt().powf(share(i, dim))).collect()
}

/// Position of a variable among all, from 0 to 1.
pub(super) fn share(i: usize, dim: usize) -> f64 {
    i as f64 / (dim - 1) as f64
}

/// The oscillation `T_osz`: monotone, with small irregularities, symmetry broken.
///
/// ```text
/// sign(x) exp(l + 0.049 (sin c₁ l + sin c₂ l)),   l = ln |x|
/// ```
///
/// `c₁ = 10, c₂ = 7.9` above 0, else `5.5, 3.1`.
pub(super) fn oscillate(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let log = 10.0 * x.abs().ln();
    let (fast, slow) = if x > 0.0 { (1.0, 0.79) } else { (0.55, 0.31) };
    x.signum() * (0.1 * (log + 0.49 * ((fast * log).sin() + (slow * log).sin()))).exp()
}

/// The asymmetry `T_asy`: `x_i^(1 + beta i/(d-1) √x_i)` above 0, else `x_i`.
pub(super) fn asymmetric(beta: f64, x: &[f64]) -> Vec<f64> {
    let one = |(i, v): (usize, &f64)| {
        if *v > 0.0 { v.powf(1.0 + beta * share(i, x.len()) * v.sqrt()) } else { *v }
    };
    x.iter().enumerate().map(one).collect()
}

/// Difference of two points.
pub(super) fn minus(x: &[f64], center: &[f64]) -> Vec<f64> {
    x.iter().zip(center).map(|(x, c)| x - c).collect()
}

/// Boundary penalty: `Σ max(0, |x_i| - bound)²`.
pub(super) fn penalty(bound: f64, x: &[f64]) -> f64 {
    x.iter().map(|x| (x.abs() - bound).max(0.0).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oscillation_is_monotone_and_keeps_zero() {
        let values: Vec<f64> = (-400..=400).map(|i| oscillate(f64::from(i) / 40.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((oscillate(0.0), oscillate(1.0), oscillate(-1.0)), (0.0, 1.0, -1.0));
    }

    #[test]
    fn asymmetry_keeps_the_first_variable_and_what_is_not_positive() {
        assert_eq!(asymmetric(0.5, &[2.0, -3.0, 0.0]), [2.0, -3.0, 0.0]);
        let last = asymmetric(0.5, &[1.0, 4.0])[1];
        assert!((last - 16.0).abs() < 1e-12, "4^(1 + 0.5 · 2) is {last}");
    }

    #[test]
    fn scales_and_penalty_by_hand() {
        let found = scales(100.0, 3);
        assert!(found.iter().zip([1.0, 10_f64.sqrt(), 10.0]).all(|(f, e)| (f - e).abs() < 1e-12));
        assert_eq!(penalty(5.0, &[6.0, -7.0, 4.0]), 5.0);
    }
}

//! Weights of the observations under Student-t noise, by variational inference.

use thrifty_linalg::{Matrix, Threads, factor_in_place, invert_lower_into, solve_lower_in_place};

use crate::StudentT;

/// Converged weights for one set of hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weighting {
    /// Mean weight of each observation.
    pub(crate) weights: Vec<f64>,
    /// Lower bound of the log marginal likelihood.
    pub(crate) evidence: f64,
    /// Derivative of the bound with respect to σ².
    pub(crate) by_noise: f64,
    pub(crate) sweeps: usize,
    pub(crate) converged: bool,
}

/// Weights observations with residuals `r = y - m` of a process. C is its covariance, including known noise, and σ² the scale of the
/// Student-t noise.
///
/// ```text
/// Σ = diag(σ²/w),   A = C + Σ,   α = A⁻¹ r
/// e_i = E[(y_i - f_i)²] = Σ_ii² (α_i² - A⁻¹_ii) + Σ_ii,   w_i ← (ν+1)/(ν + e_i/σ²)
/// bound = ln N(r; 0, A) + Σ_i evidence(w_i)
/// ```
///
/// Each sweep maximizes the bound over all weights given the function, and then over the function given the weights. The bound therefore
/// never decreases. The start is `start`, or equal weights 1. Cost: 2n³/3 flops per sweep. Source: `tipping2005`, with a process in place
/// of the linear model.
///
/// # Errors
/// The pivot at which the covariance is not positive definite.
pub(crate) fn weigh(
    c: &Matrix,
    residual: &[f64],
    noise: f64,
    student: &StudentT,
    start: Option<&[f64]>,
) -> Result<Weighting, usize> {
    let n = residual.len();
    let mut weights = start.filter(|w| w.len() == n).map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
    let (mut factor, mut inverse) = (Matrix::default(), Matrix::zeros(n, n));
    let mut sweeps = 0;
    loop {
        sweeps += 1;
        factor.clone_from(c);
        for (i, w) in weights.iter().enumerate() {
            factor[(i, i)] += noise / w;
        }
        factor_in_place(&mut factor, Threads::One)?;
        invert_lower_into(&factor, &mut inverse, Threads::One);
        let mut white = residual.to_vec();
        solve_lower_in_place(&factor, &mut white);
        let log_density = log_density(&factor, &white);
        let mut by_noise = 0.0;
        let mut change: f64 = 0.0;
        let mut next = Vec::with_capacity(n);
        for (i, w) in weights.iter().enumerate() {
            let column = &inverse.column(i)[i..];
            let alpha: f64 = column.iter().zip(&white[i..]).map(|(l, v)| l * v).sum();
            let precision: f64 = column.iter().map(|l| l * l).sum();
            by_noise += 0.5 * (alpha * alpha - precision) / w;
            let variance = noise / w;
            // Rounding may make the posterior variance negative when the noise is tiny.
            let spread = (variance - variance * variance * precision).max(0.0);
            let square = (variance * alpha).powi(2) + spread;
            let weight = student.weight(square / noise);
            change = change.max((weight / w).ln().abs());
            next.push(weight);
        }
        let converged = change <= student.tolerance;
        if converged || sweeps == student.max_sweeps {
            let evidence = log_density + weights.iter().map(|w| student.evidence(*w)).sum::<f64>();
            return Ok(Weighting { weights, evidence, by_noise, sweeps, converged });
        }
        weights = next;
    }
}

/// Log density of normal variables, from the factor of their covariance and the whitened variables.
fn log_density(factor: &Matrix, white: &[f64]) -> f64 {
    let half_log_det: f64 = (0..white.len()).map(|i| factor[(i, i)].ln()).sum();
    let squares: f64 = white.iter().map(|v| v * v).sum();
    -0.5 * squares - half_log_det - 0.5 * white.len() as f64 * std::f64::consts::TAU.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log density of a sum of a normal number with variance `v` and Student-t noise, at `y`, by the trapezoidal rule.
    fn exact(y: f64, v: f64, noise: f64, nu: f64) -> f64 {
        let log_t = |e: f64| {
            libm::lgamma(0.5 * (nu + 1.0))
                - libm::lgamma(0.5 * nu)
                - 0.5 * (nu * std::f64::consts::PI * noise).ln()
                - 0.5 * (nu + 1.0) * (e * e / (nu * noise)).ln_1p()
        };
        let (step, mut sum) = (1e-3, 0.0);
        for i in -20_000..=20_000 {
            let z = f64::from(i) * step;
            sum += (log_t(y - v.sqrt() * z) - 0.5 * z * z).exp();
        }
        (sum * step / std::f64::consts::TAU.sqrt()).ln()
    }

    /// One observation: the bound is below the exact evidence, and within half a nat of it: the gap is largest where it is open whether the observation is an outlier.
    #[test]
    fn the_bound_is_below_the_evidence() {
        for (y, v, noise, nu) in
            [(0.3, 1.0, 0.1, 4.0), (5.0, 1.0, 0.1, 4.0), (-2.0, 0.01, 1.0, 1.0), (0.0, 4.0, 0.5, 30.0)]
        {
            let c = Matrix::from_fn(1, 1, |_, _| v);
            let found = weigh(&c, &[y], noise, &StudentT::new(nu), None).unwrap();
            let exact = exact(y, v, noise, nu);
            assert!(found.converged && found.evidence <= exact + 1e-9, "{y}: {} {exact}", found.evidence);
            assert!(found.evidence > exact - 0.5, "{y}: {} {exact}", found.evidence);
        }
    }

    /// No sweep lowers the bound, wherever it begins.
    #[test]
    fn sweeps_raise_the_bound() {
        let c = Matrix::from_fn(6, 6, |i, j| (-(i as f64 - j as f64).powi(2) / 4.0).exp());
        let residual = [0.1, -0.2, 9.0, 0.4, -7.0, 0.0];
        let starts: [Option<&[f64]>; 2] = [None, Some(&[1e-3, 1.2, 1.0, 1e-2, 1.0, 0.5])];
        for start in starts {
            let mut before = f64::NEG_INFINITY;
            for max_sweeps in 1..30 {
                let student = StudentT { max_sweeps, tolerance: 1e-300, ..StudentT::default() };
                let found = weigh(&c, &residual, 0.2, &student, start).unwrap();
                assert!(found.evidence >= before - 1e-12, "{max_sweeps}: {} {before}", found.evidence);
                before = found.evidence;
            }
        }
    }

    /// Many degrees of freedom: all weights are 1, and the bound is the evidence of normal noise.
    #[test]
    fn many_degrees_of_freedom_are_normal_noise() {
        let c = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.3 });
        let found = weigh(&c, &[0.5, -1.0, 2.0], 0.1, &StudentT::new(1e10), None).unwrap();
        let mut a = Matrix::from_fn(3, 3, |i, j| if i == j { 1.1 } else { 0.3 });
        factor_in_place(&mut a, Threads::One).unwrap();
        let mut white = [0.5, -1.0, 2.0];
        solve_lower_in_place(&a, &mut white);
        assert!((found.evidence - log_density(&a, &white)).abs() < 1e-6, "{}", found.evidence);
        assert!(found.weights.iter().all(|w| (w - 1.0).abs() < 1e-8));
    }
}

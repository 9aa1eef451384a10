//! Student-t noise as a mixture of normal noises, and the settings of its approximation.

use std::f64::consts::PI;

use thrifty_check::{InputError, number, positive};

/// Student-t noise, and the convergence settings of its approximation.
///
/// ```text
/// p(ε) ∝ (1 + ε²/(ν σ²))^(-(ν+1)/2) = ∫ N(ε; 0, σ²/w) Gamma(w; ν/2, ν/2) dw
/// ```
///
/// σ² is the noise of the process ([`Noise`](thrifty_gp::Noise)), which is learnt or fixed. The variance is σ² ν/(ν - 2) for ν > 2 and infinite below.
/// Source: `lange1989`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StudentT {
    /// Degrees of freedom ν, above 0. At ν = 4 an observation five σ away has weight 1/6. ν = 1 is the Cauchy distribution; above 100 the
    /// noise is nearly normal.
    pub degrees_of_freedom: f64,
    /// Convergence tolerance: the largest change of a log weight in the last sweep.
    pub tolerance: f64,
    /// Largest number of sweeps over the weights.
    pub max_sweeps: usize,
}

impl Default for StudentT {
    /// 4 degrees of freedom, as is usual in robust regression (`lange1989`); a tolerance of 1e-7 and at most 500 sweeps.
    fn default() -> Self {
        Self { degrees_of_freedom: 4.0, tolerance: 1e-7, max_sweeps: 500 }
    }
}

impl StudentT {
    /// Noise with these degrees of freedom.
    #[must_use]
    pub fn new(degrees_of_freedom: f64) -> Self {
        Self { degrees_of_freedom, ..Self::default() }
    }

    /// Checks the settings; every fit calls it.
    ///
    /// # Errors
    /// [`InputError`] names the setting that is out of its range.
    pub fn validate(&self) -> Result<(), InputError> {
        positive("degrees of freedom", self.degrees_of_freedom)?;
        positive("tolerance of the weights", self.tolerance)?;
        number("sweeps", self.max_sweeps as f64, self.max_sweeps > 0, "at least 1")?;
        Ok(())
    }

    /// Mean weight of an observation with expected squared residual e = `square` σ².
    ///
    /// ```text
    /// E[w] = (ν + 1)/(ν + e/σ²)
    /// ```
    #[must_use]
    pub fn weight(&self, square: f64) -> f64 {
        (self.degrees_of_freedom + 1.0) / (self.degrees_of_freedom + square)
    }

    /// Largest weight: that of an observation without residual.
    #[must_use]
    pub fn largest_weight(&self) -> f64 {
        self.weight(0.0)
    }

    /// Variance, in units of σ², of the normal noise with the same central 95 % interval. It is 2.0 at 4 degrees of freedom, 42 at 1, and
    /// tends to 1 for many. Unlike the variance of the noise it is always finite.
    ///
    /// ```text
    /// (t / 1.96)²,   P(|ε| ≤ t σ) = 0.95
    /// ```
    #[must_use]
    pub fn normal_variance(&self) -> f64 {
        (self.half_width() / NORMAL_HALF_WIDTH).powi(2)
    }

    /// The t of [`StudentT::normal_variance`], by Simpson's rule in u = asinh t; at most 1.6 million.
    fn half_width(&self) -> f64 {
        let nu = self.degrees_of_freedom;
        // ln Γ((ν+1)/2) - ln Γ(ν/2) - ½ ln(νπ).
        let log_scale = log_gamma_step(0.5 * nu) + 0.5 * (0.5 * (nu + 1.0) / (nu * PI)).ln();
        let density = |u: f64| {
            let t = u.sinh();
            u.cosh() * (log_scale - 0.5 * (nu + 1.0) * (t * t / nu).ln_1p()).exp()
        };
        let mass = |from: f64, to: f64| {
            (to - from) / 6.0 * (density(from) + 4.0 * density(0.5 * (from + to)) + density(to))
        };
        let (mut u, mut left) = (0.0, 0.5 * 0.95);
        while u < 15.0 {
            let panel = mass(u, u + PANEL);
            if panel >= left {
                let mut end = u + PANEL * left / panel;
                for _ in 0..3 {
                    end += (left - mass(u, end)) / density(end);
                }
                return end.sinh();
            }
            left -= panel;
            u += PANEL;
        }
        u.sinh()
    }

    /// Contribution of one weight to the evidence bound, in addition to the normal density with variance σ²/w.
    ///
    /// ```text
    /// a = (ν+1)/2,   a₀ = ν/2,   b = a/w:
    /// ½ (E ln w - ln E w) - KL(Gamma(a, b) ‖ Gamma(a₀, a₀)) = ln Γ(a) - ln Γ(a₀) - ½ ln a - a₀ ln(b/a₀) - a a₀/b + a
    /// ```
    pub(crate) fn evidence(&self, weight: f64) -> f64 {
        let a_0 = 0.5 * self.degrees_of_freedom;
        let a = a_0 + 0.5;
        // a₀/b = a₀ w/a = 1 + δ. With many degrees of freedom the omitted terms cancel.
        let delta = (a_0 * (weight - 1.0) - 0.5) / a;
        log_gamma_step(a_0) + a_0 * delta.ln_1p() - a * delta
    }
}

/// Half the width of the central 95 % interval of a standard normal distribution.
const NORMAL_HALF_WIDTH: f64 = 1.959_963_984_540_054;

/// Width of a panel of Simpson's rule; its error is below 1e-10.
const PANEL: f64 = 1.0 / 128.0;

/// `ln Γ(x + ½) - ln Γ(x) - ½ ln(x + ½)`; its terms cancel for large x.
fn log_gamma_step(x: f64) -> f64 {
    if x < 50.0 {
        return libm::lgamma(x + 0.5) - libm::lgamma(x) - 0.5 * (x + 0.5).ln();
    }
    // ln Γ(x + ½) - ln Γ(x) = ½ ln x - 1/(8x) + 1/(192x³) - 1/(640x⁵) + O(x⁻⁷). Source: Tricomi & Erdélyi (1951).
    let square = 1.0 / (x * x);
    -0.5 * (0.5 / x).ln_1p() + (square * (1.0 / 192.0 - square / 640.0) - 0.125) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fall_with_the_residual() {
        let noise = StudentT::default();
        assert_eq!((noise.weight(1.0), noise.weight(26.0)), (1.0, 1.0 / 6.0));
        assert_eq!(noise.largest_weight(), 1.25);
    }

    /// Quantiles of closed forms: `tan(0.475 π)` at 1 degree of freedom, `0.95 √(2/(1 - 0.95²))` at 2; of tables at 4 and 30; the normal one
    /// in the limit. Where there is next to no limit the interval ends at 1.6 million σ.
    #[test]
    fn intervals_are_those_of_the_tables() {
        let width = |nu: f64| StudentT::new(nu).half_width();
        for (nu, expected, tolerance) in [
            (1.0, (0.475 * PI).tan(), 1e-8),
            (2.0, 0.95 * (2.0 / (1.0 - 0.95_f64.powi(2))).sqrt(), 1e-9),
            (4.0, 2.776_445_105, 1e-8),
            (30.0, 2.042_272_456, 1e-8),
            (1e12, NORMAL_HALF_WIDTH, 1e-9),
        ] {
            assert!((width(nu) - expected).abs() < tolerance, "ν = {nu}: {}, expected {expected}", width(nu));
        }
        assert!((StudentT::new(1e12).normal_variance() - 1.0).abs() < 1e-9);
        let few: Vec<f64> = [0.5, 0.2, 0.1, 0.01, 1e-300].map(width).to_vec();
        assert!(few.is_sorted() && few.iter().all(|t| t.is_finite() && *t < 2e6), "{few:?}");
    }

    /// Whole numbers, on both sides of where a series takes over: `Γ(n + ½)/Γ(n) = ½ √π Π_{k<n} (1 + 1/(2k))`.
    #[test]
    fn differences_of_logarithms_of_gamma_functions_are_exact() {
        for n in [1_u32, 2, 10, 49, 50, 51, 300, 10_000] {
            let product: f64 = (1..n).map(|k| (0.5 / f64::from(k)).ln_1p()).sum();
            let expected =
                (0.5 * std::f64::consts::PI.sqrt()).ln() + product - 0.5 * (f64::from(n) + 0.5).ln();
            let found = log_gamma_step(f64::from(n));
            let tolerance = if n == 1 { 1e-15 } else { 1e-13 };
            assert!((found - expected).abs() < tolerance, "at {n}: {found:e}, expected {expected:e}");
        }
    }

    /// Many degrees of freedom: the first terms of the series are all that is left, and no digits are lost by the difference of large
    /// logarithms.
    #[test]
    fn many_degrees_of_freedom_keep_all_digits() {
        for x in [1e4_f64, 1.5e4, 1e5, 1e7, 1e12] {
            let expected = -0.5 * (0.5 / x).ln_1p() - 0.125 / x + 1.0 / (192.0 * x.powi(3));
            let found = log_gamma_step(x);
            assert!((found - expected).abs() < 1e-18, "at {x}: {found:e}, expected {expected:e}");
        }
    }

    #[test]
    fn numbers_without_sense_are_named() {
        for nu in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = StudentT::new(nu).validate().unwrap_err().to_string();
            assert!(error.starts_with(&format!("degrees of freedom is {nu}")), "{error}");
        }
        assert!(StudentT { max_sweeps: 0, ..StudentT::default() }.validate().is_err());
        assert!(StudentT { tolerance: 0.0, ..StudentT::default() }.validate().is_err());
    }
}

//! Mutual information of an observation and the side of the threshold.

use thrifty_prob::{inverse_mills, pdf};

use super::bernoulli::bernoulli_entropy;
use super::expected_reduction::{ExpectedReduction, PointState};
use super::series::{GainSeries, explained};

/// Distance of the quadrature nodes. The integrands are analytic up to 2.8 from the real line, so the error is below 1e-15.
const STEP: f64 = 0.5;

/// Largest node. Beyond it both the normal density and the entropy are below 1e-17.
const REACH: f64 = 9.0;

/// Mutual information, in nats, of an observation and the indicator of f > h.
///
/// ```text
/// I = H(Φ(u)) - E[H(Φ(U))],   U ~ N(u/√(1 - ρ), ρ/(1 - ρ)),   H(p) = -p ln p - (1 - p) ln(1 - p)
/// dI/dρ = E[λ(U) λ(-U)] / 2(1 - ρ),   λ = φ/Φ
/// ```
///
/// u is the standardised mean and ρ the explained share of the variance. Over a field the value is the sum of the information about each
/// point. Dependent points are counted twice, because the joint information about all points has no closed form.
///
/// The trapezoidal rule runs over the outcome where the information is small, and over U where it is large. Over a field the series of
/// [`IntegratedBernoulli`](crate::IntegratedBernoulli) is used.
///
/// It is the well-defined version of an entropy search for the location of the boundary: a boundary is a set and has no density. Source:
/// the contour entropy of Marques, Lam & Willcox (2018), with the indicator in place of their three-way one.
#[derive(Debug, Clone, Default)]
pub struct BoundaryInformation {
    series: GainSeries,
}

/// `E[of(U)]`.
fn expectation(u: f64, rho: f64, of: impl Fn(f64) -> f64) -> f64 {
    let nodes = (2.0 * REACH / STEP) as i32;
    let node = |k: i32| -REACH + STEP * f64::from(k);
    let rest = (1.0 - rho).sqrt();
    if rho < 0.5 {
        let at = |z: f64| pdf(z) * of((u + rho.sqrt() * z) / rest);
        return (0..=nodes).map(|k| at(node(k))).sum::<f64>() * STEP;
    }
    let (mean, std_dev) = (u / rest, rho.sqrt() / rest);
    let at = |t: f64| {
        let density = pdf((t - mean) / std_dev);
        if density > 0.0 { density * of(t) } else { 0.0 }
    };
    (0..=nodes).map(|k| at(node(k))).sum::<f64>() * STEP / std_dev
}

impl ExpectedReduction for BoundaryInformation {
    fn gain(&self, seen: PointState, explained: f64) -> f64 {
        let (u, rho) = (seen.standardized, explained.min(1.0));
        if rho <= 0.0 {
            return 0.0;
        }
        if rho >= 1.0 {
            return bernoulli_entropy(u);
        }
        if rho < 1e-3 {
            // Where the difference cancels, integrate the slope by Simpson's rule.
            let at = |rho: f64| self.slope(seen, rho);
            return rho / 6.0 * (at(0.0) + 4.0 * at(0.5 * rho) + at(rho));
        }
        (bernoulli_entropy(u) - expectation(u, rho, bernoulli_entropy)).max(0.0)
    }

    fn slope(&self, seen: PointState, explained: f64) -> f64 {
        if explained >= 1.0 {
            return 0.0;
        }
        let hazards = |t: f64| inverse_mills(t) * inverse_mills(-t);
        let expected = if explained <= 0.0 {
            hazards(seen.standardized)
        } else {
            expectation(seen.standardized, explained, hazards)
        };
        0.5 * expected / (1.0 - explained)
    }

    fn prepare(&mut self, seen: &[PointState]) {
        let exact = Self::default();
        self.series = GainSeries::of(seen, |seen, w| exact.gain(seen, explained(w)) / w);
    }

    fn sum(&self, _: &[PointState], weights: &[f64], explained: &[f64]) -> f64 {
        self.series.sum(weights, explained)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::super::series::width;
    use super::*;

    #[test]
    fn the_sum_is_the_sum_of_gains() {
        let mut gain = BoundaryInformation::default();
        let seen: Vec<PointState> =
            (-10..=10).map(|k| PointState { standardized: 0.5 * f64::from(k), std_dev: 1.0 }).collect();
        gain.prepare(&seen);
        for rho in [1e-12, 1e-3, 0.03, 0.2, 0.5, 0.8, 0.97, 1.0 - 1e-9] {
            for one in 0..seen.len() {
                let mut weights = vec![0.0; seen.len()];
                weights[one] = 1.0;
                let found = gain.sum(&seen, &weights, &vec![rho; seen.len()]);
                let expected = gain.gain(seen[one], rho);
                let largest = bernoulli_entropy(seen[one].standardized);
                assert!(
                    (found - expected).abs() <= 1e-8 * largest * width(rho).max(1e-2),
                    "{:?} {rho}: {found} {expected}",
                    seen[one]
                );
            }
        }
    }

    /// A density of total 1 whichever way: E[1], and E[t] = u/√(1 - ρ).
    #[test]
    fn both_rules_are_expectations() {
        for (u, rho) in [(0.3, 0.49), (0.3, 0.51), (-1.0, 0.6), (2.0, 0.1)] {
            let bump = expectation(u, rho, pdf);
            // E[φ(U)] is the density of U plus a standard normal variable at 0.
            let variance = 1.0 + rho / (1.0 - rho);
            let exact = (-0.5 * u * u / (1.0 - rho) / variance).exp() / (TAU * variance).sqrt();
            assert!((bump - exact).abs() < 1e-14, "{u} {rho}: {bump} {exact}");
        }
    }
}

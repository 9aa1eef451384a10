//! Expected volume above the threshold with confidence.

use thrifty_prob::{cdf, pdf};

use super::expected_reduction::{ExpectedReduction, PointState};

/// Expected increase of the volume that is above the threshold with confidence Φ(κ).
///
/// ```text
/// gain = P(μ' - κσ' > h) - 1[μ - κσ > h] = Φ((u - κ√(1 - ρ))/√ρ) - 1[u > κ],   μ' after the observation
/// ```
///
/// It is one-sided: it searches for points above the threshold. The gain is negative where a point that already counts may be lost. Source:
/// Zanette, Zhang & Kochenderfer (2018), κ = 1.96.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuperlevelVolume {
    /// κ ≥ 0.
    pub kappa: f64,
}

impl SuperlevelVolume {
    fn argument(self, u: f64, rho: f64) -> f64 {
        (u - self.kappa * (1.0 - rho).max(0.0).sqrt()) / rho.sqrt()
    }
}

impl ExpectedReduction for SuperlevelVolume {
    fn gain(&self, seen: PointState, explained: f64) -> f64 {
        if explained <= 0.0 {
            return 0.0;
        }
        let z = self.argument(seen.standardized, explained);
        // Computed from the smaller probability, to avoid a difference of numbers near 1.
        if seen.standardized > self.kappa { -cdf(-z) } else { cdf(z) }
    }

    fn slope(&self, seen: PointState, explained: f64) -> f64 {
        if explained <= 0.0 || explained >= 1.0 {
            return 0.0;
        }
        let z = self.argument(seen.standardized, explained);
        let density = pdf(z);
        if density == 0.0 {
            return 0.0;
        }
        density * (0.5 * self.kappa / (explained * (1.0 - explained)).sqrt() - 0.5 * z / explained)
    }
}

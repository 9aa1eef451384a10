//! Expected misclassified volume after an observation.

use std::f64::consts::PI;

use thrifty_prob::{cdf, owen_t};

use super::expected_reduction::{ExpectedReduction, PointState};

/// Expected decrease of the volume on the wrong side of the threshold.
///
/// ```text
/// E[min(p, 1 - p)] = 2T(u, √((1 - ρ)/ρ)),   T Owen's function
/// d/dρ = -exp(-u²/2ρ) / (2π √(ρ(1 - ρ)))
/// ```
///
/// The classification changes only if the mean crosses the threshold. At small ρ the gain is about exp(-u²/2ρ), which underflows for most
/// points. [`IntegratedBernoulli`](crate::IntegratedBernoulli) has no such plateau.
///
/// Source: Bect et al. (2012); closed form from the two quadrants of (f, mean after) by Owen (1956).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MisclassifiedVolume;

impl ExpectedReduction for MisclassifiedVolume {
    fn gain(&self, seen: PointState, explained: f64) -> f64 {
        if explained <= 0.0 {
            return 0.0;
        }
        let u = seen.standardized.abs();
        let steep = ((1.0 - explained) / explained).sqrt();
        if steep <= 1.0 {
            return cdf(-u) - 2.0 * owen_t(u, steep);
        }
        // 2T(u, ∞) - 2T(u, b) by the reflection of T, to avoid a difference of nearly equal numbers.
        let far = u * steep;
        (2.0 * owen_t(far, 1.0 / steep) - cdf(-far) * (1.0 - 2.0 * cdf(-u))).max(0.0)
    }

    fn slope(&self, seen: PointState, explained: f64) -> f64 {
        if explained <= 0.0 || explained >= 1.0 {
            return 0.0;
        }
        let exponent = -0.5 * seen.standardized.powi(2) / explained;
        exponent.exp() / (2.0 * PI * (explained * (1.0 - explained)).sqrt())
    }
}

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use thrifty_simd::Pass;

use super::edge::EdgeTable;

/// The expected length of an improvement between two edges, as a number in [1, 2) or 0 times a power of 2, and the
/// derivatives of its logarithm.
///
/// ```text
/// G = ψ(u) - ψ(l) = ∫_l^u Φ((a - μ)/σ) da,   ∂G/∂μ = -(Φ(z_u) - Φ(z_l)),   ∂G/∂σ = φ(z_u) - φ(z_l)
/// ```
#[derive(Debug, Clone, Default)]
pub(super) struct GapTable {
    pub(super) size: Vec<f64>,
    pub(super) exponent: Vec<f64>,
    pub(super) by_mean: Vec<f64>,
    pub(super) by_deviation: Vec<f64>,
}

impl GapTable {
    pub(super) fn new(gaps: usize) -> Self {
        let zeros = || vec![0.0; gaps];
        Self { size: zeros(), exponent: zeros(), by_mean: zeros(), by_deviation: zeros() }
    }
}

/// Fills the table for the gaps of one objective, which are pairs of positions in its edges.
pub(super) struct Measure<'a> {
    pub(super) pairs: &'a [[u32; 2]],
    pub(super) edges: &'a [f64],
    pub(super) table: &'a EdgeTable,
    pub(super) mean: f64,
    pub(super) deviation: f64,
    pub(super) slopes: bool,
    /// Where the gaps of the objective begin in the table.
    pub(super) start: usize,
    pub(super) gaps: &'a mut GapTable,
}

/// One edge of a gap; what is below the mean is scaled to the upper edge.
#[derive(Clone, Copy)]
struct Side {
    edge: f64,
    straight: f64,
    bent: f64,
    below: f64,
    density: f64,
}

impl Pass for Measure<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let inverse = 1.0 / self.deviation;
        for (&[low, high], at) in self.pairs.iter().zip(self.start..) {
            let (low, high) = (low as usize, high as usize);
            let power = self.table.exponent[high];
            let lower = self.side(low, power_of_two(self.table.exponent[low] - power));
            let upper = self.side(high, 1.0);
            let width = upper.edge - lower.edge;
            let narrow = width
                * (self.deviation + (upper.edge - self.mean).abs().max((lower.edge - self.mean).abs()))
                < NARROW * self.deviation * self.deviation;
            let (size, area, rise) = if narrow {
                let z = |edge: f64| (edge - self.mean) * inverse;
                narrow_gap(lower, upper, [z(lower.edge), z(upper.edge)], width, inverse)
            } else {
                (
                    (upper.straight - lower.straight) + (upper.bent - lower.bent),
                    upper.below - lower.below,
                    upper.density - lower.density,
                )
            };
            let (mantissa, more) = split(size);
            self.gaps.size[at] = mantissa;
            self.gaps.exponent[at] = power + more;
            if self.slopes {
                let one_over = if mantissa > 0.0 { 1.0 / size } else { 0.0 };
                self.gaps.by_mean[at] = -area * one_over;
                self.gaps.by_deviation[at] = rise * one_over;
            }
        }
    }
}

impl Measure<'_> {
    #[inline(always)]
    fn side(&self, at: usize, scale: f64) -> Side {
        Side {
            edge: self.edges[at],
            straight: self.table.straight[at],
            bent: scale * self.table.bent[at],
            below: scale * self.table.below[at],
            density: scale * self.table.density[at],
        }
    }
}

/// A gap is narrow if it is below this many deviations, and less far from the mean.
const NARROW: f64 = 2e-3;

/// The three differences by quadrature from both ends, where they would cancel.
///
/// ```text
/// ∫ f ≈ w (f_0 + f_1)/2 + w² (f_0' - f_1')/12,   for Φ with one term more: w² (…)/10 + w³ (f_0'' + f_1'')/120
/// ```
#[inline(always)]
fn narrow_gap(lower: Side, upper: Side, z: [f64; 2], width: f64, inverse: f64) -> (f64, f64, f64) {
    let w = width * inverse;
    let (p, q) = (lower.density, upper.density);
    let [a, b] = z;
    let size = 0.5 * (lower.below + upper.below) + w * (p - q) / 10.0 - w * w * (a * p + b * q) / 120.0;
    let area = 0.5 * (p + q) + w * (b * q - a * p) / 12.0;
    let rise = -0.5 * (a * p + b * q) + w * ((a * a - 1.0) * p - (b * b - 1.0) * q) / 12.0;
    (width * size, w * area, w * rise)
}

/// 2 to the power of an integer that is at most 0; 0 below -1022.
#[inline(always)]
pub(super) fn power_of_two(exponent: f64) -> f64 {
    /// Adding it leaves an integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let biased = exponent.max(-1023.0) + 1023.0;
    f64::from_bits((biased + ROUND).to_bits() << 52)
}

/// A positive number as one in [1, 2) times a power of 2; anything else, and subnormal numbers, as 0.
#[inline(always)]
fn split(value: f64) -> (f64, f64) {
    const FRACTION: u64 = (1 << 52) - 1;
    const ONE: u64 = 1023 << 52;
    /// 2⁵² as bits: or-ing a small integer into it makes 2⁵² plus that integer.
    const INTEGER: u64 = 0x4330_0000_0000_0000;
    if value >= f64::MIN_POSITIVE {
        let bits = value.to_bits();
        let exponent = f64::from_bits(INTEGER | (bits >> 52)) - 4_503_599_627_370_496.0 - 1023.0;
        (f64::from_bits((bits & FRACTION) | ONE), exponent)
    } else {
        (0.0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_apart() {
        assert_eq!(split(12.0), (1.5, 3.0));
        assert_eq!(split(0.375), (1.5, -2.0));
        assert_eq!(split(0.0), (0.0, 0.0));
        assert_eq!(split(-1.0), (0.0, 0.0));
        assert_eq!((power_of_two(0.0), power_of_two(-3.0)), (1.0, 0.125));
        assert_eq!((power_of_two(-1022.0), power_of_two(-1e300)), (f64::MIN_POSITIVE, 0.0));
    }
}

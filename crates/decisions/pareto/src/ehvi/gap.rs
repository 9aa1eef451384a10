//! Expected lengths of an improvement between two edges.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use thrifty_simd::VectorLoop;

use super::edge::EdgeTable;

/// Expected length of an improvement between two edges, and the derivatives of its logarithm. The length is a number in [1, 2) or 0, times
/// a power of 2.
///
/// ```text
/// G = ψ(u) - ψ(l) = ∫_l^u Φ((a - μ)/σ) da,   ∂G/∂μ = -(Φ(z_u) - Φ(z_l)),   ∂G/∂σ = φ(z_u) - φ(z_l)
/// ```
///
/// A narrow gap loses digits in the difference, but the sum over the boxes does not. If a box is non-dominated, so is everything below it.
/// The sum is therefore at least as large as if l were -∞, and the error is relative to that.
#[derive(Debug, Clone, Default)]
pub(super) struct GapTable {
    pub(super) size: Vec<f64>,
    pub(super) exponent: Vec<f64>,
    pub(super) by_mean: Vec<f64>,
    pub(super) by_std_dev: Vec<f64>,
}

impl GapTable {
    pub(super) fn new(gaps: usize) -> Self {
        let zeros = || vec![0.0; gaps];
        Self { size: zeros(), exponent: zeros(), by_mean: zeros(), by_std_dev: zeros() }
    }
}

/// Fills the table for the gaps of one objective, which are pairs of indices of its edges.
pub(super) struct Measure<'a> {
    pub(super) pairs: &'a [[u32; 2]],
    pub(super) table: &'a EdgeTable,
    pub(super) slopes: bool,
    /// Index of the objective's first gap in the table.
    pub(super) start: usize,
    pub(super) gaps: &'a mut GapTable,
}

impl VectorLoop for Measure<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let EdgeTable { straight, bent, below, density, exponent } = self.table;
        for (&[low, high], at) in self.pairs.iter().zip(self.start..) {
            let (low, high) = (low as usize, high as usize);
            // Values below the mean are scaled to the upper edge.
            let power = exponent[high];
            let scale = power_of_two(exponent[low] - power);
            let size = (straight[high] - straight[low]) + (bent[high] - scale * bent[low]);
            let (mantissa, more) = split(size);
            self.gaps.size[at] = mantissa;
            self.gaps.exponent[at] = power + more;
            if self.slopes {
                let inverse = if mantissa > 0.0 { 1.0 / size } else { 0.0 };
                self.gaps.by_mean[at] = (scale * below[low] - below[high]) * inverse;
                self.gaps.by_std_dev[at] = (density[high] - scale * density[low]) * inverse;
            }
        }
    }
}

/// 2 to the power of an integer that is at most 0; 0 below -1022.
#[inline(always)]
pub(super) fn power_of_two(exponent: f64) -> f64 {
    /// Constant that, when added, leaves an integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let biased = exponent.max(-1023.0) + 1023.0;
    f64::from_bits((biased + ROUND).to_bits() << 52)
}

/// Splits a positive number into a number in [1, 2) and a power of 2; all other numbers, and subnormal ones, become 0.
#[inline(always)]
fn split(value: f64) -> (f64, f64) {
    const FRACTION: u64 = (1 << 52) - 1;
    const ONE: u64 = 1023 << 52;
    /// Bits of 2⁵²: a bitwise or with a small integer gives 2⁵² plus that integer.
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

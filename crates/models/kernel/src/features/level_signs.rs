//! Features of the categorical kernels.

use std::ops::Range;

use thrifty_sampling::Stream;
use thrifty_simd::{VectorLoop, dispatch};

use super::Features;

/// `Π_p (√ρ_p s_fp + √(1 - ρ_p) t_fp(level))`: every parameter has one sign of its own and one per level.
#[derive(Debug, Clone)]
pub(crate) struct LevelSigns {
    pub(crate) blocks: Vec<Range<usize>>,
    pub(crate) correlations: Vec<f64>,
    keys: Vec<u64>,
}

impl LevelSigns {
    pub(crate) fn of(
        blocks: &[Range<usize>],
        correlations: Vec<f64>,
        count: usize,
        rng: &mut Stream,
    ) -> Self {
        Self { blocks: blocks.to_vec(), correlations, keys: (0..count).map(|_| rng.bits()).collect() }
    }
}

impl Features for LevelSigns {
    fn count(&self) -> usize {
        self.keys.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        out.fill(1.0);
        for (p, (block, rho)) in self.blocks.iter().zip(&self.correlations).enumerate() {
            // 0 and -0 are one level.
            let level = x[block.clone()].iter().fold(p as u64 + 1, |h, v| scramble(h ^ (v + 0.0).to_bits()));
            let (shared, own) = ((scramble(p as u64), rho.sqrt()), (level, (1.0 - rho).sqrt()));
            dispatch(Factors { keys: &self.keys, shared, own, out });
        }
    }

    fn pull_back(&self, _x: &[f64], _weights: &[f64], _grad: &mut [f64]) {}

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}

/// Multiplies by the factors of one parameter at a level. The shared sign and that of the level have a salt for their hash, and a weight.
struct Factors<'a> {
    keys: &'a [u64],
    shared: (u64, f64),
    own: (u64, f64),
    out: &'a mut [f64],
}

impl VectorLoop for Factors<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        for (slot, key) in self.out.iter_mut().zip(self.keys) {
            let signed = |(salt, weight): (u64, f64)| with_hashed_sign(key ^ salt, weight);
            *slot *= signed(self.shared) + signed(self.own);
        }
    }
}

/// A weight with the sign that is the first bit of the hash of a key.
#[inline(always)]
fn with_hashed_sign(key: u64, weight: f64) -> f64 {
    f64::from_bits(weight.to_bits() ^ (scramble(key) & (1 << 63)))
}

/// The finaliser of `SplitMix64`: every input bit reaches every output bit.
#[inline(always)]
fn scramble(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first two numbers of `SplitMix64` from seed 0, as published with the generator.
    #[test]
    fn scramble_is_the_output_function_of_splitmix64() {
        assert_eq!(scramble(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(scramble(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }
}

//! Running one loop at the widest vectors the machine has.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! The loops themselves are plain Rust over slices, marked `#[inline(always)]` so that they are compiled once
//! for each instruction set. Without the FMA feature `mul_add` is a call into libm, 20 times slower than the
//! multiplication and addition that replace it there; hence the `FMA` parameter.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

/// A loop to be compiled for several instruction sets.
pub trait VectorLoop {
    /// Result of the loop.
    type Output;

    /// Runs the loop. `FMA` is true if fused multiply-add is an instruction. Implement with `#[inline(always)]`.
    fn run<const FMA: bool>(self) -> Self::Output;
}

/// The vector instructions that [`dispatch`] chooses on a machine.
///
/// Results agree to the last bit between sets with fused multiply-add, and differ in rounding from those without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// 512-bit vectors with fused multiply-add.
    Avx512,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 64-bit ARM, which always has fused multiply-add.
    Neon,
    /// The compiler's baseline for every machine, without fused multiply-add.
    Baseline,
}

impl InstructionSet {
    /// A short name, such as `avx2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Neon => "neon",
            Self::Baseline => "baseline",
        }
    }

    /// True if multiplication and addition round once.
    #[must_use]
    pub fn is_fused(self) -> bool {
        self != Self::Baseline
    }
}

/// The instruction set of this machine.
#[cfg(target_arch = "x86_64")]
#[must_use]
pub fn instruction_set() -> InstructionSet {
    let fma = is_x86_feature_detected!("fma");
    let wide = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (fma, wide, is_x86_feature_detected!("avx2")) {
        (true, true, _) => InstructionSet::Avx512,
        (true, false, true) => InstructionSet::Avx2,
        _ => InstructionSet::Baseline,
    }
}

/// The instruction set of this machine.
#[cfg(not(target_arch = "x86_64"))]
#[must_use]
pub fn instruction_set() -> InstructionSet {
    if cfg!(target_arch = "aarch64") { InstructionSet::Neon } else { InstructionSet::Baseline }
}

/// Runs a pass with the best instruction set there is. The choice depends on the machine alone.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub fn dispatch<P: VectorLoop>(pass: P) -> P::Output {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
    fn avx512<P: VectorLoop>(pass: P) -> P::Output {
        pass.run::<true>()
    }
    #[target_feature(enable = "avx2,fma")]
    fn avx2<P: VectorLoop>(pass: P) -> P::Output {
        pass.run::<true>()
    }
    match instruction_set() {
        // SAFETY: the processor has just been found to have every feature that the function enables: there is none with
        // AVX-512 and without AVX2.
        InstructionSet::Avx512 => unsafe { avx512(pass) },
        // SAFETY: likewise.
        InstructionSet::Avx2 => unsafe { avx2(pass) },
        _ => pass.run::<false>(),
    }
}

/// Runs a pass; on other processors the compiler's own target decides (NEON is always there on 64-bit ARM).
#[cfg(not(target_arch = "x86_64"))]
pub fn dispatch<P: VectorLoop>(pass: P) -> P::Output {
    if instruction_set().is_fused() { pass.run::<true>() } else { pass.run::<false>() }
}

/// `a · b + c`.
#[inline(always)]
#[must_use]
pub fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Polynomial by Horner's rule, the highest power first. Iterators are not inlined in builds with assertions, and without that there are no
/// vectors: hence the plain loop.
#[inline(always)]
fn horner<const FMA: bool, const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let (mut sum, mut next) = (coefficients[0], 1);
    while next < N {
        sum = fma::<FMA>(sum, x, coefficients[next]);
        next += 1;
    }
    sum
}

/// `exp(x)` for x ≤ 0, to 1 ulp with FMA and 2 without; 0 below -708, where the result would be subnormal.
///
/// ```text
/// x = n ln 2 + r,  |r| ≤ ½ ln 2;   exp(x) = 2ⁿ Σ_{k≤13} rᵏ/k!
/// ```
///
/// Adding 1.5 · 2⁵² rounds to an integer and leaves it in the low bits, ready to be added to the exponent.
#[inline(always)]
#[must_use]
pub fn exp_negative<const FMA: bool>(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // ln 2 in two parts, the first with 11 trailing zero bits, so that n times it is exact.
    const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
    const LN2_LOW: f64 = 5.497_923_018_708_371e-14;
    let shifted = fma::<FMA>(x, std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fma::<FMA>(-n, LN2_LOW, fma::<FMA>(-n, LN2_HIGH, x));
    let sum = horner::<FMA, 14>(
        &[
            1.0 / 6_227_020_800.0,
            1.0 / 479_001_600.0,
            1.0 / 39_916_800.0,
            1.0 / 3_628_800.0,
            1.0 / 362_880.0,
            1.0 / 40_320.0,
            1.0 / 5_040.0,
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
            1.0,
        ],
        r,
    );
    let scaled = f64::from_bits(sum.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x < -708.0 { 0.0 } else { scaled }
}

mod logarithm;
mod trig;

pub use logarithm::ln_1p_nonnegative;
pub use trig::{cosines, sines};

#[cfg(test)]
mod tests {
    use super::*;

    struct Exponentials<'a>(&'a [f64], &'a mut [f64]);

    impl VectorLoop for Exponentials<'_> {
        type Output = ();
        #[inline(always)]
        fn run<const FMA: bool>(self) {
            for (x, out) in self.0.iter().zip(self.1) {
                *out = exp_negative::<FMA>(*x);
            }
        }
    }

    #[test]
    fn exp_is_within_two_units_in_the_last_place() {
        let x: Vec<f64> = (0..200_000).map(|i| -708.0 * (f64::from(i) / 200_000.0).powi(3)).collect();
        let mut fast = vec![0.0; x.len()];
        for vectorized in [true, false] {
            let pass = Exponentials(&x, &mut fast);
            if vectorized {
                dispatch(pass);
            } else {
                pass.run::<false>();
            }
            for (x, fast) in x.iter().zip(&fast) {
                let exact = x.exp();
                let ulp = exact.next_up() - exact;
                assert!((fast - exact).abs() <= 2.0 * ulp, "exp({x}) is {exact}, found {fast}");
            }
        }
    }

    #[test]
    fn exp_at_the_ends() {
        assert_eq!(exp_negative::<false>(0.0), 1.0);
        assert_eq!(exp_negative::<false>(-709.0), 0.0);
        assert_eq!(exp_negative::<false>(-1e300), 0.0);
        assert_eq!(exp_negative::<false>(f64::NEG_INFINITY), 0.0);
        assert!(exp_negative::<false>(f64::NAN).is_nan());
    }

    /// Arguments beside the ends of the reduced range, half of ln 2 from its multiples, where the last terms of the series count most.
    #[test]
    fn exp_with_fused_products_is_within_one_unit_in_the_last_place() {
        for n in 0..1000 {
            for offset in [-1e-3, -1e-6, 1e-6, 1e-3] {
                let x = -(f64::from(n) + 0.5) * std::f64::consts::LN_2 + offset;
                let (exact, found) = (x.exp(), exp_negative::<true>(x));
                let ulp = exact.next_up() - exact;
                assert!((found - exact).abs() <= ulp, "exp({x}) is {exact:e}, found {found:e}");
            }
        }
    }
}

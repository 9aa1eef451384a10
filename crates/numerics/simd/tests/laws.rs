//! Laws of the vectorised functions through their public interface: identities, order, edges, and one result for all lengths.

#![allow(clippy::inline_always)] // a pass is compiled for several instruction sets by inlining

use thrifty_simd::{
    InstructionSet, VectorLoop, cosines, dispatch, exp_negative, fma, instruction_set, ln_1p_nonnegative,
    sines,
};

/// A function of one number along a slice, at the best instruction set or the baseline.
struct Along<'a> {
    x: &'a [f64],
    out: &'a mut [f64],
    exponential: bool,
}

impl VectorLoop for Along<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> bool {
        for (x, out) in self.x.iter().zip(self.out) {
            *out = if self.exponential { exp_negative::<FMA>(*x) } else { ln_1p_nonnegative::<FMA>(*x) };
        }
        FMA
    }
}

fn along(x: &[f64], exponential: bool) -> Vec<f64> {
    let mut out = vec![f64::NAN; x.len()];
    let fused = dispatch(Along { x, out: &mut out, exponential });
    assert_eq!(fused, instruction_set().is_fused());
    out
}

fn grid(from: f64, to: f64, count: u32) -> Vec<f64> {
    (0..=count).map(|i| from + (to - from) * f64::from(i) / f64::from(count)).collect()
}

/// `exp(x + y) = exp(x) exp(y)` and `exp(-n ln 2) = 2⁻ⁿ`, to a few units in the last place; never rises.
#[test]
fn exponentials_multiply_and_fall() {
    let x = grid(-300.0, 0.0, 4001);
    let of = along(&x, true);
    assert!(of.windows(2).all(|pair| pair[0] <= pair[1]));
    let double = along(&x.iter().map(|x| 2.0 * x).collect::<Vec<f64>>(), true);
    for (of, double) in of.iter().zip(&double) {
        // The relative error of a square is twice that of its root.
        assert!((double / (of * of) - 1.0).abs() < 2e-15, "{of} {double}");
    }
    let powers: Vec<f64> = (0..1000).map(|n| -f64::from(n) * std::f64::consts::LN_2).collect();
    for (n, power) in along(&powers, true).iter().enumerate() {
        let expected = (-(n as f64)).exp2();
        // The rounding of n ln 2 counts n ulps of the exponent.
        assert!((power / expected - 1.0).abs() < 1e-15 + 1.2e-16 * n as f64, "2^-{n}");
    }
    assert_eq!(along(&[0.0, -708.0_f64.next_up(), -708.1, -1e9], true)[2..], [0.0, 0.0]);
    assert_eq!(along(&[0.0], true), [1.0]);
}

/// `exp(-ln(1 + x)) (1 + x) = 1`, `ln(1 + x) ≤ x`, and close to 0 the series.
#[test]
fn logarithms_invert_exponentials() {
    let x: Vec<f64> = grid(-18.0, 2.5, 4001).iter().map(|e| 10_f64.powf(*e)).collect();
    let logarithms = along(&x, false);
    assert!(logarithms.windows(2).all(|pair| pair[0] < pair[1]));
    let back = along(&logarithms.iter().map(|l| -l).collect::<Vec<f64>>(), true);
    for ((x, l), back) in x.iter().zip(&logarithms).zip(&back) {
        // To three units in the last place.
        assert!(*l <= x * (1.0 + 7e-16) && (back * (1.0 + x) - 1.0).abs() < 5e-15, "{x}: {l} {back}");
        if *x < 1e-5 {
            assert!((l / (x - 0.5 * x * x) - 1.0).abs() < 1e-10, "{x}: {l}");
        }
    }
    assert_eq!(along(&[0.0], false), [0.0]);
}

/// `cos² + sin² = 1` and `cos 2a = 2 cos² a - 1`; the same for every length of the slice and place in it.
#[test]
fn waves_lie_on_the_circle_wherever_they_stand() {
    let angles = grid(-50.0, 50.0, 1501);
    let wave = |of: fn(&mut [f64]), angles: &[f64]| {
        let mut angles = angles.to_vec();
        of(&mut angles);
        angles
    };
    let (cos, sin) = (wave(cosines, &angles), wave(sines, &angles));
    let doubled: Vec<f64> = angles.iter().map(|a| 2.0 * a).collect();
    let (cos2, sin2) = (wave(cosines, &doubled), wave(sines, &doubled));
    for i in 0..angles.len() {
        let (c, s) = (cos[i], sin[i]);
        assert!((c * c + s * s - 1.0).abs() < 1e-14, "{}", angles[i]);
        assert!((cos2[i] - (2.0 * c * c - 1.0)).abs() < 1e-13, "{}", angles[i]);
        assert!((sin2[i] - 2.0 * c * s).abs() < 1e-13, "{}", angles[i]);
        assert!((c - angles[i].cos()).abs() < 1e-14 && (s - angles[i].sin()).abs() < 1e-14);
    }
    for length in 0..20 {
        assert_eq!(wave(cosines, &angles[3..3 + length])[..], cos[3..3 + length], "{length}");
        assert_eq!(wave(sines, &angles[3..3 + length])[..], sin[3..3 + length], "{length}");
    }
}

/// Fused, the product is not rounded; not fused, it is.
#[test]
fn products_are_rounded_once_or_twice() {
    let a = 1.0 + f64::EPSILON;
    // a² is 1 + 2ε + ε², and ε² is lost when the product is rounded.
    assert_eq!(fma::<true>(a, a, -(1.0 + 2.0 * f64::EPSILON)), f64::EPSILON * f64::EPSILON);
    assert_eq!(fma::<false>(a, a, -(1.0 + 2.0 * f64::EPSILON)), 0.0);
    assert_eq!((fma::<true>(2.0, 3.0, 4.0), fma::<false>(2.0, 3.0, 4.0)), (10.0, 10.0));
}

#[test]
fn instruction_sets_have_their_names() {
    let all = [InstructionSet::Avx512, InstructionSet::Avx2, InstructionSet::Neon, InstructionSet::Baseline];
    assert_eq!(all.map(InstructionSet::name), ["avx512", "avx2", "neon", "baseline"]);
    assert_eq!(all.map(InstructionSet::is_fused), [true, true, true, false]);
    // The baseline is what a machine without fused multiply-add runs.
    #[cfg(target_arch = "x86_64")]
    assert!(!instruction_set().is_fused() || std::arch::is_x86_feature_detected!("fma"));
}

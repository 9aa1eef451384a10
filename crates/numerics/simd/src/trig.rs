//! Cosines and sines of many numbers.

use crate::{VectorLoop, dispatch, fma, horner};

/// Up to here the angle less a multiple of π/2 is known to the last digit.
const LIMIT: f64 = 1e5;

/// π/2 in three parts, the first two with so few bits that up to 2²⁰ times them is exact; what is missing is below 1e-32.
const QUARTER: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5440_0000),
    f64::from_bits(0x3dd0_b461_1a60_0000),
    2.022_266_248_795_950_6e-21,
];

/// Replaces every angle by its cosine, to 2e-16; slower for slices with an angle beyond 1e5. NaN where the angle is not
/// finite.
///
/// ```text
/// x = n π/2 + r,  |r| ≤ π/4;   ± the series of sin r or cos r to r¹⁷, by n mod 4
/// ```
pub fn cosines(angles: &mut [f64]) {
    if angles.iter().all(|x| x.abs() <= LIMIT) {
        dispatch(Waves::<1>(angles));
    } else {
        angles.iter_mut().for_each(|x| *x = x.cos());
    }
}

/// Replaces every angle by its sine, as [`cosines`].
pub fn sines(angles: &mut [f64]) {
    if angles.iter().all(|x| x.abs() <= LIMIT) {
        dispatch(Waves::<0>(angles));
    } else {
        angles.iter_mut().for_each(|x| *x = x.sin());
    }
}

/// Sines of the angles plus `QUARTERS` quarters of a turn.
struct Waves<'a, const QUARTERS: u64>(&'a mut [f64]);

impl<const QUARTERS: u64> VectorLoop for Waves<'_, QUARTERS> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        self.0.iter_mut().for_each(|x| *x = wave::<FMA>(*x, QUARTERS));
    }
}

#[inline(always)]
fn wave<const FMA: bool>(x: f64, quarters: u64) -> f64 {
    // Adding this rounds to an integer and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = fma::<FMA>(x, std::f64::consts::FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let r = QUARTER.iter().fold(x, |r, part| fma::<FMA>(-n, *part, r));
    let square = r * r;
    let series = |coefficients: [f64; 8]| horner::<FMA, 8>(&coefficients, square);
    let odd = series([
        1.0 / 355_687_428_096_000.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5_040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
    ]);
    let even = series([
        1.0 / 20_922_789_888_000.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
        -0.5,
    ]);
    let quadrant = shifted.to_bits().wrapping_add(quarters);
    let value =
        if quadrant & 1 == 0 { fma::<FMA>(r * square, odd, r) } else { fma::<FMA>(square, even, 1.0) };
    f64::from_bits(value.to_bits() ^ ((quadrant & 2) << 62))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_those_of_the_standard_library() {
        let mut angles: Vec<f64> = (-100_000..100_000).map(|i| 1e5 * (f64::from(i) / 1e5).powi(5)).collect();
        // Near a zero the relative error counts no more than the absolute one, but must not be gross.
        angles.extend((-60..60).map(|i| f64::from(i) * std::f64::consts::FRAC_PI_2));
        angles.extend([0.0, -0.0, f64::MIN_POSITIVE, 1e-300, LIMIT, -LIMIT]);
        for vectorized in [true, false] {
            let (mut cos, mut sin) = (angles.clone(), angles.clone());
            if vectorized {
                cosines(&mut cos);
                sines(&mut sin);
            } else {
                Waves::<1>(&mut cos).run::<false>();
                Waves::<0>(&mut sin).run::<false>();
            }
            for ((x, cos), sin) in angles.iter().zip(&cos).zip(&sin) {
                assert!((cos - x.cos()).abs() <= 2.3e-16, "cos({x}) is {}, found {cos}", x.cos());
                assert!((sin - x.sin()).abs() <= 2.3e-16, "sin({x}) is {}, found {sin}", x.sin());
            }
        }
    }

    #[test]
    fn angles_beyond_the_limit() {
        let angles = [1e300, -1e17, 3.0, f64::MAX, 2.0 * LIMIT];
        let (mut cos, mut sin) = (angles, angles);
        cosines(&mut cos);
        sines(&mut sin);
        assert_eq!(cos, angles.map(f64::cos));
        assert_eq!(sin, angles.map(f64::sin));
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let (mut cos, mut sin) = ([x, 1.0], [x, 1.0]);
            cosines(&mut cos);
            sines(&mut sin);
            assert!(cos[0].is_nan() && sin[0].is_nan());
            assert_eq!((cos[1], sin[1]), (1_f64.cos(), 1_f64.sin()));
        }
        cosines(&mut []);
    }
}

//! The logarithm of one plus a number.

use crate::{fma, horner};

/// `ln(1 + x)` for x ≥ 0 and finite, to 3 units in the last place; NaN where x is NaN.
///
/// ```text
/// 1 + x = 2ⁿ m + c,  √½ ≤ m < √2;   ln(1 + x) = n ln 2 + 2 Σ_{k≤10} t^(2k+1)/(2k+1) + c/(1 + x),  t = (m - 1)/(m + 1)
/// ```
///
/// `c` is what rounding takes from the sum `1 + x`: without it small x would lose their digits.
#[inline(always)]
#[must_use]
pub fn ln_1p_nonnegative<const FMA: bool>(x: f64) -> f64 {
    // ln 2 in two parts, the first with 11 trailing zero bits, so that n times it is exact.
    const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
    const LN2_LOW: f64 = 5.497_923_018_708_371e-14;
    // Adding this to the bits carries into the exponent where the mantissa is at least √2.
    const CARRY: u64 = 0x0010_0000_0000_0000 - 0x0006_a09e_667f_3bcd;
    const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
    // The bits of 2⁵², below which a whole number is written as it is.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let y = 1.0 + x;
    let lost = if x < 1.0 { x - (y - 1.0) } else { 1.0 - (y - x) };
    let carried = y.to_bits().wrapping_add(CARRY);
    let n = f64::from_bits((carried >> 52) | WHOLE.to_bits()) - (WHOLE + 1023.0);
    let m = f64::from_bits((carried & MANTISSA).wrapping_add(1_f64.to_bits()).wrapping_sub(CARRY));
    let t = (m - 1.0) / (m + 1.0);
    let square = t * t;
    let sum = horner::<FMA, 10>(
        &[
            1.0 / 21.0,
            1.0 / 19.0,
            1.0 / 17.0,
            1.0 / 15.0,
            1.0 / 13.0,
            1.0 / 11.0,
            1.0 / 9.0,
            1.0 / 7.0,
            1.0 / 5.0,
            1.0 / 3.0,
        ],
        square,
    );
    let twice = t + t;
    let series = fma::<FMA>(twice * square, sum, twice);
    let low = fma::<FMA>(n, LN2_LOW, lost / y);
    fma::<FMA>(n, LN2_HIGH, series + low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VectorLoop, dispatch};

    struct Logarithms<'a>(&'a [f64], &'a mut [f64]);

    impl VectorLoop for Logarithms<'_> {
        type Output = ();
        #[inline(always)]
        fn run<const FMA: bool>(self) {
            for (x, out) in self.0.iter().zip(self.1) {
                *out = ln_1p_nonnegative::<FMA>(*x);
            }
        }
    }

    #[test]
    fn logarithms_are_within_three_units_in_the_last_place() {
        // From the smallest numbers to the largest, closely around the changes of the exponent, and where 1 + x rounds.
        let mut x: Vec<f64> = (0..400_000).map(|i| 10_f64.powf(f64::from(i) / 650.0 - 307.5)).collect();
        x.extend((0..100_000).map(|i| f64::from(i) / 10_000.0));
        x.extend((1..60).flat_map(|n| [2_f64.powi(n), 2_f64.powi(-n)].map(|p| p * (1.0 + f64::EPSILON))));
        x.extend((1..60).map(|n| std::f64::consts::SQRT_2 * 2_f64.powi(n) - 1.0));
        let mut fast = vec![0.0; x.len()];
        for vectorized in [true, false] {
            let pass = Logarithms(&x, &mut fast);
            if vectorized {
                dispatch(pass);
            } else {
                pass.run::<false>();
            }
            for (x, fast) in x.iter().zip(&fast) {
                let exact = x.ln_1p();
                let ulp = exact.next_up() - exact;
                assert!((fast - exact).abs() <= 3.0 * ulp, "ln(1 + {x}) is {exact}, found {fast}");
            }
        }
    }

    #[test]
    fn logarithms_at_the_ends() {
        assert_eq!(ln_1p_nonnegative::<false>(0.0), 0.0);
        assert_eq!(ln_1p_nonnegative::<false>(1.0), 2_f64.ln());
        assert!((ln_1p_nonnegative::<false>(f64::MAX) - f64::MAX.ln()).abs() < 1e-12);
        assert!(ln_1p_nonnegative::<false>(f64::NAN).is_nan());
    }
}

//! Owen's T function.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use std::f64::consts::TAU;

use thrifty_simd::{VectorLoop, dispatch, exp_negative};

use crate::{cdf, pdf};

/// Beyond x = 8.4/h the integrand has less than 5e-17 of the integral left.
const REACH: f64 = 8.4;

/// Up to this h · a the short rule is exact to 2e-16; the long one is up to [`REACH`].
const SHORT_UP_TO: f64 = 6.0;

/// Owen's T function: the probability that `X > h` and `0 < Y < a X` for independent standard normal X and Y.
///
/// ```text
/// T(h, a) = 1/2π ∫_0^a exp(-½h²(1 + x²)) / (1 + x²) dx
/// T(h, a) = ½Q(h) + ½Q(ah) - Q(h) Q(ah) - T(ah, 1/a)   for h ≥ 0, a > 1;   Q(z) = Φ(-z)
/// ```
///
/// Even in h, odd in a. Gauss–Legendre on [-b, b], b = min(a, 8.4/h), of which symmetry leaves 16 or 24 nodes: to about
/// 1e-15 of the value, in the tails as well. NaN for NaN alone. Source: Owen (1956); the choice of
/// quadrature as Patefield & Tandy (2000), method T5.
///
/// ```
/// assert!((thrifty_prob::owen_t(0.0, 1.0) - 0.125).abs() < 1e-16);
/// ```
#[must_use]
pub fn owen_t(h: f64, a: f64) -> f64 {
    if h.is_nan() || a.is_nan() {
        return f64::NAN;
    }
    let (h, size) = (h.abs(), a.abs());
    let value = if h.is_infinite() || size == 0.0 {
        0.0
    } else if size <= 1.0 {
        within_one(h, size)
    } else {
        // With h = 0 the product is 0 even for an infinite a.
        let other = if h == 0.0 { 0.0 } else { h * size };
        let (q, r) = (cdf(-h), cdf(-other));
        let rest = if other.is_infinite() { 0.0 } else { within_one(other, 1.0 / size) };
        0.5 * q + r * (0.5 - q) - rest
    };
    value.copysign(a)
}

/// The derivative of [`owen_t`] in a: the integrand at its end.
///
/// ```text
/// ∂T/∂a = exp(-½h²(1 + a²)) / (2π (1 + a²))
/// ```
#[must_use]
pub fn owen_t_by_a(h: f64, a: f64) -> f64 {
    if h.is_nan() || a.is_nan() {
        return f64::NAN;
    }
    if a.is_infinite() || h.is_infinite() {
        return 0.0;
    }
    // h √(1 + a²), without overflow on the way.
    pdf(h * a.hypot(1.0)) / TAU.sqrt() / a.hypot(1.0).powi(2)
}

/// The derivative of [`owen_t`] in h.
///
/// ```text
/// ∂T/∂h = -φ(h) (Φ(ah) - ½)
/// ```
#[must_use]
pub fn owen_t_by_h(h: f64, a: f64) -> f64 {
    if h.is_nan() || a.is_nan() {
        return f64::NAN;
    }
    let reach = if h == 0.0 || a == 0.0 { 0.0 } else { h * a };
    // Φ(x) - ½ = ½ - Φ(-x); an error function of its own would be relative in small x, where this is absolute.
    -pdf(h) * if reach < 0.0 { cdf(reach) - 0.5 } else { 0.5 - cdf(-reach) }
}

/// For h ≥ 0 and 0 < a ≤ 1.
fn within_one(h: f64, a: f64) -> f64 {
    let end = if h * a > REACH { REACH / h } else { a };
    let steep = h * end;
    let outside = pdf(h) / TAU.sqrt() * end;
    if steep <= SHORT_UP_TO {
        outside * dispatch(Sum { rule: &SHORT, end, steep })
    } else {
        // Here T is ½Q(h) less at most 1e-9 of it, and rounding must not carry it beyond.
        (outside * dispatch(Sum { rule: &LONG, end, steep })).min(0.5 * cdf(-h))
    }
}

/// The positive half of a Gauss–Legendre rule on [-1, 1] of twice as many nodes.
struct Rule<const N: usize> {
    nodes: [f64; N],
    weights: [f64; N],
}

/// `Σ w exp(-½ (steep x)²) / (1 + (end x)²)`.
struct Sum<'a, const N: usize> {
    rule: &'a Rule<N>,
    end: f64,
    steep: f64,
}

impl<const N: usize> VectorLoop for Sum<'_, N> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let mut terms = [0.0; N];
        for ((term, node), weight) in terms.iter_mut().zip(&self.rule.nodes).zip(&self.rule.weights) {
            let (x, z) = (self.end * node, self.steep * node);
            *term = weight * exp_negative::<FMA>(-0.5 * z * z) / (1.0 + x * x);
        }
        // In eight sums, which fit a vector.
        let mut sums = [0.0; 8];
        for chunk in terms.as_chunks::<8>().0 {
            for lane in 0..8 {
                sums[lane] += chunk[lane];
            }
        }
        sums.iter().sum()
    }
}

const SHORT: Rule<16> = Rule {
    nodes: [
        0.048_307_665_687_738_32,
        0.144_471_961_582_796_5,
        0.239_287_362_252_137_06,
        0.331_868_602_282_127_67,
        0.421_351_276_130_635_33,
        0.506_899_908_932_229_4,
        0.587_715_757_240_762_3,
        0.663_044_266_930_215_2,
        0.732_182_118_740_289_7,
        0.794_483_795_967_942_4,
        0.849_367_613_732_57,
        0.896_321_155_766_052_1,
        0.934_906_075_937_739_7,
        0.964_762_255_587_506_4,
        0.985_611_511_545_268_4,
        0.997_263_861_849_481_6,
    ],
    weights: [
        0.096_540_088_514_727_8,
        0.095_638_720_079_274_86,
        0.093_844_399_080_804_57,
        0.091_173_878_695_763_89,
        0.087_652_093_004_403_81,
        0.083_311_924_226_946_75,
        0.078_193_895_787_070_31,
        0.072_345_794_108_848_5,
        0.065_822_222_776_361_85,
        0.058_684_093_478_535_544,
        0.050_998_059_262_376_175,
        0.042_835_898_022_226_68,
        0.034_273_862_913_021_43,
        0.025_392_065_309_262_06,
        0.016_274_394_730_905_67,
        0.007_018_610_009_470_096,
    ],
};

const LONG: Rule<24> = Rule {
    nodes: [
        0.032_380_170_962_869_36,
        0.097_004_699_209_462_7,
        0.161_222_356_068_891_7,
        0.224_763_790_394_689_05,
        0.287_362_487_355_455_55,
        0.348_755_886_292_160_75,
        0.408_686_481_990_716_7,
        0.466_902_904_750_958_4,
        0.523_160_974_722_233,
        0.577_224_726_083_972_7,
        0.628_867_396_776_513_6,
        0.677_872_379_632_663_9,
        0.724_034_130_923_814_6,
        0.767_159_032_515_740_4,
        0.807_066_204_029_442_6,
        0.843_588_261_624_393_5,
        0.876_572_020_274_247_9,
        0.905_879_136_715_569_6,
        0.931_386_690_706_554_3,
        0.952_987_703_160_430_9,
        0.970_591_592_546_247_3,
        0.984_124_583_722_826_9,
        0.993_530_172_266_350_8,
        0.998_771_007_252_426_1,
    ],
    weights: [
        0.064_737_696_812_683_92,
        0.064_466_164_435_950_09,
        0.063_924_238_584_648_19,
        0.063_114_192_286_254_02,
        0.062_039_423_159_892_665,
        0.060_704_439_165_893_88,
        0.059_114_839_698_395_635,
        0.057_277_292_100_403_214,
        0.055_199_503_699_984_165,
        0.052_890_189_485_193_67,
        0.050_359_035_553_854_47,
        0.047_616_658_492_490_48,
        0.044_674_560_856_694_28,
        0.041_545_082_943_464_75,
        0.038_241_351_065_830_71,
        0.034_777_222_564_770_44,
        0.031_167_227_832_798_09,
        0.027_426_509_708_356_948,
        0.023_570_760_839_324_38,
        0.019_616_160_457_355_53,
        0.015_579_315_722_943_849,
        0.011_477_234_579_234_54,
        0.007_327_553_901_276_262_5,
        0.003_153_346_052_305_838_5,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        let inf = f64::INFINITY;
        assert_eq!(owen_t(0.0, inf), 0.25);
        assert_eq!(owen_t(inf, inf), 0.0);
        assert_eq!(owen_t(inf, 1.0), 0.0);
        assert_eq!(owen_t(2.0, 0.0), 0.0);
        assert_eq!(owen_t(1e300, 1e300), 0.0);
        assert!((owen_t(-1.5, -inf) + 0.5 * cdf(-1.5)).abs() < 1e-17);
        assert!(owen_t(f64::NAN, 1.0).is_nan() && owen_t(1.0, f64::NAN).is_nan());
        for h in [0.0, 1e-320, 1e-12, 1.0, 40.0, 1e12, f64::MAX, inf] {
            for a in [0.0, 1e-320, 1e-12, 0.5, 1.0, 1e12, f64::MAX, inf] {
                for (h, a) in [(h, a), (-h, a), (h, -a)] {
                    assert!(owen_t(h, a).abs() <= 0.25, "{h} {a}");
                    assert!(owen_t_by_a(h, a) >= 0.0 && owen_t_by_h(h, a).abs() <= 0.2, "{h} {a}");
                }
            }
        }
    }
}

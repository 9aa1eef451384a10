//! Continued fractions in the lower tail of the normal distribution.

/// Argument up to which a series in z is used.
const NEAR: f64 = 3.0;
/// Argument from which the continued fraction takes few terms.
const FAR: f64 = 16.0;

/// Inverse Mills ratio minus its argument, for z ≥ 0: the basis of every tail formula without cancellation.
///
/// ```text
/// c(z) = φ(z) / (1 - Φ(z)) - z = 1/(z + 2/(z + 3/(z + …)))
/// ```
///
/// Laplace's continued fraction from 16 on; before, where it takes up to a hundred divisions, a Chebyshev series in z, and from 3 on
/// one in 1/z. The number of terms is that beyond which one more changes nothing in double precision.
pub(crate) fn tail(z: f64) -> f64 {
    if z < NEAR {
        return series(&IN_Z, 2.0 / NEAR * z - 1.0);
    }
    if z < FAR {
        // 1/z runs from 1/16 to 1/3.
        return series(&IN_INVERSE, (96.0 / z - 19.0) / 13.0) / z;
    }
    let terms = 12 + (460.0 / (z * z)) as u32;
    let mut fraction = 0.0;
    for k in (1..=terms).rev() {
        fraction = f64::from(k) / (z + fraction);
    }
    fraction
}

/// `Σ_k coefficients[k] T_k(x)` by Clenshaw's recurrence.
fn series(coefficients: &[f64], x: f64) -> f64 {
    let (mut now, mut before) = (0.0, 0.0);
    for coefficient in coefficients[1..].iter().rev() {
        (now, before) = (2.0 * x * now - before + coefficient, now);
    }
    x * now - before + coefficients[0]
}

/// Chebyshev coefficients of c on `[0, 3]`, from 40-digit values at 60 nodes; those left out are below 2e-18.
const IN_Z: [f64; 23] = [
    0.488_565_970_206_729_6,
    -0.248_993_713_583_540_06,
    0.050_915_819_453_794_81,
    -0.008_339_245_473_925_066,
    0.001_019_099_140_415_839_2,
    -6.374_984_413_287_89e-05,
    -8.600_161_855_391_93e-06,
    3.688_334_485_962_086_7e-06,
    -6.826_488_601_357_862e-07,
    7.000_527_875_166_91e-08,
    1.327_036_152_896_794_2e-09,
    -2.302_280_049_633_290_6e-09,
    5.467_383_560_381_345e-10,
    -7.349_470_224_810_128e-11,
    3.084_149_016_738_623e-12,
    1.323_200_468_116_911e-12,
    -4.269_090_578_142_621e-13,
    7.103_633_982_341_318e-14,
    -5.857_073_288_034_151e-15,
    -5.522_917_614_037_417e-16,
    3.106_620_326_017_642e-16,
    -6.359_254_920_711_983e-17,
    7.304_281_953_229_797e-18,
];

/// Chebyshev coefficients of z c(z) in 1/z on `[1/16, 1/3]`, from 50-digit values at 60 nodes; those left out are below 2e-18.
const IN_INVERSE: [f64; 22] = [
    0.927_362_833_003_651_2,
    -0.073_009_036_101_138_82,
    -0.006_453_898_043_632_117_5,
    0.001_501_589_011_072_218_9,
    -9.682_512_585_135_479e-5,
    -1.211_606_789_763_903_6e-5,
    3.811_403_948_916_419_7e-6,
    -3.850_473_148_210_881_4e-7,
    -1.951_889_182_792_499e-8,
    1.330_184_905_864_725e-8,
    -2.134_102_432_491_807_3e-9,
    7.525_046_405_945_872e-11,
    4.523_038_035_113_281_4e-11,
    -1.228_651_620_676_190_2e-11,
    1.412_162_055_654_927_4e-12,
    5.958_545_084_138_592e-14,
    -6.065_482_277_477_416e-14,
    1.296_743_275_451_942_6e-14,
    -1.181_020_958_079_184_3e-15,
    -1.531_816_092_064_688e-16,
    8.281_785_105_123_096e-17,
    -1.653_089_312_672_579e-17,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Both series against the fraction with terms enough for small z; from 1 on, below which even these do not do.
    #[test]
    fn series_and_fraction_agree() {
        for at in 100..2_000 {
            let z = f64::from(at) / 100.0 + 1e-3;
            let fraction = (1..=3_000).rev().fold(0.0, |below, k| f64::from(k) / (z + below));
            assert!((tail(z) / fraction - 1.0).abs() <= 5e-16, "{z}: {} {fraction}", tail(z));
        }
        // Falling where one formula follows another, and 1/z in the end.
        for at in [NEAR, FAR] {
            assert!(tail(at.next_down()) >= tail(at) && tail(at) >= tail(at.next_up()), "{at}");
        }
        assert_eq!((tail(1e9) * 1e9, tail(1e300) * 1e300, tail(f64::INFINITY)), (1.0, 1.0, 0.0));
    }
}

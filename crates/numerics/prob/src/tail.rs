//! Continued fractions in the lower tail of the normal distribution.

/// From here on the continued fraction takes few terms.
const FRACTION_FROM: f64 = 3.0;

/// Inverse Mills ratio minus its argument, for z ≥ 0: the basis of every tail formula without cancellation.
///
/// ```text
/// c(z) = φ(z) / (1 - Φ(z)) - z = 1/(z + 2/(z + 3/(z + …)))
/// ```
///
/// Laplace's continued fraction from 3 on, a Chebyshev series before, where the fraction converges slowly.
/// The number of terms is that beyond which one more changes nothing in double precision.
pub(crate) fn tail(z: f64) -> f64 {
    if z < FRACTION_FROM {
        return series(2.0 / FRACTION_FROM * z - 1.0);
    }
    let terms = 12 + (460.0 / (z * z)) as u32;
    let mut fraction = 0.0;
    for k in (1..=terms).rev() {
        fraction = f64::from(k) / (z + fraction);
    }
    fraction
}

/// `Σ_k CHEBYSHEV[k] T_k(x)` by Clenshaw's recurrence.
fn series(x: f64) -> f64 {
    let (mut now, mut before) = (0.0, 0.0);
    for coefficient in CHEBYSHEV[1..].iter().rev() {
        (now, before) = (2.0 * x * now - before + coefficient, now);
    }
    x * now - before + CHEBYSHEV[0]
}

/// Chebyshev coefficients of c on `[0, 3]`, from 40-digit values at 60 nodes; those left out are below 2e-18.
const CHEBYSHEV: [f64; 23] = [
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

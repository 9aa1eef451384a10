//! Edges of boxes in standardized units.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use std::f64::consts::{LN_2, LOG2_E, TAU};

use thrifty_simd::{VectorLoop, exp_negative, fma};

/// Largest number of standard deviations; beyond it the square would overflow.
const FARTHEST: f64 = 1e150;
/// Upper end of the polynomial fit; the series is used beyond.
const FITTED: f64 = 40.0;

/// Integrals of a normal distribution up to the box edges of one objective, with z = (a - μ)/σ:
///
/// ```text
/// ψ(a) = E[max(a - Y, 0)] = max(a - μ, 0) + σ h(-|z|),   ∂ψ/∂μ = -Φ(z),   ∂ψ/∂σ = φ(z)
/// ```
///
/// Below the mean, `h`, Φ and φ are numbers times 2 to the power of `exponent`, so none underflows.
#[derive(Debug, Clone, Default)]
pub(super) struct EdgeTable {
    pub(super) straight: Vec<f64>,
    pub(super) bent: Vec<f64>,
    pub(super) below: Vec<f64>,
    pub(super) density: Vec<f64>,
    pub(super) exponent: Vec<f64>,
}

impl EdgeTable {
    pub(super) fn new(edges: usize) -> Self {
        let zeros = || vec![0.0; edges];
        Self { straight: zeros(), bent: zeros(), below: zeros(), density: zeros(), exponent: zeros() }
    }
}

/// Fills a table for the edges of one objective; the table and the edges have the same length.
pub(super) struct Fill<'a> {
    pub(super) edges: &'a [f64],
    pub(super) mean: f64,
    pub(super) std_dev: f64,
    pub(super) table: &'a mut EdgeTable,
}

impl VectorLoop for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let EdgeTable { straight, bent, below, density, exponent } = self.table;
        let outputs = straight.iter_mut().zip(bent).zip(below).zip(density).zip(exponent);
        for (edge, ((((straight, bent), below), density), exponent)) in self.edges.iter().zip(outputs) {
            let gap = edge - self.mean;
            // At σ = 0 an edge at the mean is a kink: take the limit from above.
            let z = if gap == 0.0 { 0.0 } else { gap / self.std_dev };
            let t = z.abs().min(FARTHEST);
            let (mills, bracket) = tail::<FMA>(t);
            let (pdf, power) = scaled_density::<FMA>(t, z < 0.0);
            let lower = pdf * mills;
            *straight = gap.max(0.0);
            *bent = self.std_dev * pdf * bracket;
            *below = if z < 0.0 { lower } else { 1.0 - lower };
            *density = pdf;
            *exponent = power;
        }
    }
}

/// `φ(t)` as a number and an exponent of 2; the exponent is 0 if no scaling is needed.
#[inline(always)]
fn scaled_density<const FMA: bool>(t: f64, scale: bool) -> (f64, f64) {
    const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
    const LN2_LOW: f64 = 5.497_923_018_708_371e-14;
    let square = t * t;
    // The rounding error of t² would be magnified by t²/2: carry it along.
    let rest = if FMA { t.mul_add(t, -square) } else { 0.0 };
    let power = if scale { (-0.5 * LOG2_E * square).ceil() } else { 0.0 };
    let reduced = fma::<FMA>(-power, LN2_LOW, fma::<FMA>(-power, LN2_HIGH, -0.5 * square));
    let reduced = if scale { reduced.clamp(-2.0 * LN_2, 0.0) } else { reduced };
    let correction = if square < 1e6 { 1.0 - 0.5 * rest } else { 1.0 };
    (exp_negative::<FMA>(reduced) * correction / TAU.sqrt(), power)
}

/// The Mills ratio `R(t) = (1 - Φ(t))/φ(t)` and `1 - t R(t)` for t ≥ 0, both to a few 1e-16.
///
/// ```text
/// R = (t + 4)/(t (t + 4) + G),   1 - t R = G/(t (t + 4) + G),   G = (1/R - t)(t + 4)
/// ```
///
/// G is a polynomial in 1.1 (t - 4)/(t + 4) + 0.1 up to 40, and `1/R - t` its asymptotic series beyond.
#[inline(always)]
fn tail<const FMA: bool>(t: f64) -> (f64, f64) {
    let x = fma::<FMA>(1.1, (t.min(FITTED) - 4.0) / (t.min(FITTED) + 4.0), 0.1);
    let mut near = 0.0;
    for coefficient in POLYNOMIAL {
        near = fma::<FMA>(near, x, coefficient);
    }
    let q = 1.0 / (t.max(FITTED) * t.max(FITTED));
    let mut far = 0.0;
    for coefficient in SERIES {
        far = fma::<FMA>(far, q, coefficient);
    }
    let far = far * (1.0 + 4.0 / t.max(FITTED));
    let g = if t < FITTED { near } else { far };
    let inverse = 1.0 / fma::<FMA>(t, t + 4.0, g);
    ((t + 4.0) * inverse, g * inverse)
}

/// Coefficients of the polynomial, highest power first. Chebyshev coefficients from 60-digit values at 44 nodes; the omitted terms are below 2e-17.
const POLYNOMIAL: [f64; 28] = [
    -1.323_939_886_880_773_7e-10,
    -4.348_616_801_905_061e-09,
    4.598_467_619_637_270_4e-09,
    4.535_684_909_012_816e-08,
    -5.677_369_470_935_511e-08,
    -2.465_027_502_212_070_6e-07,
    4.426_744_887_406_992e-07,
    9.549_546_274_725_425e-07,
    -2.661_881_635_106_846e-06,
    -2.910_143_570_748_057_3e-06,
    1.355_932_194_999_816_5e-05,
    6.309_371_090_786_656_5e-06,
    -6.127_646_468_169_579e-05,
    8.660_436_125_393_346e-08,
    0.000_250_538_415_136_955_16,
    -0.000_110_274_915_734_475_48,
    -0.000_926_443_440_963_230_8,
    0.000_877_936_734_272_762_8,
    0.003_014_664_019_554_872_7,
    -0.005_047_093_929_539_824,
    -0.007_795_858_373_987_897,
    0.024_472_242_553_383_81,
    0.008_123_984_273_019_786,
    -0.101_837_783_262_891_56,
    0.090_190_338_257_065_07,
    0.311_132_607_544_958_9,
    -1.139_261_717_538_255_1,
    1.915_591_890_149_092,
];

/// Coefficients of `t (1/R - t)` in 1/t², highest power first; expanded from Laplace's continued fraction.
const SERIES: [f64; 8] = [-1_708_394.0, 110_410.0, -8162.0, 706.0, -74.0, 10.0, -2.0, 1.0];

#[cfg(test)]
mod tests {
    use thrifty_prob::{cdf, h, log_cdf, log_h, log_pdf, mills_ratio, pdf};
    use thrifty_simd::dispatch;

    use super::*;

    /// Checks that a number is right within units of rounding, of which a square of z costs some.
    fn near(found: f64, truth: f64, z: f64, what: &str) {
        let error = (found - truth).abs();
        assert!(
            error <= 1e-15 * (1.0 + 0.5 * z * z).min(1e3) * truth.abs(),
            "{what} at {z}: {found} against {truth}"
        );
    }

    #[test]
    fn the_table_holds_the_normal_functions_with_and_without_fma() {
        let edges: Vec<f64> = (-5000..5000).map(|i| f64::from(i) * 0.0073).collect();
        for fused in [true, false] {
            let mut table = EdgeTable::new(edges.len());
            let fill = Fill { edges: &edges, mean: 0.0, std_dev: 1.0, table: &mut table };
            if fused {
                dispatch(fill);
            } else {
                fill.run::<false>();
            }
            for (at, &z) in edges.iter().enumerate() {
                if z >= 0.0 {
                    near(table.straight[at] + table.bent[at], h(z), 0.0, "h");
                    near(table.below[at], cdf(z), 0.0, "Φ");
                    assert_eq!(table.exponent[at], 0.0);
                    if z < 37.0 {
                        near(table.density[at], pdf(z), z, "φ");
                    }
                } else {
                    let power = table.exponent[at] * LN_2;
                    for (found, log, what) in [
                        (table.bent[at], log_h(z), "h"),
                        (table.below[at], log_cdf(z), "Φ"),
                        (table.density[at], log_pdf(z), "φ"),
                    ] {
                        let error = (found.ln() + power - log).abs();
                        assert!(error <= 1e-15 * (1.0 + z * z), "{what} at {z}: off by {error:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn tails_meet_where_the_series_begins() {
        for t in [0.0, 0.5, 39.9, 39.999_999, 40.0, 40.1, 1e3, 1e8, 1e150] {
            let (mills, bracket) = tail::<true>(t);
            near(mills, mills_ratio(t), 0.0, "R");
            assert!(bracket > 0.0);
        }
        let slope = (tail::<true>(40.0).1 / tail::<true>(40.0_f64.next_down()).1 - 1.0).abs();
        assert!(slope < 2e-15, "a step of {slope:e}");
    }
}

//! Standard normal quantiles.

use std::f64::consts::FRAC_1_SQRT_2;

use libm::erf;

use crate::normal::{cdf, log_cdf, mills_ratio, pdf};

/// The standard normal quantile `Φ⁻¹(p)`, to a few ulp for p down to the smallest number.
///
/// A rational approximation (Acklam) is refined by Newton's method: on ln Φ in the tail, on Φ before it and on
/// Φ - ½ about ½, where p - ½ is exact and so the small quantiles are as well. 0 and 1 give the infinities, anything outside `[0, 1]` NaN.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        // 1 - p is exact here.
        return -quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    let mut z = approximation(p);
    for _ in 0..3 {
        z -= if p < 0.02 {
            (log_cdf(z) - p.ln()) * mills_ratio(-z)
        } else if p < 0.25 {
            (cdf(z) - p) / pdf(z)
        } else {
            (0.5 * erf(z * FRAC_1_SQRT_2) - (p - 0.5)) / pdf(z)
        };
    }
    z
}

/// Acklam's approximation for p ≤ ½, relative error 1.2e-9.
fn approximation(p: f64) -> f64 {
    let polynomial = |x: f64, coefficients: &[f64]| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    if p < 0.02425 {
        let q = (-2.0 * p.ln()).sqrt();
        let above = [
            -7.784_894_002_430_293e-3,
            -0.322_396_458_041_136_5,
            -2.400_758_277_161_838,
            -2.549_732_539_343_734,
            4.374_664_141_464_968,
            2.938_163_982_698_783,
        ];
        let below = [
            7.784_695_709_041_462e-3,
            0.322_467_129_070_039_8,
            2.445_134_137_142_996,
            3.754_408_661_907_416,
            1.0,
        ];
        polynomial(q, &above) / polynomial(q, &below)
    } else {
        let q = p - 0.5;
        let r = q * q;
        let above = [
            -39.696_830_286_653_76,
            220.946_098_424_520_5,
            -275.928_510_446_968_7,
            138.357_751_867_269,
            -30.664_798_066_147_16,
            2.506_628_277_459_239,
        ];
        let below = [
            -54.476_098_798_224_06,
            161.585_836_858_040_9,
            -155.698_979_859_886_6,
            66.801_311_887_719_72,
            -13.280_681_552_885_72,
            1.0,
        ];
        polynomial(r, &above) * q / polynomial(r, &below)
    }
}

//! Yeo–Johnson transform of targets.

use thrifty_optim::golden_section;

use crate::TargetScaling;

/// Yeo–Johnson power transform: the monotone map that brings targets closest to a normal distribution.
///
/// ```text
/// ψ(z) = ((1 + z)^λ - 1) / λ              z ≥ 0   (ln(1 + z) at λ = 0)
/// ψ(z) = -((1 - z)^(2 - λ) - 1) / (2 - λ)   z < 0   (-ln(1 - z) at λ = 2)
/// ```
///
/// z are the standardised targets. λ < 1 compresses a long upper tail, λ > 1 a lower one; λ = 1 is the identity.
/// Source: Yeo & Johnson (2000), eq. 2.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct YeoJohnson {
    /// λ, between -2 and 4.
    pub lambda: f64,
    /// The scaling before the transform.
    pub scaling: TargetScaling,
}

/// Bounds of λ. Beyond them, powers of standardised targets lose more digits than they gain in shape.
const RANGE: (f64, f64) = (-2.0, 4.0);

impl YeoJohnson {
    /// Fits λ by maximum profile likelihood, the maximum of
    ///
    /// ```text
    /// -½ n ln Var[ψ(z)] + (λ - 1) Σ sign(z) ln(1 + |z|)
    /// ```
    ///
    /// Fewer than three different targets do not determine a shape: λ = 1.
    #[must_use]
    pub fn of(targets: &[f64]) -> Self {
        Self::fitted(targets, RANGE)
    }

    /// [`YeoJohnson::of`] with λ ≤ 1: compresses an upper tail and keeps a lower one. For losses, this keeps the differences among the best.
    #[must_use]
    pub fn of_upper_tail(targets: &[f64]) -> Self {
        Self::fitted(targets, (RANGE.0, 1.0))
    }

    /// [`YeoJohnson::of_upper_tail`] for targets scaled by [`TargetScaling::by_median`]. It compresses the upper half, however far away
    /// some targets are. On standardized targets, a single loss far above the others would leave all others below the mean, where the
    /// transform changes nothing.
    #[must_use]
    pub fn of_upper_half(targets: &[f64]) -> Self {
        Self::fitted_on(TargetScaling::by_median(targets), targets, (RANGE.0, 1.0))
    }

    fn fitted(targets: &[f64], range: (f64, f64)) -> Self {
        Self::fitted_on(TargetScaling::standardize(targets), targets, range)
    }

    fn fitted_on(scaling: TargetScaling, targets: &[f64], range: (f64, f64)) -> Self {
        let z = scaling.apply(targets);
        let different = |i: &usize| z[..*i].iter().all(|v| v != &z[*i]);
        if (0..z.len()).filter(different).take(3).count() < 3 {
            return Self { lambda: 1.0, scaling };
        }
        let lambda = golden_section(|lambda| -profile(lambda, &z), range, 24, 1e-9);
        Self { lambda, scaling }
    }

    /// The log likelihood of the targets at another λ, up to a constant.
    #[must_use]
    pub fn profile_likelihood(&self, lambda: f64, targets: &[f64]) -> f64 {
        profile(lambda, &self.scaling.apply(targets))
    }

    /// Transforms a target.
    #[must_use]
    pub fn apply(&self, target: f64) -> f64 {
        map(self.lambda, self.scaling.apply(&[target])[0])
    }

    /// Derivative of the transform. To first order, a noise variance v becomes `slope² v`.
    #[must_use]
    pub fn slope(&self, target: f64) -> f64 {
        let z = self.scaling.apply(&[target])[0];
        let power = if z >= 0.0 { self.lambda - 1.0 } else { 1.0 - self.lambda };
        (power * z.abs().ln_1p()).exp() / self.scaling.width
    }

    /// Inverts the transform; infinity if no target maps to the value.
    #[must_use]
    pub fn invert(&self, value: f64) -> f64 {
        let TargetScaling { offset, width } = self.scaling;
        let upper = |lambda: f64, v: f64| {
            if lambda.abs() < 1e-12 { v.exp_m1() } else { ((lambda * v).ln_1p() / lambda).exp_m1() }
        };
        let z = if value >= 0.0 { upper(self.lambda, value) } else { -upper(2.0 - self.lambda, -value) };
        offset + width * if z.is_nan() { f64::INFINITY.copysign(value) } else { z }
    }
}

/// `ψ(z)` by `expm1` and `ln1p`: exact near z = 0, where the powers cancel.
fn map(lambda: f64, z: f64) -> f64 {
    let upper = |lambda: f64, z: f64| {
        if lambda.abs() < 1e-12 { z.ln_1p() } else { (lambda * z.ln_1p()).exp_m1() / lambda }
    };
    if z >= 0.0 { upper(lambda, z) } else { -upper(2.0 - lambda, -z) }
}

fn profile(lambda: f64, z: &[f64]) -> f64 {
    let n = z.len() as f64;
    let mapped: Vec<f64> = z.iter().map(|&z| map(lambda, z)).collect();
    let mean = mapped.iter().sum::<f64>() / n;
    let variance = mapped.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let jacobian: f64 = z.iter().map(|z| z.abs().ln_1p().copysign(*z)).sum();
    -0.5 * n * variance.ln() + (lambda - 1.0) * jacobian
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One target a million times as large: the others keep half of the range of the map.
    #[test]
    fn one_large_target_does_not_hide_the_others() {
        let mut targets: Vec<f64> = (0..20).map(f64::from).collect();
        targets.push(2e7);
        let share = |map: YeoJohnson| (map.apply(19.0) - map.apply(0.0)) / (map.apply(2e7) - map.apply(0.0));
        assert!(share(YeoJohnson::of_upper_tail(&targets)) < 1e-3);
        assert!(share(YeoJohnson::of_upper_half(&targets)) > 0.5);
    }

    #[test]
    fn known_values() {
        let raw = |lambda| YeoJohnson { lambda, scaling: TargetScaling::NONE };
        assert!((raw(0.0).apply(1.0) - 2_f64.ln()).abs() < 1e-15);
        assert!((raw(2.0).apply(-1.0) + 2_f64.ln()).abs() < 1e-15);
        assert!((raw(0.5).apply(3.0) - 2.0).abs() < 1e-15);
        assert!((raw(0.5).apply(-3.0) + 14.0 / 3.0).abs() < 1e-14);
        assert_eq!(raw(1.0).apply(0.37), 0.37);
        assert_eq!(raw(-1.0).invert(1.5), f64::INFINITY);
    }

    /// The likelihood of targets that are normal once they are mapped: that of the mapped ones times the slopes of the map.
    #[test]
    fn the_profile_has_the_slopes_of_the_map() {
        let targets = [-2.5, -0.7, -0.1, 0.0, 0.2, 0.9, 3.0, 7.5];
        let own = YeoJohnson::of(&targets);
        for lambda in [-1.5, -0.3, 0.0, 0.4, 1.0, 1.7, 2.0, 3.2] {
            let at = YeoJohnson { lambda, scaling: own.scaling };
            let mapped: Vec<f64> = targets.iter().map(|y| at.apply(*y)).collect();
            let mean = mapped.iter().sum::<f64>() / 8.0;
            let variance = mapped.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 8.0;
            let step = 1e-5;
            let slope =
                |y: &f64| (at.apply(y + step) - at.apply(y - step)) / (2.0 * step) * own.scaling.width;
            let expected = -4.0 * variance.ln() + targets.iter().map(|y| slope(y).ln()).sum::<f64>();
            let found = own.profile_likelihood(lambda, &targets);
            assert!((found - expected).abs() < 1e-6, "{lambda}: {found} {expected}");
        }
    }

    #[test]
    fn targets_without_a_shape_are_left_alone() {
        for targets in [&[][..], &[3.0], &[3.0; 5], &[1.0, 2.0, 1.0, 2.0]] {
            assert_eq!(YeoJohnson::of(targets).lambda, 1.0);
        }
    }

    /// The likeliest λ lies between -2, the end of the range, and -1.969; by evaluations of the profile in steps of 1/32.
    #[test]
    fn a_lambda_beside_the_end_of_the_range_is_found() {
        let logarithms = [7.339_091, 8.650_201, 0.0, 0.0, 0.0, 0.0, 5.627_209, 5.380_356];
        let targets = logarithms.map(f64::exp);
        let fitted = YeoJohnson::of(&targets);
        assert!(fitted.lambda > -1.99 && fitted.lambda < -1.94, "{}", fitted.lambda);
        assert_eq!(
            YeoJohnson::of_upper_tail(&targets).profile_likelihood(fitted.lambda, &targets),
            fitted.profile_likelihood(fitted.lambda, &targets)
        );
    }

    proptest! {
        #[test]
        fn the_map_rises_and_has_an_inverse(lambda in -2.0..4.0_f64, a in -5.0..5.0_f64, b in -5.0..5.0_f64) {
            let map = YeoJohnson { lambda, scaling: TargetScaling { offset: 1.5, width: 3.0 } };
            prop_assert!((map.invert(map.apply(a)) - a).abs() < 1e-9);
            let h = 1e-5;
            let difference = (map.apply(a + h) - map.apply(a - h)) / (2.0 * h);
            prop_assert!((map.slope(a) - difference).abs() < 1e-6 * (1.0 + difference), "{} {}", map.slope(a), difference);
            if a < b {
                prop_assert!(map.apply(a) < map.apply(b));
            }
        }

        #[test]
        fn no_lambda_is_likelier_than_the_fitted(targets in prop::collection::vec(-3.0..9.0_f64, 3..30), at in -2.0..4.0_f64, log_scale in -12_i32..12) {
            let scaled: Vec<f64> = targets.iter().map(|y| y.exp() * 10_f64.powi(log_scale)).collect();
            let fitted = YeoJohnson::of(&scaled);
            let (best, other) = (fitted.profile_likelihood(fitted.lambda, &scaled), fitted.profile_likelihood(at, &scaled));
            let upper = YeoJohnson::of_upper_tail(&scaled);
            prop_assert!(upper.lambda <= 1.0);
            prop_assert!((upper.lambda - fitted.lambda.min(1.0)).abs() < 1e-6 || upper.profile_likelihood(upper.lambda, &scaled) >= upper.profile_likelihood(1.0, &scaled) - 1e-7);
            prop_assert!(best >= other - 1e-7 * (1.0 + best.abs()), "{best} at {}, {other} at {at}", fitted.lambda);
        }
    }
}

//! Bandwidths of kernels.

use crate::{Axis, TpeError};

/// Bandwidths of the kernels of the observations. The prior keeps its own width.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bandwidth {
    /// The rule.
    pub rule: BandwidthRule,
    /// No kernel is narrower than `max(factor, (n + 2)^-exponent)` of the prior's width, n the observations.
    pub floor: Floor,
}

/// The rule of a width, before it is cut to what is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum BandwidthRule {
    /// The larger of the gaps to the two neighbours.
    ///
    /// A single observation reaches to the farther bound; with the prior as neighbour and not the bounds it has
    /// half of the prior's width.
    #[serde(rename = "neighbours", alias = "neighbors")]
    Neighbors {
        /// True if the prior's mean is a neighbour.
        prior: bool,
        /// True if the bounds are neighbours of the outermost.
        bounds: bool,
    },
    /// Scott's rule, one width for all: `σ̂ n^(-1/(d + 4))`.
    Scott,
    /// One width for all, `0.2 n^(-1/(d + 4))` of the range. Source: Optuna 4, multivariate.
    FifthOfRange,
}

/// The least width as a part of the prior's.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Floor {
    /// Limit of the bandwidth.
    pub factor: f64,
    /// Rate of decrease; `null` in JSON, which has no infinity, is an infinite one.
    #[serde(deserialize_with = "infinite_if_null")]
    pub exponent: f64,
    /// On a grid that is not logarithmic: the least width in steps, so that a kernel reaches the next value. A file without it has none.
    #[serde(default)]
    pub steps: f64,
}

fn infinite_if_null<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number: Option<f64> = serde::Deserialize::deserialize(deserializer)?;
    Ok(number.unwrap_or(f64::INFINITY))
}

impl Floor {
    /// The "magic clip" of Hyperopt and Optuna: the prior's width over `min(100, n + 2)`.
    pub const MAGIC_CLIP: Self = Self { factor: 0.01, exponent: 1.0, steps: 0.0 };
    /// Source: Watanabe (2023).
    pub const WATANABE: Self = Self { factor: 0.03, exponent: 2.0, steps: 0.0 };
    /// A negligible floor: 10⁻¹² of the prior's width.
    pub const NONE: Self = Self { factor: 1e-12, exponent: f64::INFINITY, steps: 0.0 };

    /// The floor for n observations relative to the prior's width.
    #[must_use]
    pub fn relative(&self, n: usize) -> f64 {
        let base = (n + 2) as f64;
        let decay = if self.exponent == 1.0 { 1.0 / base } else { base.powf(-self.exponent) };
        self.factor.max(decay)
    }

    pub(crate) fn validate(&self) -> Result<(), TpeError> {
        if !(self.factor > 0.0 && self.factor <= 1.0) {
            let (name, expected) = ("floor factor", "a fraction in (0, 1]");
            return Err(TpeError::InvalidSetting { name, value: self.factor, expected });
        }
        if self.exponent.is_nan() || self.exponent <= 0.0 {
            let (name, expected) = ("floor exponent", "above 0");
            return Err(TpeError::InvalidSetting { name, value: self.exponent, expected });
        }
        if !(self.steps >= 0.0 && self.steps.is_finite()) {
            let (name, expected) = ("floor steps", "a finite number from 0");
            return Err(TpeError::InvalidSetting { name, value: self.steps, expected });
        }
        Ok(())
    }
}

impl Bandwidth {
    /// Widths of kernels at `sorted` places of an axis; `dim` counts the parameters that are estimated together.
    pub fn widths(&self, sorted: &[f64], axis: &Axis, dim: usize, out: &mut Vec<f64>) {
        out.clear();
        let n = sorted.len();
        let scale = (n as f64).powf(-1.0 / (dim as f64 + 4.0));
        match self.rule {
            BandwidthRule::Neighbors { prior, bounds } => neighbors(sorted, axis, prior, bounds, out),
            BandwidthRule::Scott => out.resize(n, std_dev(sorted).unwrap_or(axis.prior_sd) * scale),
            BandwidthRule::FifthOfRange => out.resize(n, 0.2 * axis.prior_sd * scale),
        }
        let of_grid = axis.grid.filter(|_| !axis.log).map_or(0.0, |grid| self.floor.steps * grid.step);
        let floor = (axis.prior_sd * self.floor.relative(n)).max(of_grid);
        for width in out {
            *width = width.clamp(floor, axis.prior_sd.max(floor));
        }
    }
}

fn neighbors(sorted: &[f64], axis: &Axis, prior: bool, bounds: bool, out: &mut Vec<f64>) {
    let n = sorted.len();
    if n == 1 && !bounds {
        out.push(if prior {
            0.5 * axis.prior_sd
        } else {
            let far = (sorted[0] - axis.bounds.0).max(axis.bounds.1 - sorted[0]);
            if far.is_finite() { far } else { axis.prior_sd }
        });
        return;
    }
    // The prior's mean stands before equal observations.
    let after_prior = if prior { sorted.partition_point(|mu| *mu < axis.prior_mean) } else { usize::MAX };
    let finite = |bound: f64| Some(bound).filter(|bound| bounds && bound.is_finite());
    for (i, mu) in sorted.iter().enumerate() {
        let left = if i == after_prior {
            Some(axis.prior_mean)
        } else if i > 0 {
            Some(sorted[i - 1])
        } else {
            finite(axis.bounds.0)
        };
        let right = if i + 1 == after_prior {
            Some(axis.prior_mean)
        } else if i + 1 < n {
            Some(sorted[i + 1])
        } else {
            finite(axis.bounds.1)
        };
        let gap = left.map_or(0.0, |left| mu - left).max(right.map_or(0.0, |right| right - mu));
        out.push(gap);
    }
}

fn std_dev(values: &[f64]) -> Option<f64> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some((squares / (n - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n^(-1/(d + 4))`: Scott (1992), eq. 6.42.
    #[test]
    fn widths_fall_with_the_number_of_observations_as_scott_says() {
        let axis = Axis::float(0.0, 1.0, false).unwrap();
        let widths = |rule, n: usize, dim| {
            let sorted: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
            let mut out = Vec::new();
            Bandwidth { rule, floor: Floor::NONE }.widths(&sorted, &axis, dim, &mut out);
            assert!(out.len() == n && out.iter().all(|width| *width == out[0]));
            (out[0], std_dev(&sorted).unwrap())
        };
        // 32^(1/5) = 2, 1024^(1/10) = 2, 4096^(1/6) = 4.
        for (n, dim, divisor) in [(32, 1, 2.0), (1024, 6, 2.0), (4096, 2, 4.0)] {
            let (scott, std_dev) = widths(BandwidthRule::Scott, n, dim);
            assert!((scott - std_dev / divisor).abs() < 1e-12, "{n} {dim}: {scott}");
            let (fifth, _) = widths(BandwidthRule::FifthOfRange, n, dim);
            assert!((fifth - 0.2 * axis.prior_sd / divisor).abs() < 1e-12, "{n} {dim}: {fifth}");
        }
    }

    fn widths(rule: BandwidthRule, floor: Floor, axis: &Axis, sorted: &[f64]) -> Vec<f64> {
        let mut out = vec![7.0];
        Bandwidth { rule, floor }.widths(sorted, axis, 1, &mut out);
        out
    }

    fn are_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close, "{found:?}, expected {expected:?}");
    }

    /// The larger gap of 0.2, 0.5 and 0.6 in [0, 1], with the prior's mean at 0.5 and the bounds as neighbours or not.
    #[test]
    fn a_kernel_reaches_its_farther_neighbor() {
        let axis = Axis::float(0.0, 1.0, false).unwrap();
        let of = |prior, bounds, sorted: &[f64]| {
            widths(BandwidthRule::Neighbors { prior, bounds }, Floor::NONE, &axis, sorted)
        };
        let three = [0.2, 0.5, 0.6];
        are_close(&of(false, false, &three), &[0.3, 0.3, 0.1]);
        are_close(&of(false, true, &three), &[0.3, 0.3, 0.4]);
        // The prior stands before its equal.
        are_close(&of(true, false, &three), &[0.3, 0.1, 0.1]);
        are_close(&of(true, true, &three), &[0.3, 0.1, 0.4]);
        are_close(&of(true, false, &[0.1, 0.2]), &[0.1, 0.3]);
        are_close(&of(true, true, &[0.1, 0.2]), &[0.1, 0.3]);
        are_close(&of(true, false, &[0.8, 0.9]), &[0.3, 0.1]);
        are_close(&of(true, true, &[0.8, 0.9]), &[0.3, 0.1]);
        are_close(&of(false, true, &[0.8, 0.9]), &[0.8, 0.1]);
        assert!(of(true, true, &[]).is_empty());
    }

    #[test]
    fn a_single_observation_reaches_to_the_farther_bound_or_half_of_the_prior() {
        let axis = Axis::float(2.0, 4.0, false).unwrap();
        let of = |axis: &Axis, prior, bounds, x: f64| {
            widths(BandwidthRule::Neighbors { prior, bounds }, Floor::NONE, axis, &[x])[0]
        };
        assert!((of(&axis, false, false, 2.5) - 1.5).abs() < 1e-12);
        assert!((of(&axis, false, false, 3.75) - 1.75).abs() < 1e-12);
        assert!((of(&axis, true, false, 3.75) - 1.0).abs() < 1e-12);
        assert!((of(&axis, false, true, 2.5) - 1.5).abs() < 1e-12);
        assert!((of(&axis, true, true, 3.75) - 0.75).abs() < 1e-12);
        // Without bounds: as wide as the prior.
        let normal = Axis::normal(0.0, 3.0, false, None).unwrap();
        assert!((of(&normal, false, false, 1.0) - 3.0).abs() < 1e-12);
        assert!((of(&normal, true, false, 1.0) - 1.5).abs() < 1e-12);
        // An infinite bound is no neighbour.
        let lonely = widths(
            BandwidthRule::Neighbors { prior: false, bounds: true },
            Floor::NONE,
            &normal,
            &[1.0, 1.5],
        );
        are_close(&lonely, &[0.5, 0.5]);
    }

    #[test]
    fn widths_are_cut_to_the_floor_and_the_prior() {
        let rule = BandwidthRule::Neighbors { prior: false, bounds: false };
        let narrow = Axis::float(0.0, 1.0, false).unwrap().with_prior(0.5, 0.1).unwrap();
        are_close(&widths(rule, Floor::NONE, &narrow, &[0.2, 0.9]), &[0.1, 0.1]);
        let axis = Axis::float(0.0, 8.0, false).unwrap();
        let floor = Floor { factor: 0.01, exponent: 1.0, steps: 3.0 };
        // 8 / (2 + 2), and steps do not count without a grid.
        are_close(&widths(rule, floor, &axis, &[1.0, 1.0]), &[2.0, 2.0]);
        let grid = |log| Axis::grid(1.0, 9.0, 1.0, log, crate::GridEnds::Cut).unwrap();
        are_close(&widths(rule, floor, &grid(false), &[4.0, 4.0]), &[3.0, 3.0]);
        let log = grid(true);
        are_close(&widths(rule, floor, &log, &[1.0, 1.0]), &[log.prior_sd / 4.0; 2]);
        // A step wider than the prior.
        let tight = grid(false).with_prior(4.0, 0.5).unwrap();
        are_close(&widths(rule, floor, &tight, &[4.0, 5.0]), &[3.0, 3.0]);
    }

    #[test]
    fn floors_fall_with_the_number_of_observations() {
        let magic = Floor::MAGIC_CLIP;
        assert_eq!((magic.factor, magic.exponent, magic.steps), (0.01, 1.0, 0.0));
        assert_eq!([0, 2, 98, 99, 5000].map(|n| magic.relative(n)), [0.5, 0.25, 0.01, 0.01, 0.01]);
        let watanabe = Floor::WATANABE;
        assert_eq!((watanabe.factor, watanabe.exponent, watanabe.steps), (0.03, 2.0, 0.0));
        assert!((watanabe.relative(2) - 0.0625).abs() < 1e-15);
        assert_eq!(watanabe.relative(10), 0.03);
        assert_eq!(Floor::NONE.relative(0), 1e-12);
        assert_eq!((Floor::NONE.factor, Floor::NONE.steps), (1e-12, 0.0));
    }

    #[test]
    fn std_devs_are_those_of_a_sample() {
        assert_eq!(std_dev(&[]), None);
        assert_eq!(std_dev(&[3.0]), None);
        assert!((std_dev(&[1.0, 3.0]).unwrap() - 2_f64.sqrt()).abs() < 1e-15);
        assert!((std_dev(&[1.0, 2.0, 6.0]).unwrap() - 7_f64.sqrt()).abs() < 1e-15);
        let axis = Axis::float(0.0, 5.0, false).unwrap();
        are_close(&widths(BandwidthRule::Scott, Floor::NONE, &axis, &[2.0]), &[5.0]);
    }
}

//! Targets and noise variances on the scale that the model sees.

use thrifty_check::{all_finite, dimension, length, not_empty, variances};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{GpError, GpSettings, InputScaling, TargetScaling};

use crate::RobustError;

/// Checked observations on the scales of the model.
pub(crate) struct ScaledObservations {
    pub(crate) x: Points,
    pub(crate) y: Vec<f64>,
    /// Known noise variances beside the Student-t noise.
    pub(crate) noise: Vec<f64>,
    pub(crate) inputs: Option<InputScaling>,
    pub(crate) targets: TargetScaling,
}

impl ScaledObservations {
    pub(crate) fn new(
        dim: Option<usize>,
        x: PointsRef<'_>,
        y: &[f64],
        noise: &[f64],
        settings: &GpSettings,
    ) -> Result<Self, RobustError> {
        not_empty("observations", x.len().max(y.len()))?;
        length("targets", y.len(), x.len())?;
        length("noise variances", noise.len(), y.len())?;
        dimension("points", x.dim(), dim.unwrap_or(x.dim()))?;
        x.require_finite().map_err(GpError::from)?;
        all_finite("target", y)?;
        variances("noise variance", noise)?;
        let inputs = settings.normalize_inputs.then(|| InputScaling::of(x));
        let targets = if settings.standardize_targets { median_scaling(y) } else { TargetScaling::NONE };
        Ok(Self {
            x: inputs.as_ref().map_or_else(|| x.to_owned(), |scaling| scaling.apply(x)),
            y: targets.apply(y),
            noise: noise.iter().map(|variance| variance / targets.width / targets.width).collect(),
            inputs,
            targets,
        })
    }
}

/// Standard deviation of a normal distribution whose median absolute deviation is 1.
const NORMAL_CONSISTENCY: f64 = 1.482_602_218_505_602;

/// The map of targets to median 0 and a median absolute deviation of 1/1.4826, which outliers do not move.
///
/// Where half of the targets are equal that deviation is 0, and the map is the one to mean 0 and standard deviation 1.
fn median_scaling(y: &[f64]) -> TargetScaling {
    let standard = TargetScaling::standardize(y);
    // On that scale, so that no difference overflows.
    let z = standard.apply(y);
    let center = median(z.clone());
    let width = NORMAL_CONSISTENCY * median(z.iter().map(|v| (v - center).abs()).collect());
    // As many digits as are left after rounding.
    if width > 1e-9 {
        TargetScaling { offset: standard.offset + standard.width * center, width: standard.width * width }
    } else {
        standard
    }
}

/// Middle value, or the mean of the two in the middle; 0 without any.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => 0.0,
        (n, half) if n % 2 == 1 => values[half],
        (_, half) => 0.5 * (values[half - 1] + values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_move_the_scale() {
        let mut y: Vec<f64> = (0..21).map(|i| f64::from(i) - 10.0).collect();
        let clean = median_scaling(&y);
        assert!((clean.offset, clean.width) == (0.0, NORMAL_CONSISTENCY * 5.0));
        y[20] = 1e6;
        let dirty = median_scaling(&y);
        assert!((dirty.offset).abs() < 1e-6 && (dirty.width - clean.width).abs() < 1e-6, "{dirty:?}");
    }

    #[test]
    fn equal_targets_are_standardized() {
        for y in [vec![], vec![3.0], vec![2.0; 5], vec![0.0, 0.0, 0.0, 1.0]] {
            assert_eq!(median_scaling(&y), TargetScaling::standardize(&y), "{y:?}");
        }
    }
}

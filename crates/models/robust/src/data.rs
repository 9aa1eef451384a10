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

/// Scale by the median where it leaves digits: on it, targets that are 10⁹ deviations off would have squares that overflow in a likelihood.
fn scaling(y: &[f64]) -> TargetScaling {
    let (by_median, standard) = (TargetScaling::by_median(y), TargetScaling::standardize(y));
    if by_median.width > 1e-9 * standard.width { by_median } else { standard }
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
        let targets = if settings.standardize_targets { scaling(y) } else { TargetScaling::NONE };
        Ok(Self {
            x: inputs.as_ref().map_or_else(|| x.to_owned(), |scaling| scaling.apply(x)),
            y: targets.apply(y),
            noise: noise.iter().map(|variance| variance / targets.width / targets.width).collect(),
            inputs,
            targets,
        })
    }
}

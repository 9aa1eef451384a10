//! Targets and noise variances on the scale of the model.

use thrifty_check::{all_finite, dimension, length, not_empty, variances};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{GpError, GpSettings, InputScaling, TargetScaling};

use crate::RobustError;

/// Validated observations on the scales of the model.
pub(crate) struct ScaledObservations {
    pub(crate) x: Points,
    pub(crate) y: Vec<f64>,
    /// The targets in their own unit; those beyond [`FARTHEST`] are clamped.
    pub(crate) counted: Vec<f64>,
    /// Known noise variances, in addition to the Student-t noise.
    pub(crate) noise: Vec<f64>,
    pub(crate) inputs: Option<InputScaling>,
    pub(crate) targets: TargetScaling,
}

/// Targets further away are clamped to this many standard deviations. Their weights are 0 in either case. Noise variances as large as the
/// squared residual leave no digits for the other observations in a factorization, once they are 10¹⁴ times as large.
const FARTHEST: f64 = 1e5;

impl ScaledObservations {
    /// Validates the observations and scales them. Without a scale, one is computed from these data as the settings ask.
    pub(crate) fn new(
        dim: usize,
        x: PointsRef<'_>,
        y: &[f64],
        noise: &[f64],
        settings: &GpSettings,
        scale: Option<(Option<InputScaling>, TargetScaling)>,
    ) -> Result<Self, RobustError> {
        not_empty("observations", x.len().max(y.len()))?;
        length("targets", y.len(), x.len())?;
        length("noise variances", noise.len(), y.len())?;
        dimension("points", x.dim(), dim)?;
        x.require_finite().map_err(GpError::from)?;
        all_finite("target", y)?;
        variances("noise variance", noise)?;
        let (inputs, targets) = scale.unwrap_or_else(|| {
            let inputs = settings.normalize_inputs.then(|| InputScaling::of(x));
            let by_median = settings.standardize_targets;
            (inputs, if by_median { TargetScaling::by_median(y) } else { TargetScaling::NONE })
        });
        let mut counted = y.to_vec();
        if settings.standardize_targets {
            let reach = targets.width * FARTHEST;
            let (low, high) = (targets.offset - reach, targets.offset + reach);
            counted.iter_mut().for_each(|target| *target = target.clamp(low, high));
        }
        Ok(Self {
            x: inputs.as_ref().map_or_else(|| x.to_owned(), |scaling| scaling.apply(x)),
            y: targets.apply(&counted),
            counted,
            noise: noise.iter().map(|variance| variance / targets.width / targets.width).collect(),
            inputs,
            targets,
        })
    }
}

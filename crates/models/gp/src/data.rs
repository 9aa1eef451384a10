//! Scaled training data, and its validation.

use thrifty_check::{all_finite, dimension, length, variances};
use thrifty_domain::{Points, PointsRef};

use crate::{GpError, GpSettings, InputScaling, TargetScaling};

/// Largest absolute value of a target. Variances are squares: for larger targets, a square times a kernel variance would overflow.
pub const LARGEST_TARGET: f64 = 1e150;

/// Data on the scales of the model.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct ScaledData {
    pub(crate) x: Points,
    pub(crate) y: Vec<f64>,
    /// Known noise variance of each observation, in addition to the common noise.
    pub(crate) noise: Vec<f64>,
    pub(crate) inputs: Option<InputScaling>,
    pub(crate) targets: TargetScaling,
}

impl ScaledData {
    /// Scales validated data, with scalings from the data and the settings.
    pub(crate) fn new(x: PointsRef<'_>, y: &[f64], noise: &[f64], settings: &GpSettings) -> Self {
        let (inputs, targets) = scaling_of(x, y, settings);
        Self::on_scale(x, y, noise, inputs, targets)
    }

    /// Scales validated data with the given scalings.
    pub(crate) fn on_scale(
        x: PointsRef<'_>,
        y: &[f64],
        noise: &[f64],
        inputs: Option<InputScaling>,
        targets: TargetScaling,
    ) -> Self {
        let empty = Self { x: Points::new(x.dim()), y: Vec::new(), noise: Vec::new(), inputs, targets };
        let mut data = empty;
        data.push(x, y, noise);
        data
    }

    /// Adds validated observations on the current scales.
    pub(crate) fn push(&mut self, x: PointsRef<'_>, y: &[f64], noise: &[f64]) {
        for point in self.scale(x).rows() {
            self.x.push(point);
        }
        self.y.extend(self.targets.apply(y));
        self.noise.extend(noise.iter().map(|variance| variance / self.targets.width / self.targets.width));
    }

    /// Checks that the last observations, given here, are also finite on the scale of the model.
    pub(crate) fn check_scaled(&self, y: &[f64], noise: &[f64]) -> Result<(), GpError> {
        let (width, before) = (self.targets.width, self.y.len() - y.len());
        let too_large = |z: &f64| z.is_nan() || z.abs() > LARGEST_TARGET;
        if let Some(index) = self.y[before..].iter().position(too_large) {
            return Err(GpError::TargetTooLarge { index, value: y[index], limit: LARGEST_TARGET * width });
        }
        match self.noise[before..].iter().position(|variance| !variance.is_finite()) {
            Some(index) => Err(GpError::NoiseTooLarge { index, value: noise[index], width }),
            None => Ok(()),
        }
    }

    /// Points on the scale of the model.
    pub(crate) fn scale(&self, x: PointsRef<'_>) -> Points {
        self.inputs.as_ref().map_or_else(|| x.to_owned(), |scaling| scaling.apply(x))
    }

    /// The derivative of the scaled column with respect to the given one.
    pub(crate) fn input_slope(&self, column: usize) -> f64 {
        self.inputs.as_ref().map_or(1.0, |scaling| 1.0 / scaling.width[column])
    }
}

/// Computes the scalings of validated data that the settings ask for.
pub(crate) fn scaling_of(
    x: PointsRef<'_>,
    y: &[f64],
    settings: &GpSettings,
) -> (Option<InputScaling>, TargetScaling) {
    let inputs = settings.normalize_inputs.then(|| InputScaling::of(x));
    (inputs, if settings.standardize_targets { TargetScaling::standardize(y) } else { TargetScaling::NONE })
}

/// Validates points, targets and known noise variances for a process on `dim` columns.
pub(crate) fn check(dim: usize, x: PointsRef<'_>, y: &[f64], noise: &[f64]) -> Result<(), GpError> {
    length("targets", y.len(), x.len())?;
    length("noise variances", noise.len(), y.len())?;
    dimension("points", x.dim(), dim)?;
    x.require_finite()?;
    all_finite("target", y)?;
    if let Some(index) = y.iter().position(|v| v.abs() > LARGEST_TARGET) {
        return Err(GpError::TargetTooLarge { index, value: y[index], limit: LARGEST_TARGET });
    }
    variances("noise variance", noise)?;
    Ok(())
}

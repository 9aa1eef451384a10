//! Numeric axes: scale, bounds, grid and prior of a parameter.

use crate::TpeError;
use crate::density::interval::{NEGLIGIBLE, mass};

/// A numeric parameter as kernels see it: its scale, bounds, grid and prior.
///
/// Kernels live on the latent scale: the values themselves, or their logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Latent bounds between which all kernels are truncated; infinite where there is none.
    pub bounds: (f64, f64),
    /// Mean of the prior, latent.
    pub prior_mean: f64,
    /// Standard deviation of the prior, latent; no kernel is wider.
    pub prior_sd: f64,
    /// True if the latent scale is the logarithm.
    pub log: bool,
    /// The grid on which values lie, if they do.
    pub grid: Option<Grid>,
    /// Value at 1 of a latent scale that is not logarithmic. It is 1, but less for ranges so small that no number holds a density of the values.
    pub unit: f64,
}

/// Values `first, first + step, …` up to `last`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Smallest value; for a grid without end, any value on it.
    pub first: f64,
    /// Largest value; infinite for a grid without end.
    pub last: f64,
    /// Distance of two values.
    pub step: f64,
}

impl Grid {
    /// The nearest value on the grid.
    #[must_use]
    pub fn nearest(&self, value: f64) -> f64 {
        let on_grid = self.first + ((value - self.first) / self.step).round() * self.step;
        if self.last.is_finite() { on_grid.clamp(self.first, self.last) } else { on_grid }
    }
}

/// Extent of the first and the last cell of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GridEnds {
    /// Half a step beyond the bounds: all cells are alike. Source: Optuna.
    #[default]
    Whole,
    /// Cut at the bounds: a value at a bound has half a cell. Where the range is no multiple of the step, the cell of the last value
    /// reaches to the upper bound. Source: Hyperopt; departure: it rounds to values beyond the bounds.
    Cut,
}

/// Stand-in for 0 on the logarithmic scale of a grid. Source: Hyperopt.
const ZERO: f64 = 1e-12;

/// Range below which a kernel of [`Floor::NONE`](crate::Floor::NONE) has a density that is too large for a number.
const SMALL: f64 = 1e-295;

/// Unit of smaller ranges, 2⁻⁸⁰⁰. Multiples of a power of 2 are exact.
const SMALL_UNIT: f64 = f64::from_bits((1023 - 800) << 52);

impl Axis {
    /// All numbers between two bounds, with a prior as wide as the range around its middle.
    ///
    /// # Errors
    /// [`TpeError`] for bounds that are no interval, or not positive on a logarithmic axis.
    pub fn float(low: f64, high: f64, log: bool) -> Result<Self, TpeError> {
        Self::between(low, high, log, None)
    }

    /// A grid between two bounds.
    ///
    /// # Errors
    /// As [`Axis::float`], and for a step that is not positive or larger than the range.
    pub fn grid(low: f64, high: f64, step: f64, log: bool, ends: GridEnds) -> Result<Self, TpeError> {
        let range = high - low;
        if !(step > 0.0 && step <= range.max(1.0) * (1.0 + 1e-9)) {
            return Err(TpeError::InvalidStep { step, range });
        }
        let last = low + (range / step * (1.0 + 4.0 * f64::EPSILON) + 1e-9).floor() * step;
        let grid = Some(Grid { first: low, last, step });
        match ends {
            GridEnds::Whole => Self::between(low - 0.5 * step, last + 0.5 * step, log, grid),
            GridEnds::Cut => Self::between(low, high, log, grid),
        }
    }

    /// Any number, or any multiple of a step, with a normal prior; `log` makes it log-normal.
    ///
    /// # Errors
    /// [`TpeError::InvalidNormal`].
    pub fn normal(mean: f64, std_dev: f64, log: bool, step: Option<f64>) -> Result<Self, TpeError> {
        if !(mean.is_finite() && std_dev.is_finite() && std_dev > 0.0) {
            return Err(TpeError::InvalidNormal { mean, std_dev });
        }
        let bounds = (f64::NEG_INFINITY, f64::INFINITY);
        let grid = step.map(|step| Grid { first: 0.0, last: f64::INFINITY, step });
        Ok(Self { bounds, prior_mean: mean, prior_sd: std_dev, log, grid, unit: 1.0 })
    }

    /// Sets a normal prior of the values, on a logarithmic axis of their logarithms.
    ///
    /// # Errors
    /// [`TpeError::InvalidNormal`].
    pub fn with_prior(self, mean: f64, std_dev: f64) -> Result<Self, TpeError> {
        let (mean, std_dev) = (mean / self.unit, std_dev / self.unit);
        let Self { prior_mean, prior_sd, .. } = Self::normal(mean, std_dev, self.log, None)?;
        Ok(Self { prior_mean, prior_sd, ..self })
    }

    fn between(low: f64, high: f64, log: bool, grid: Option<Grid>) -> Result<Self, TpeError> {
        if log && low <= 0.0 {
            return Err(TpeError::NonPositiveLog { low });
        }
        let (a, b) = if log { (low.ln(), high.ln()) } else { (low, high) };
        if !((b - a).is_finite() && a < b) {
            return Err(TpeError::InvalidBounds { low, high });
        }
        let unit = if log || grid.is_some() || b - a > SMALL { 1.0 } else { SMALL_UNIT };
        let (a, b) = (a / unit, b / unit);
        Ok(Self { bounds: (a, b), prior_mean: 0.5 * (a + b), prior_sd: b - a, log, grid, unit })
    }

    /// Latent value of a parameter value.
    #[must_use]
    pub fn latent(&self, value: f64) -> f64 {
        match (self.log, self.grid) {
            (false, _) => value / self.unit,
            (true, None) => value.ln(),
            (true, Some(_)) => value.max(ZERO).ln().max(self.bounds.0),
        }
    }

    /// The value at a place of the latent scale, off the grid.
    #[must_use]
    pub fn value(&self, latent: f64) -> f64 {
        if self.log { latent.exp() } else { latent * self.unit }
    }

    /// The latent ends of the cell around a value on the grid. That of the last value reaches to the upper bound.
    #[must_use]
    pub fn cell(&self, value: f64) -> (f64, f64) {
        let (low, high) = self.step_around(value);
        let is_last = self.grid.is_some_and(|grid| value >= grid.last);
        (low, if is_last { self.bounds.1 } else { high })
    }

    /// The latent ends of a step around a value, cut at the bounds.
    pub(crate) fn step_around(&self, value: f64) -> (f64, f64) {
        let half = 0.5 * self.grid.map_or(0.0, |grid| grid.step);
        let end = |x: f64| if self.log { x.max(ZERO).ln() } else { x };
        (end(value - half).max(self.bounds.0), end(value + half).min(self.bounds.1))
    }

    /// Distance of the farther bound from the mean of the prior, in standard deviations.
    pub(crate) fn farthest(&self) -> f64 {
        (self.bounds.1 - self.prior_mean).max(self.prior_mean - self.bounds.0) / self.prior_sd
    }

    /// The part of a normal density between the bounds.
    #[must_use]
    #[inline]
    pub fn mass(&self, mean: f64, sd: f64) -> f64 {
        if self.is_whole(mean, sd) {
            return 1.0;
        }
        mass((self.bounds.0 - mean) / sd, (self.bounds.1 - mean) / sd)
    }

    /// True if no bit of a normal density's mass is beyond the bounds.
    #[inline]
    pub(crate) fn is_whole(&self, mean: f64, sd: f64) -> bool {
        let far = NEGLIGIBLE * sd;
        mean - self.bounds.0 > far && self.bounds.1 - mean > far
    }
}

//! A posterior of one variable, and curves on it.

use thrifty_acquisition::{Acquisition, AcquisitionError};
use thrifty_domain::Points;
use thrifty_figures::{Axis, LinePlot, Observations, Series, posterior_band};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Mean, Noise};
use thrifty_kernel::{Matern52, Scaled};

use crate::error::ExperimentError;

/// Points at which a utility is drawn, and among which its maximiser is.
const STEPS: usize = 401;

/// One variable, a few observations, and the posterior of a process with known hyperparameters.
pub struct Scene {
    pub x: Points,
    pub y: Vec<f64>,
    /// Variance of the noise.
    pub noise: f64,
    pub posterior: GpPosterior<Scaled<Matern52>>,
}

impl Scene {
    /// A process of mean 0 and variance 1 with this lengthscale, after (x, y).
    pub fn new(seen: &[(f64, f64)], lengthscale: f64, noise: f64) -> Result<Self, ExperimentError> {
        let kernel = Matern52::new(vec![lengthscale]).and_then(|kernel| Scaled::new(kernel, 1.0));
        let settings = GpSettings {
            noise: Noise::Fixed(noise),
            mean: Mean::Fixed(0.0),
            standardize_targets: false,
            ..GpSettings::default()
        };
        let x = points(&seen.iter().map(|s| s.0).collect::<Vec<f64>>());
        let y: Vec<f64> = seen.iter().map(|s| s.1).collect();
        let gp = Gp::new(kernel.map_err(ExperimentError::failed)?).with_settings(settings);
        let posterior = gp.condition(x.as_ref(), &y).map_err(ExperimentError::failed)?;
        Ok(Self { x, y, noise, posterior })
    }

    /// Five observations without noise: a promising middle, and a right half of which little is known.
    pub fn everyday() -> Result<Self, ExperimentError> {
        Self::new(&[(0.04, 0.9), (0.18, 0.35), (0.36, -0.75), (0.5, -0.2), (0.92, 0.4)], 0.16, 1e-8)
    }

    /// The smallest observation.
    pub fn best(&self) -> f64 {
        self.y.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Mean, band and observations.
    pub fn panel(&self, title: &str) -> LinePlot {
        let seen = Observations { x: self.x.as_ref(), y: &self.y };
        let plot = posterior_band(&self.posterior, 0, &[0.5], &Axis::unit("x"), Some(seen));
        LinePlot { title: title.into(), y_label: "loss".into(), x_label: String::new(), ..plot }
    }

    /// The mean of the posterior at some points, as dots.
    pub fn on_mean(&self, label: &str, x: &Points) -> Series {
        let mean = |x: &[f64]| thrifty_surrogate::Posterior::predict(&self.posterior, x).mean;
        Series::dots(label, x.rows().map(|x| (x[0], mean(x))).collect())
    }
}

/// Points of the line.
pub fn points(x: &[f64]) -> Points {
    Points::from_flat(x.to_vec(), 1)
}

/// The points at which utilities are drawn.
pub fn grid() -> Points {
    points(&(0..STEPS).map(|i| i as f64 / (STEPS - 1) as f64).collect::<Vec<f64>>())
}

pub fn acquisition<T>(made: Result<T, AcquisitionError>) -> Result<T, ExperimentError> {
    made.map_err(ExperimentError::failed)
}

/// A utility on the grid, and its maximiser there.
pub struct Curve {
    pub label: String,
    pub points: Vec<(f64, f64)>,
    pub maximizer: (f64, f64),
}

impl Curve {
    pub fn of(label: &str, acquisition: &dyn Acquisition) -> Self {
        let grid = grid();
        let mut values = vec![0.0; grid.len()];
        acquisition.values_into(grid.as_ref(), &mut values);
        let points: Vec<(f64, f64)> = grid.rows().map(|x| x[0]).zip(values).collect();
        let finite = points.iter().copied().filter(|p| p.1.is_finite());
        let maximizer = finite.reduce(|best, p| if p.1 > best.1 { p } else { best });
        Self { label: label.into(), points, maximizer: maximizer.unwrap_or((f64::NAN, f64::NAN)) }
    }

    /// In units of its largest value, to compare shapes.
    pub fn relative(mut self) -> Self {
        let largest = self.maximizer.1;
        self.points.iter_mut().for_each(|p| p.1 /= largest);
        self.maximizer.1 = 1.0;
        self
    }
}

/// Index of the series with the maximizers in the colours of a panel: the same for posteriors and utilities.
const MARKS: usize = 2;

/// Utilities over one axis, their maximisers as dots with a line through each.
pub fn utilities(title: &str, y_label: &str, curves: &[Curve]) -> LinePlot {
    let mut series: Vec<Series> = curves.iter().map(|c| Series::line(&c.label, c.points.clone())).collect();
    series.resize(series.len().max(MARKS), Series::default());
    let all = || curves.iter().flat_map(|c| &c.points).map(|p| p.1).filter(|v| v.is_finite());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let marks = Series {
        bars: curves.iter().map(|c| (c.maximizer.0, low, high)).collect(),
        ..Series::dots("maximiser", curves.iter().map(|c| c.maximizer).collect())
    };
    series.insert(MARKS, marks);
    LinePlot {
        title: title.into(),
        x_label: "x".into(),
        y_label: y_label.into(),
        series,
        ..LinePlot::default()
    }
}

/// The posterior above, utilities below, lines through the maximisers in both.
pub fn column(scene: &Scene, title: &str, y_label: &str, curves: &[Curve]) -> Vec<LinePlot> {
    vec![marked(scene.panel(title), curves), utilities("", y_label, curves)]
}

/// A plot of a posterior with lines through the maximisers of utilities.
pub fn marked(mut plot: LinePlot, curves: &[Curve]) -> LinePlot {
    let band = || plot.series.iter().flat_map(|s| &s.band);
    let low = band().map(|b| b.1).fold(f64::INFINITY, f64::min);
    let high = band().map(|b| b.2).fold(f64::NEG_INFINITY, f64::max);
    let bars = curves.iter().map(|c| (c.maximizer.0, low, high)).collect();
    plot.series.resize(plot.series.len().max(MARKS), Series::default());
    plot.series.insert(MARKS, Series { bars, ..Series::default() });
    plot
}

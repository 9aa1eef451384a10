//! Plots as SVG text: curves over one axis, and posteriors.
//!
//! [`LinePlot`] holds [`Series`]: lines, dots, bands, error bars. [`posterior_band`], [`slices`],
//! [`predicted_against_observed`] and [`standardized_residuals`] build such plots from a posterior or its
//! predictions; [`panels`] draws several side by side, [`columns`] one above the other. [`Contours`] is a map over two axes.
//!
//! ```
//! use thrifty_figures::{LinePlot, Series};
//! let points = (0..50).map(|i| (f64::from(i), f64::from(i).sqrt())).collect();
//! let plot = LinePlot { title: "roots".into(), series: vec![Series::line("√x", points)], ..LinePlot::default() };
//! assert!(plot.draw()?.starts_with("<svg"));
//! # Ok::<(), thrifty_figures::FigureError>(())
//! ```

mod axis;
mod color;
mod contours;
mod line_plot;
mod panels;
mod posterior;
mod predictions;
mod scale;

pub use axis::Axis;
pub use contours::{Contours, Isoline};
pub use line_plot::{LinePlot, Series};
pub use panels::{columns, panels, panels_with_legend};
pub use posterior::{Observations, posterior_band, posterior_maps, slices};
pub use predictions::{predicted_against_observed, standardized_residuals};

/// A figure that could not be drawn.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[error("figure {title:?} cannot be drawn: {message}")]
pub struct FigureError {
    /// Its title.
    pub title: String,
    /// Message of the drawing library.
    pub message: String,
}

//! Figures as SVG text: line plots, maps, heat maps, bars, parallel coordinates, posteriors.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`LinePlot`] holds [`Series`]: lines, dots, bands, error bars. [`posterior_band`], [`slices`],
//! [`predicted_against_observed`] and [`standardized_residuals`] build such plots from a posterior or its
//! predictions; [`panels`] draws several, two in a row,
//! [`columns`] one above the other. [`Contours`] is a map over two axes, [`HeatMap`] a table of
//! shaded cells, [`BarChart`] bars with names, [`ParallelCoordinates`] a line per observation over many axes. Labels choose colours: see [`Palette`].

mod axis;
mod bars;
mod canvas;
mod color;
mod color_bar;
mod contours;
mod heat_map;
mod isolines;
mod legend;
mod line_plot;
mod marks;
mod palette;
mod panels;
mod parallel;
mod posterior;
mod predictions;
mod scale;
mod series;

pub use axis::Axis;
pub use bars::{BarChart, BarSeries};
pub use contours::{Contours, Isoline};
pub use heat_map::HeatMap;
pub use line_plot::LinePlot;
pub use palette::Palette;
pub use panels::{columns, panels, panels_with_legend};
pub use parallel::{ParallelAxis, ParallelCoordinates, ParallelLine};
pub use posterior::{Observations, posterior_band, posterior_maps, slices};
pub use predictions::{predicted_against_observed, standardized_residuals};
pub use series::Series;

/// A figure that could not be drawn.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[error("figure {title:?} cannot be drawn: {message}")]
pub struct FigureError {
    /// Its title.
    pub title: String,
    /// Message of the drawing library.
    pub message: String,
}

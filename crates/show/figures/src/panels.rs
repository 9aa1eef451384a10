//! Panels of several plots.

use plotters::prelude::*;

use crate::line_plot::LEGEND;
use crate::{FigureError, LinePlot};

/// Several plots side by side, without legends.
///
/// # Errors
/// [`FigureError`] when the drawing library fails.
pub fn panels(plots: &[LinePlot]) -> Result<String, FigureError> {
    draw(plots, None)
}

/// Several plots of the same series side by side, with the first's legend beside them all.
///
/// # Errors
/// As [`panels`].
pub fn panels_with_legend(plots: &[LinePlot]) -> Result<String, FigureError> {
    draw(plots, plots.first())
}

/// Columns of plots over one axis each, from top to bottom; beside every row the legend of the plot in it that names
/// most series.
///
/// # Errors
/// As [`panels`].
pub fn columns(columns: &[Vec<LinePlot>]) -> Result<String, FigureError> {
    let across = columns.len().max(1) as u32;
    let down = columns.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let (width, height) = (if across == 1 { 560 } else { 340 }, 250);
    let named = |plot: &&LinePlot| plot.series.iter().filter(|series| !series.label.is_empty()).count();
    let mut svg = String::new();
    let title =
        columns.first().and_then(|plots| plots.first()).map_or(String::new(), |plot| plot.title.clone());
    let draw = |svg: &mut String| -> Result<(), Box<dyn std::error::Error>> {
        let size = (width * across + LEGEND, height * down as u32);
        let root = SVGBackend::with_string(svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (left, right) = root.split_horizontally(width * across);
        let legends = right.split_evenly((down, 1));
        for (at, area) in left.split_evenly((down, across as usize)).iter().enumerate() {
            if let Some(plot) =
                columns.get(at % across as usize).and_then(|plots| plots.get(at / across as usize))
            {
                plot.draw_chart(area)?;
            }
        }
        for (row, legend) in legends.iter().enumerate() {
            if let Some(plot) = columns.iter().filter_map(|plots| plots.get(row)).max_by_key(named) {
                plot.draw_legend(legend)?;
            }
        }
        root.present()?;
        Ok(())
    };
    draw(&mut svg).map_err(|error| FigureError { title, message: error.to_string() })?;
    Ok(svg)
}

fn draw(plots: &[LinePlot], legend: Option<&LinePlot>) -> Result<String, FigureError> {
    let mut svg = String::new();
    let title = plots.first().map_or(String::new(), |plot| plot.title.clone());
    // Three a row, but four as a square.
    let across = if plots.len() == 4 { 2 } else { plots.len().clamp(1, 3) as u32 };
    let down = (plots.len() as u32).div_ceil(across).max(1);
    let (width, beside) = (440 * across, legend.map_or(0, |_| LEGEND));
    let draw = |svg: &mut String| -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, (width + beside, 380 * down)).into_drawing_area();
        root.fill(&WHITE)?;
        let (left, right) = root.split_horizontally(width);
        for (plot, area) in plots.iter().zip(left.split_evenly((down as usize, across as usize))) {
            plot.draw_chart(&area)?;
        }
        if let Some(plot) = legend {
            plot.draw_legend(&right)?;
        }
        root.present()?;
        Ok(())
    };
    draw(&mut svg).map_err(|error| FigureError { title, message: error.to_string() })?;
    Ok(svg)
}

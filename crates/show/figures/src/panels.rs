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

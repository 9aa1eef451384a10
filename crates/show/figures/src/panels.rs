//! Panels of several plots.

use crate::canvas::drawn;
use crate::legend::{self, LEGEND};
use crate::{FigureError, LinePlot, Palette, Series};

/// Panels in a row: more are not legible at the width of a page.
const ACROSS: usize = 2;

/// Width and height of a panel.
const PANEL: (u32, u32) = (440, 380);

/// Several plots, two in a row, without legends.
///
/// # Errors
/// [`FigureError`] when the drawing library fails.
pub fn panels(plots: &[LinePlot]) -> Result<String, FigureError> {
    draw(plots, None)
}

/// Several plots of the same series, two in a row, with the first's legend beside them all.
///
/// # Errors
/// As [`panels`].
pub fn panels_with_legend(plots: &[LinePlot]) -> Result<String, FigureError> {
    draw(plots, plots.first())
}

/// Columns of plots over one axis each, from top to bottom; beside every row the legend of its labels. Further columns
/// follow below the first two.
///
/// # Errors
/// As [`panels`].
pub fn columns(columns: &[Vec<LinePlot>]) -> Result<String, FigureError> {
    let across = columns.len().clamp(1, ACROSS);
    let (width, height) = (if across == 1 { 560 } else { 400 }, 250);
    let rows: Vec<Vec<&LinePlot>> = columns.chunks(ACROSS).flat_map(rows).collect();
    let down = rows.len().max(1);
    let palette = palette(columns.iter().flatten());
    let size = (width * across as u32 + LEGEND, height * down as u32);
    drawn(title(columns.iter().flatten()), size, |root| {
        for (row, area) in rows.iter().zip(root.split_evenly((down, 1))) {
            let (left, right) = area.split_horizontally(width * across as u32);
            for (plot, area) in row.iter().zip(left.split_evenly((1, across))) {
                plot.draw_chart(&area, &palette)?;
            }
            legend::draw(&right, &labelled(row), |label| palette.color(label))?;
        }
        Ok(())
    })
}

/// Rows of a block of columns, down to the longest.
fn rows(block: &[Vec<LinePlot>]) -> Vec<Vec<&LinePlot>> {
    let down = block.iter().map(Vec::len).max().unwrap_or(0);
    (0..down).map(|row| block.iter().filter_map(|plots| plots.get(row)).collect()).collect()
}

/// The labelled series of some plots, every label once.
fn labelled(plots: &[&LinePlot]) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    for series in plots.iter().flat_map(|plot| &plot.series) {
        if !found.iter().any(|known| known.label == series.label) {
            found.push(Series { label: series.label.clone(), dots: series.dots, ..Series::default() });
        }
    }
    found
}

fn draw(plots: &[LinePlot], legend: Option<&LinePlot>) -> Result<String, FigureError> {
    let across = plots.len().clamp(1, ACROSS);
    let down = plots.len().div_ceil(across).max(1);
    let (width, beside) = (PANEL.0 * across as u32, legend.map_or(0, |_| LEGEND));
    let palette = palette(plots.iter());
    drawn(title(plots.iter()), (width + beside, PANEL.1 * down as u32), |root| {
        let (left, right) = root.split_horizontally(width);
        for (plot, area) in plots.iter().zip(left.split_evenly((down, across))) {
            plot.draw_chart(&area, &palette)?;
        }
        if let Some(plot) = legend {
            legend::draw(&right, &plot.series, |label| palette.color(label))?;
        }
        Ok(())
    })
}

/// One palette for all labels of some plots.
fn palette<'p>(plots: impl Iterator<Item = &'p LinePlot> + Clone) -> Palette {
    let shared = plots.clone().find(|plot| plot.palette != Palette::default());
    let shared = shared.map_or(Palette::default(), |plot| plot.palette.clone());
    shared.with(plots.flat_map(|plot| plot.series.iter().map(|series| series.label.as_str())))
}

fn title<'p>(mut plots: impl Iterator<Item = &'p LinePlot>) -> String {
    plots.next().map_or(String::new(), |plot| plot.title.clone())
}

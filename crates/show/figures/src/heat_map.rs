//! Tables of values as shaded cells.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::canvas::drawn;
use crate::marks::{Marks, shortened, tick};
use crate::scale::Scale;
use crate::{FigureError, color, color_bar};

/// A table of values as shaded cells with a colour bar. Cells whose value is not finite are grey.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// Above the map.
    pub title: String,
    /// Below the columns.
    pub x_label: String,
    /// Beside the rows.
    pub y_label: String,
    /// Beside the colour bar.
    pub value_label: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// A row after the other.
    pub values: Vec<f64>,
}

/// Cells along a side that are large enough for a number.
const NUMBERED: usize = 12;

/// Colour of cells without a value, which no value has.
const MISSING: RGBColor = RGBColor(215, 212, 208);

/// Width without the colour bar.
const WIDTH: u32 = 600;

impl HeatMap {
    /// The map as SVG.
    ///
    /// # Errors
    /// [`FigureError`] when there is not a value per cell, or the drawing library fails.
    pub fn draw(&self) -> Result<String, FigureError> {
        if self.values.len() != self.rows.len() * self.columns.len() {
            let (values, rows, columns) = (self.values.len(), self.rows.len(), self.columns.len());
            let message = format!("{values} values for {rows} rows and {columns} columns");
            return Err(FigureError { title: self.title.clone(), message });
        }
        let height = 110 + (self.rows.len() as u32 * 40).clamp(120, 560);
        drawn(self.title.clone(), (WIDTH + color_bar::WIDTH, height), |root| {
            let (left, right) = root.split_horizontally(WIDTH);
            let range = color::range(self.values.iter().copied());
            self.draw_cells(&left, range.unwrap_or((0.0, 0.0)))?;
            range.map_or(Ok(()), |range| color_bar::draw(&right, range, &self.value_label, color::shade))
        })
    }

    fn draw_cells(
        &self,
        area: &crate::canvas::Root<'_>,
        range: (f64, f64),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (across, down) = (self.columns.len(), self.rows.len());
        let top_down: Vec<String> = self.rows.iter().rev().cloned().collect();
        let x = some(Marks::names(&self.columns, (WIDTH as usize / across.max(1) / 8).max(3)), 15);
        let y = some(Marks::names(&top_down, 14), 24);
        let longest = self.rows.iter().map(|name| shortened(name, 14).chars().count()).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(46 + 8 * longest as u32)
            .build_cartesian_2d(
                Scale::new(-0.5..across.max(1) as f64 - 0.5, &x),
                Scale::new(-0.5..down.max(1) as f64 - 0.5, &y),
            )?;
        chart
            .configure_mesh()
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_label_formatter(&|place| x.label(*place))
            .y_label_formatter(&|place| y.label(*place))
            .disable_mesh()
            .draw()?;
        let style = |ink: RGBColor| {
            ("sans-serif", 12).into_font().color(&ink).pos(Pos::new(HPos::Center, VPos::Center))
        };
        for (at, value) in self.values.iter().enumerate() {
            let (column, row) = ((at % across) as f64, (down - 1 - at / across) as f64);
            let share = color::share(*value, range);
            let shade = if value.is_finite() { color::shade(share) } else { MISSING };
            let corners = [(column - 0.5, row - 0.5), (column + 0.5, row + 0.5)];
            chart.draw_series(std::iter::once(Rectangle::new(corners, shade.filled())))?;
            if value.is_finite() && across <= NUMBERED && down <= NUMBERED {
                let number = Text::new(tick(*value), (column, row), style(color::ink(share)));
                chart.draw_series(std::iter::once(number))?;
            }
        }
        Ok(())
    }
}

/// Marks that do not overlap: every k-th, at most `most`.
fn some(marks: Marks, most: usize) -> Marks {
    let every = marks.places().count().div_ceil(most).max(1);
    marks.every(every)
}

//! Maps with isolines.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::canvas::drawn;
use crate::isolines::isolines;
use crate::scale::{Scale, room};
use crate::{Axis, FigureError, color, color_bar};

/// Maps in a row: more are not legible at the width of a page.
const ACROSS: usize = 2;

/// Width and height of a map without its colour bar.
const MAP: (u32, u32) = (470, 470);

/// Isoline of values on the grid of a map: a boundary in its own colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Isoline {
    /// Values on the grid, in the order of [`Contours::values`].
    pub values: Vec<f64>,
    /// The height.
    pub height: f64,
}

/// A map of values on a square grid over two axes: shaded cells, contour lines, dots.
#[derive(Debug, Clone, PartialEq)]
pub struct Contours {
    /// Above the map.
    pub title: String,
    /// The axes.
    pub axes: (Axis, Axis),
    /// Points along each axis, at least 2.
    pub side: usize,
    /// `values[j * side + i]` at the i-th point of the first axis and the j-th of the second.
    pub values: Vec<f64>,
    /// Number of contour lines, evenly spaced between the smallest and the largest value.
    pub levels: usize,
    /// Boundaries: the first black, the others in the colours of plots.
    pub isolines: Vec<Isoline>,
    /// Points of the unit square to mark.
    pub dots: Vec<(f64, f64)>,
}

impl Contours {
    /// The map as SVG.
    ///
    /// # Errors
    /// [`FigureError`] when there are not side² values, or the drawing library fails.
    pub fn draw(&self) -> Result<String, FigureError> {
        Self::side_by_side(std::slice::from_ref(self))
    }

    /// Several maps with a colour bar each, two in a row.
    ///
    /// # Errors
    /// As [`Contours::draw`].
    pub fn side_by_side(maps: &[Self]) -> Result<String, FigureError> {
        for map in maps {
            let of_lines = map.isolines.iter().map(|line| line.values.len());
            for count in std::iter::once(map.values.len()).chain(of_lines) {
                if map.side < 2 || count != map.side * map.side {
                    let message = format!("{count} values for a side of {}", map.side);
                    return Err(FigureError { title: map.title.clone(), message });
                }
            }
        }
        let across = maps.len().clamp(1, ACROSS);
        let down = maps.len().div_ceil(across).max(1);
        let title = maps.first().map_or(String::new(), |map| map.title.clone());
        let size = ((MAP.0 + color_bar::WIDTH) * across as u32, MAP.1 * down as u32);
        drawn(title, size, |root| {
            for (map, area) in maps.iter().zip(root.split_evenly((down, across))) {
                let (left, right) = area.split_horizontally(MAP.0);
                map.draw_on(&left)?;
                if let Some(range) = color::range(map.values.iter().copied()) {
                    color_bar::draw(&right, range, "", color::shade)?;
                }
            }
            Ok(())
        })
    }

    fn draw_on<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        let (width, height) = area.dim_in_pixel();
        let (x, y) = (self.axes.0.ends(), self.axes.1.ends());
        let (x_marks, y_marks) = (self.axes.0.marks(room(width, 55)), self.axes.1.marks(room(height, 36)));
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(66)
            .build_cartesian_2d(Scale::new(x.0..x.1, &x_marks), Scale::new(y.0..y.1, &y_marks))?;
        chart
            .configure_mesh()
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_desc(&self.axes.0.label)
            .y_desc(&self.axes.1.label)
            .x_label_formatter(&|place| x_marks.label(*place))
            .y_label_formatter(&|place| y_marks.label(*place))
            .disable_mesh()
            .draw()?;
        let place = |(u, v): (f64, f64)| (x.0 + u * (x.1 - x.0), y.0 + v * (y.1 - y.0));
        chart.draw_series(self.cells().into_iter().map(|(from, to, share)| {
            Rectangle::new([place(from), place(to)], color::shade(share).filled())
        }))?;
        let path = |line: Vec<(f64, f64)>, style: ShapeStyle| {
            PathElement::new(line.into_iter().map(place).collect::<Vec<_>>(), style)
        };
        let (low, high) = color::range(self.values.iter().copied()).unwrap_or((0.0, 0.0));
        for level in 1..=self.levels {
            let height = low + (high - low) * level as f64 / (self.levels + 1) as f64;
            let line: ShapeStyle = RGBColor(40, 40, 40).mix(0.5).into();
            let lines = isolines(self.side, &self.values, height);
            chart.draw_series(lines.into_iter().map(|points| path(points, line)))?;
        }
        for (at, isoline) in self.isolines.iter().enumerate() {
            let line = if at == 0 { BLACK } else { color::nth(at - 1) }.stroke_width(2);
            let lines = isolines(self.side, &isoline.values, isoline.height);
            chart.draw_series(lines.into_iter().map(|points| path(points, line)))?;
        }
        let dots = self.dots.iter().map(|&dot| Circle::new(place(dot), 3, RGBColor(213, 94, 0).filled()));
        chart.draw_series(dots)?;
        Ok(())
    }

    /// Shaded rectangles of the unit square with their share of the range. Each grid point shades the cell around it, cut at the
    /// border; neighbours in a row with the same shade are one rectangle.
    fn cells(&self) -> Vec<((f64, f64), (f64, f64), f64)> {
        let step = 1.0 / (self.side - 1) as f64;
        let edges = |i: usize| ((i as f64 - 0.5).max(0.0) * step, ((i as f64 + 0.5) * step).min(1.0));
        let range = color::range(self.values.iter().copied()).unwrap_or((0.0, 0.0));
        let mut cells: Vec<((f64, f64), (f64, f64), f64)> = Vec::new();
        for (at, value) in self.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let share = color::share(*value, range);
            let ((left, right), (bottom, top)) = (edges(at % self.side), edges(at / self.side));
            match cells.last_mut() {
                Some((from, to, other))
                    if from.1 == bottom && to.0 == left && color::shade(*other) == color::shade(share) =>
                {
                    to.0 = right;
                }
                _ => cells.push(((left, bottom), (right, top), share)),
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_need_a_value_per_point() {
        let side = 11;
        let values = (0..side * side).map(|at| (at % side) as f64 / 10.0).collect();
        let axes = (Axis::unit("a"), Axis::unit("b"));
        let isolines = vec![Isoline { values: vec![0.0; side * side], height: 0.5 }];
        let (title, dots) = ("plane".into(), vec![(0.5, 0.5)]);
        let map = Contours { title, axes, side, values, levels: 3, isolines, dots };
        assert!(map.draw().is_ok());
        let bad = Contours { values: vec![0.0; 3], ..map.clone() };
        assert!(bad.draw().unwrap_err().to_string().contains("3 values for a side of 11"));
        let bad = Contours { isolines: vec![Isoline { values: vec![0.0; 4], height: 0.0 }], ..map };
        assert!(bad.draw().unwrap_err().to_string().contains("4 values for a side of 11"));
    }
}

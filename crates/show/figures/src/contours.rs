//! Maps with isolines.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::color;
use crate::scale::tick;
use crate::{Axis, FigureError};

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
    /// Above the map, with the range of the values.
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

    /// Several maps in a row.
    ///
    /// # Errors
    /// As [`Contours::draw`].
    pub fn side_by_side(maps: &[Self]) -> Result<String, FigureError> {
        let mut svg = String::new();
        for map in maps {
            let of_lines = map.isolines.iter().map(|line| line.values.len());
            for count in std::iter::once(map.values.len()).chain(of_lines) {
                if map.side < 2 || count != map.side * map.side {
                    let message = format!("{count} values for a side of {}", map.side);
                    return Err(FigureError { title: map.title.clone(), message });
                }
            }
        }
        let draw = |svg: &mut String| -> Result<(), Box<dyn std::error::Error>> {
            let root =
                SVGBackend::with_string(svg, (500 * maps.len().max(1) as u32, 470)).into_drawing_area();
            root.fill(&WHITE)?;
            for (map, area) in maps.iter().zip(root.split_evenly((1, maps.len().max(1)))) {
                map.draw_on(&area)?;
            }
            root.present()?;
            Ok(())
        };
        draw(&mut svg).map_err(|error| FigureError {
            title: maps.first().map_or(String::new(), |map| map.title.clone()),
            message: error.to_string(),
        })?;
        Ok(svg)
    }

    fn range(&self) -> (f64, f64) {
        let finite = || self.values.iter().copied().filter(|v| v.is_finite());
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
    }

    fn draw_on<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        let (low, high) = self.range();
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{}: {} to {}", self.title, tick(low), tick(high)), ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(66)
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        chart
            .configure_mesh()
            .x_desc(&self.axes.0.label)
            .y_desc(&self.axes.1.label)
            .x_label_formatter(&|u| tick(self.axes.0.value(*u)))
            .y_label_formatter(&|u| tick(self.axes.1.value(*u)))
            .disable_mesh()
            .draw()?;
        let step = 1.0 / (self.side - 1) as f64;
        let share = |v: f64| if high > low { (v - low) / (high - low) } else { 0.0 };
        // Each grid point shades the cell around it, cut at the border.
        let edges = |i: usize| ((i as f64 - 0.5).max(0.0) * step, ((i as f64 + 0.5) * step).min(1.0));
        chart.draw_series((0..self.side * self.side).filter(|&at| self.values[at].is_finite()).map(
            |at| {
                let ((left, right), (bottom, top)) = (edges(at % self.side), edges(at / self.side));
                Rectangle::new([(left, bottom), (right, top)], color::shade(share(self.values[at])).filled())
            },
        ))?;
        for level in 1..=self.levels {
            let height = low + (high - low) * level as f64 / (self.levels + 1) as f64;
            let line = RGBColor(40, 40, 40).mix(0.5);
            let segments = self.segments(&self.values, height);
            chart.draw_series(segments.into_iter().map(|ends| PathElement::new(ends, line)))?;
        }
        for (at, isoline) in self.isolines.iter().enumerate() {
            let line = if at == 0 { BLACK } else { color::nth(at - 1) }.stroke_width(2);
            let segments = self.segments(&isoline.values, isoline.height);
            chart.draw_series(segments.into_iter().map(|ends| PathElement::new(ends, line)))?;
        }
        let dots = self.dots.iter().map(|&dot| Circle::new(dot, 3, RGBColor(213, 94, 0).filled()));
        chart.draw_series(dots)?;
        Ok(())
    }

    /// Line segments at which the values cross a height: at most one in each of the two triangles of a cell.
    fn segments(&self, values: &[f64], height: f64) -> Vec<[(f64, f64); 2]> {
        let step = 1.0 / (self.side - 1) as f64;
        let corner = |i: usize, j: usize| (i as f64 * step, j as f64 * step, values[j * self.side + i]);
        let mut segments = Vec::new();
        for j in 0..self.side - 1 {
            for i in 0..self.side - 1 {
                let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1));
                for triangle in [[a, b, d], [a, c, d]] {
                    let crossings: Vec<(f64, f64)> = [(0, 1), (1, 2), (0, 2)]
                        .into_iter()
                        .filter_map(|(from, to)| crossing(triangle[from], triangle[to], height))
                        .collect();
                    if let [from, to] = crossings[..] {
                        segments.push([from, to]);
                    }
                }
            }
        }
        segments
    }
}

/// Point at which the line between two corners crosses a height, if it does.
fn crossing(from: (f64, f64, f64), to: (f64, f64, f64), height: f64) -> Option<(f64, f64)> {
    if (from.2 >= height) == (to.2 >= height) || !(from.2.is_finite() && to.2.is_finite()) {
        return None;
    }
    let t = (height - from.2) / (to.2 - from.2);
    Some((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contours_of_a_plane_are_straight() {
        let side = 11;
        let values = (0..side * side).map(|at| (at % side) as f64 / 10.0).collect();
        let axes = (Axis::unit("a"), Axis::unit("b"));
        let isolines = vec![Isoline { values: vec![0.0; side * side], height: 0.5 }];
        let (title, dots) = ("plane".into(), vec![(0.5, 0.5)]);
        let map = Contours { title, axes, side, values, levels: 3, isolines, dots };
        let segments = map.segments(&map.values, 0.45);
        assert!(map.segments(&map.isolines[0].values, 0.5).is_empty());
        assert_eq!(segments.len(), 2 * (side - 1));
        assert!(segments.iter().flatten().all(|point| (point.0 - 0.45).abs() < 1e-12));
        assert!(map.draw().is_ok());
        let bad = Contours { values: vec![0.0; 3], ..map.clone() };
        assert!(bad.draw().unwrap_err().to_string().contains("3 values for a side of 11"));
        let bad = Contours { isolines: vec![Isoline { values: vec![0.0; 4], height: 0.0 }], ..map };
        assert!(bad.draw().unwrap_err().to_string().contains("4 values for a side of 11"));
    }
}

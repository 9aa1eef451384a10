//! Parallel coordinates.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::canvas::drawn;
use crate::marks::{Marks, shortened};
use crate::scale::Scale;
use crate::{Axis, FigureError, color, color_bar};

/// One vertical axis of parallel coordinates.
#[derive(Debug, Clone, PartialEq)]
pub enum ParallelAxis {
    /// A numeric axis; lines cross it at places of the unit interval.
    Numeric(Axis),
    /// Label and names, from bottom to top; lines cross it at 0, 1, ….
    Names(String, Vec<String>),
}

impl ParallelAxis {
    fn label(&self) -> &str {
        match self {
            Self::Numeric(axis) => &axis.label,
            Self::Names(label, _) => label,
        }
    }

    /// Height of a place between 0 and 1; the middle for a single name.
    fn height(&self, place: f64) -> f64 {
        match self {
            Self::Numeric(_) => place,
            Self::Names(_, names) if names.len() < 2 => 0.5,
            Self::Names(_, names) => place / (names.len() - 1) as f64,
        }
    }

    /// Heights and texts of the marks.
    fn marks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Numeric(axis) => {
                let (low, high) = axis.ends();
                let height = |(place, label): (f64, &str)| ((place - low) / (high - low), label.to_owned());
                axis.marks(5).iter().map(height).filter(|(h, _)| (-1e-9..=1.0 + 1e-9).contains(h)).collect()
            }
            Self::Names(_, names) => {
                let name = |(at, name): (usize, &String)| (self.height(at as f64), shortened(name, 12));
                names.iter().enumerate().map(name).collect()
            }
        }
    }
}

/// A line over all axes with the value that shades it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParallelLine {
    /// A place per axis; the line has a gap where there is none.
    pub places: Vec<Option<f64>>,
    /// Chooses the shade.
    pub value: f64,
}

/// Parallel coordinates: a vertical axis per variable, a line per observation, shaded by its value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParallelCoordinates {
    /// Above the figure.
    pub title: String,
    /// Beside the colour bar.
    pub value_label: String,
    /// Axes from left to right.
    pub axes: Vec<ParallelAxis>,
    /// Lines; the best are drawn last and dark.
    pub lines: Vec<ParallelLine>,
    /// True if large values are the best, else small ones are.
    pub larger_is_better: bool,
}

impl ParallelCoordinates {
    /// The figure as SVG.
    ///
    /// # Errors
    /// [`FigureError`] when a line has not a place per axis, or the drawing library fails.
    pub fn draw(&self) -> Result<String, FigureError> {
        if let Some(line) = self.lines.iter().find(|line| line.places.len() != self.axes.len()) {
            let message = format!("a line of {} places over {} axes", line.places.len(), self.axes.len());
            return Err(FigureError { title: self.title.clone(), message });
        }
        let width = (110 * self.axes.len() as u32).clamp(400, 1000);
        drawn(self.title.clone(), (width + color_bar::WIDTH, 420), |root| {
            let (left, right) = root.split_horizontally(width);
            let range = color::range(self.lines.iter().map(|line| line.value));
            self.draw_lines(&left, range.unwrap_or((0.0, 0.0)))?;
            let shade = |share: f64| self.shade(share);
            range.map_or(Ok(()), |range| color_bar::draw(&right, range, &self.value_label, shade))
        })
    }

    /// Shade of a value by its place between the least and the largest.
    fn shade(&self, share: f64) -> RGBColor {
        color::line_shade(if self.larger_is_better { 1.0 - share } else { share })
    }

    fn draw_lines(
        &self,
        area: &crate::canvas::Root<'_>,
        range: (f64, f64),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (none, right) = (Marks::names(&[], 1), self.axes.len().max(1) as f64 - 0.35);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 16))
            .margin(12)
            .build_cartesian_2d(Scale::new(-0.35..right, &none), Scale::new(-0.12..1.05, &none))?;
        let mut lines: Vec<&ParallelLine> = self.lines.iter().filter(|line| line.value.is_finite()).collect();
        lines.sort_by(|a, b| b.value.total_cmp(&a.value));
        if self.larger_is_better {
            lines.reverse();
        }
        for line in lines {
            let shade = self.shade(color::share(line.value, range));
            for part in self.parts(line) {
                chart.draw_series(std::iter::once(PathElement::new(part, shade)))?;
            }
        }
        let text = |horizontal, vertical, size: i32| {
            ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(horizontal, vertical))
        };
        for (at, axis) in self.axes.iter().enumerate() {
            let x = at as f64;
            chart.draw_series(std::iter::once(PathElement::new(vec![(x, 0.0), (x, 1.0)], BLACK)))?;
            let label = shortened(axis.label(), 14);
            let style = text(HPos::Center, VPos::Top, 14);
            chart.draw_series(std::iter::once(Text::new(label, (x, -0.04), style)))?;
            for (height, label) in axis.marks() {
                chart.draw_series(std::iter::once(PathElement::new(
                    vec![(x - 0.03, height), (x, height)],
                    BLACK,
                )))?;
                let style = text(HPos::Right, VPos::Center, 12);
                chart.draw_series(std::iter::once(Text::new(label, (x - 0.05, height), style)))?;
            }
        }
        Ok(())
    }

    /// The stretches of a line without gaps.
    fn parts(&self, line: &ParallelLine) -> Vec<Vec<(f64, f64)>> {
        let mut parts = vec![Vec::new()];
        for (at, (axis, place)) in self.axes.iter().zip(&line.places).enumerate() {
            match (place.filter(|place| place.is_finite()), parts.last_mut()) {
                (Some(place), Some(part)) => part.push((at as f64, axis.height(place))),
                _ => parts.push(Vec::new()),
            }
        }
        parts.retain(|part| part.len() > 1);
        parts
    }
}

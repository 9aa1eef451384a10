//! Parallel coordinates.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::canvas::drawn;
use crate::marks::{Marks, all_shortened};
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

    /// Heights and texts of the marks; names have at most `longest` characters, and so many names have room.
    fn marks(&self, longest: usize) -> Vec<(f64, String)> {
        /// Names that have room above each other.
        const MOST: usize = 30;
        match self {
            Self::Numeric(axis) => {
                let (low, high) = axis.ends();
                let height = |(place, label): (f64, &str)| ((place - low) / (high - low), label.to_owned());
                axis.marks(5).iter().map(height).filter(|(h, _)| (-1e-9..=1.0 + 1e-9).contains(h)).collect()
            }
            Self::Names(_, names) => {
                let name = |(at, name): (usize, String)| (self.height(at as f64), name);
                let every = names.len().div_ceil(MOST).max(1);
                all_shortened(names, longest).into_iter().enumerate().step_by(every).map(name).collect()
            }
        }
    }
}

/// Pixels around the axes.
const MARGIN: u32 = 12;

/// Widths and labels, so that no text runs into another one or out of the figure.
struct Layout {
    /// Pixels of all axes.
    width: u32,
    /// Further pixels before them, for the names on the first axis.
    before: u32,
    /// Most characters of a name on an axis.
    longest: usize,
    /// Labels of the axes.
    labels: Vec<String>,
    /// True if every other label stands lower, because neighbours would touch.
    is_staggered: bool,
}

impl Layout {
    fn of(axes: &[ParallelAxis]) -> Self {
        /// Widths of a character of a mark and of a label.
        const CHARACTERS: (f64, f64) = (7.0, 8.0);
        let count = axes.len().max(1) as u32;
        let width = (110 * count).clamp(400, 1000);
        let column = f64::from(width - 2 * MARGIN) / f64::from(count);
        let longest = ((0.9 * column / CHARACTERS.0) as usize).clamp(4, 12);
        let labels: Vec<String> = axes.iter().map(|axis| axis.label().to_owned()).collect();
        let room = |columns: f64| ((0.95 * columns * column / CHARACTERS.1) as usize).clamp(4, 14);
        let is_staggered = labels.iter().any(|label| label.chars().count().min(14) > room(1.0));
        let labels = all_shortened(&labels, if is_staggered { room(2.0) } else { 14 });
        let marks = axes.first().map_or_else(Vec::new, |axis| axis.marks(longest));
        let widest = marks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
        let before = CHARACTERS.0 * widest as f64 - f64::from(MARGIN) - 0.3 * column;
        Self { width, before: before.max(0.0).ceil() as u32, longest, labels, is_staggered }
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
        let layout = Layout::of(&self.axes);
        let width = layout.before + layout.width;
        drawn(self.title.clone(), (width + color_bar::WIDTH, 420), |root| {
            let (left, right) = root.split_horizontally(width);
            let range = color::range(self.lines.iter().map(|line| line.value));
            self.draw_lines(&left, range.unwrap_or((0.0, 0.0)), &layout)?;
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
        layout: &Layout,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (none, right) = (Marks::names(&[], 1), self.axes.len().max(1) as f64 - 0.35);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 16))
            .margin(MARGIN)
            .margin_left(MARGIN + layout.before)
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
        for (at, (axis, label)) in self.axes.iter().zip(&layout.labels).enumerate() {
            let x = at as f64;
            chart.draw_series(std::iter::once(PathElement::new(vec![(x, 0.0), (x, 1.0)], BLACK)))?;
            let style = text(HPos::Center, VPos::Top, 14);
            let below = if layout.is_staggered && at % 2 == 1 { -0.09 } else { -0.04 };
            chart.draw_series(std::iter::once(Text::new(label.clone(), (x, below), style)))?;
            for (height, label) in axis.marks(layout.longest) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn named(label: &str, names: usize) -> ParallelAxis {
        ParallelAxis::Names(label.into(), (0..names).map(|n| format!("choice number {n}")).collect())
    }

    /// Pixels from the left end of the figure to the right end of the marks of the first axis.
    fn room(layout: &Layout, axes: usize) -> f64 {
        let column = f64::from(layout.width - 2 * MARGIN) / axes as f64;
        f64::from(MARGIN + layout.before) + 0.3 * column
    }

    #[test]
    fn names_of_the_first_axis_have_room_and_are_told_apart() {
        let axes = [named("a", 30), named("b", 2), named("c", 100)];
        let layout = Layout::of(&axes);
        let texts: Vec<String> = axes[0].marks(layout.longest).into_iter().map(|(_, text)| text).collect();
        assert_eq!([&texts[0], &texts[17], &texts[29]], ["choice…ber 0", "choice…er 17", "choice…er 29"]);
        assert!(room(&layout, axes.len()) >= 7.0 * 12.0, "{} px", room(&layout, axes.len()));
        assert_eq!(axes[2].marks(layout.longest).len(), 25, "every fourth");
        let short = Layout::of(&[ParallelAxis::Numeric(Axis::unit("x")), named("b", 2)]);
        assert_eq!((short.before, short.is_staggered), (0, false));
    }

    #[test]
    fn labels_of_neighbours_do_not_touch() {
        for count in [2, 9, 14, 30] {
            let axes: Vec<_> =
                (0..count).map(|n| ParallelAxis::Numeric(Axis::unit(format!("parameter_{n}")))).collect();
            let layout = Layout::of(&axes);
            let column = f64::from(layout.width - 2 * MARGIN) / f64::from(count);
            let columns = if layout.is_staggered { 2.0 } else { 1.0 };
            let longest = layout.labels.iter().map(|label| label.chars().count()).max().unwrap();
            assert!(8.0 * longest as f64 <= columns * column, "{count}: {:?}", layout.labels);
        }
    }
}

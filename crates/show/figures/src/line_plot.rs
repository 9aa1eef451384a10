//! Line and scatter plots with bands.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::canvas::drawn;
use crate::legend::{self, LEGEND};
use crate::marks::Marks;
use crate::scale::{Scale, room};
use crate::{FigureError, Palette, Series};

/// A plot of series over one axis. Values that are not finite are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinePlot {
    /// Above the plot.
    pub title: String,
    /// Below the axis.
    pub x_label: String,
    /// Beside the axis.
    pub y_label: String,
    /// Logarithmic x; values below 1e-300 are drawn there.
    pub log_x: bool,
    /// Logarithmic y; values below 1e-300 are drawn there.
    pub log_y: bool,
    /// Names of the places 0, 1, … of x; a numeric axis if there are none.
    pub x_names: Vec<String>,
    /// Series in drawing order.
    pub series: Vec<Series>,
    /// Colours that are shared with other figures; further labels get colours of their own.
    pub palette: Palette,
}

/// Width of a plot, of its legend, and the height.
const SIZE: (u32, u32, u32) = (680, LEGEND, 480);

impl LinePlot {
    /// The plot with its legend, as SVG.
    ///
    /// # Errors
    /// [`FigureError`] when the drawing library fails.
    pub fn draw(&self) -> Result<String, FigureError> {
        let palette = self.colors();
        drawn(self.title.clone(), (SIZE.0 + SIZE.1, SIZE.2), |root| {
            let (plot, legend) = root.split_horizontally(SIZE.0);
            self.draw_chart(&plot, &palette)?;
            legend::draw(&legend, &self.series, |label| palette.color(label))
        })
    }

    /// Colours of the series.
    fn colors(&self) -> Palette {
        self.palette.with(self.series.iter().map(|series| series.label.as_str()))
    }

    /// Position at which a point is drawn: a logarithmic axis shows the logarithm, with powers of ten for labels.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        // The maximum with NaN is the other number: NaN must stay what is left out.
        let scale = |log: bool, v: f64| if log && !v.is_nan() { v.max(1e-300).log10() } else { v };
        (scale(self.log_x, x), scale(self.log_y, y))
    }

    /// Ranges of what is drawn, after [`LinePlot::place`].
    fn extent(&self) -> ((f64, f64), (f64, f64)) {
        let (mut x, mut y) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
        let mut stretch = |point: (f64, f64)| {
            let (px, py) = self.place(point);
            if px.is_finite() && py.is_finite() {
                x = (x.0.min(px), x.1.max(px));
                y = (y.0.min(py), y.1.max(py));
            }
        };
        for series in &self.series {
            series.points.iter().for_each(|&point| stretch(point));
            for &(px, low, high) in series.band.iter().chain(&series.bars) {
                stretch((px, low));
                stretch((px, high));
            }
        }
        if !self.x_names.is_empty() {
            x = (-0.5, self.x_names.len() as f64 - 0.5);
        }
        (wide(x), wide(y))
    }

    /// The extent with room around what is drawn: a dot at an end of the axis is drawn whole.
    fn frame(&self) -> ((f64, f64), (f64, f64)) {
        let (x, y) = self.extent();
        let has_dots = self.series.iter().any(|series| series.dots);
        let beside = if has_dots { 0.02 * (x.1 - x.0) } else { 0.0 };
        let above = 0.04 * (y.1 - y.0);
        ((x.0 - beside, x.1 + beside), (y.0 - above, y.1 + above))
    }

    /// Marks of both axes for a width and a height in pixels.
    fn marks(&self, x: (f64, f64), y: (f64, f64), (width, height): (u32, u32)) -> (Marks, Marks) {
        let of = |(low, high): (f64, f64), log: bool, most: usize| {
            if log { Marks::log(low, high, most) } else { Marks::linear(low, high, most) }
        };
        let across = if self.x_names.is_empty() {
            of(x, self.log_x, room(width, 55))
        } else {
            named(&self.x_names, width as usize)
        };
        (across, of(y, self.log_y, room(height, 36)))
    }

    pub(crate) fn draw_chart<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        palette: &Palette,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        let (x, y) = self.frame();
        let (x_marks, y_marks) = self.marks(x, y, area.dim_in_pixel());
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(Scale::new(x.0..x.1, &x_marks), Scale::new(y.0..y.1, &y_marks))?;
        chart
            .configure_mesh()
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_label_formatter(&|place| x_marks.label(*place))
            .y_label_formatter(&|place| y_marks.label(*place))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(230, 230, 230))
            .draw()?;
        let mut color = palette.color("");
        for series in &self.series {
            if !series.label.is_empty() {
                color = palette.color(&series.label);
            }
            let finite = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
            let whole = |intervals: &[(f64, f64, f64)]| -> Vec<[(f64, f64); 2]> {
                let ends = intervals.iter().map(|b| [self.place((b.0, b.1)), self.place((b.0, b.2))]);
                ends.filter(|ends| ends.iter().all(finite)).collect()
            };
            let band = whole(&series.band);
            if !band.is_empty() {
                let upper = band.iter().map(|ends| ends[1]);
                let outline: Vec<(f64, f64)> = upper.chain(band.iter().rev().map(|ends| ends[0])).collect();
                chart.draw_series(std::iter::once(Polygon::new(outline, color.mix(0.15))))?;
            }
            let bars = whole(&series.bars);
            chart.draw_series(bars.into_iter().map(|ends| PathElement::new(ends, color.mix(0.5))))?;
            let points: Vec<(f64, f64)> =
                series.points.iter().map(|&point| self.place(point)).filter(finite).collect();
            if series.dots {
                let radius = if points.len() > 150 { 3 } else { 4 };
                chart.draw_series(points.into_iter().map(|p| Circle::new(p, radius, color.filled())))?;
            } else {
                chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
            }
        }
        Ok(())
    }
}

/// Marks of names in a width in pixels: of all, or of every k-th where not all have room.
fn named(names: &[String], width: usize) -> Marks {
    /// Width of a character, in pixels.
    const CHARACTER: usize = 8;
    /// Characters that a name needs at least, and those that it gets where others are left out.
    const FEWEST: (usize, usize) = (3, 6);
    /// Pixels beside the axis: its margins and the labels of the other one.
    const BESIDE: usize = 96;
    let longest = width / names.len() / CHARACTER;
    if longest >= FEWEST.0 {
        return Marks::names(names, longest);
    }
    let axis = width.saturating_sub(BESIDE).max(1);
    let every = ((FEWEST.1 + 1) * CHARACTER * names.len()).div_ceil(axis);
    Marks::names(names, FEWEST.1).every(every)
}

/// A range of positive width that holds a range; the unit interval for none.
fn wide((low, high): (f64, f64)) -> (f64, f64) {
    if low < high {
        (low, high)
    } else if low.is_infinite() {
        (0.0, 1.0)
    } else {
        (low - 0.5 - low.abs() * 1e-6, low + 0.5 + low.abs() * 1e-6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_has_no_place_on_a_logarithmic_axis_either() {
        let plot = LinePlot { log_x: true, log_y: true, ..LinePlot::default() };
        assert!(plot.place((1.0, f64::NAN)).1.is_nan());
        assert_eq!(plot.place((100.0, 0.0)), (2.0, -300.0));
        let series = vec![Series::line("", vec![(1.0, 10.0), (10.0, f64::NAN), (100.0, 1000.0)])];
        assert_eq!(LinePlot { series, ..plot }.extent(), ((0.0, 2.0), (1.0, 3.0)));
    }

    /// The margins are 2 % and 4 % of the range, however small it is.
    #[test]
    fn margins_are_shares_of_the_range() {
        for scale in [1e-300, 1e-12, 1.0, 1e12] {
            let series = vec![Series::dots("", vec![(0.0, 0.0), (scale, scale)])];
            let (x, y) = LinePlot { series, ..LinePlot::default() }.frame();
            let shares = [x.0, x.1, y.0, y.1].map(|end| end / scale);
            for (share, expected) in shares.into_iter().zip([-0.02, 1.02, -0.04, 1.04]) {
                assert!((share - expected).abs() < 1e-12, "{scale:e}: {shares:?}");
            }
        }
    }

    /// Labels are no longer than the distance of their places.
    #[test]
    fn names_have_room() {
        for count in [1, 2, 10, 15, 30, 300] {
            let names: Vec<String> = (0..count).map(|n| format!("choice number {n}")).collect();
            let marks = named(&names, 360);
            let longest = marks.iter().map(|(_, label)| label.chars().count()).max().unwrap();
            let places: Vec<f64> = marks.places().collect();
            let every = places.get(1).map_or(f64::from(count), |second| second - places[0]);
            let width = if places.len() < names.len() { 360.0 - 96.0 } else { 360.0 };
            assert!(8.0 * longest as f64 <= width / f64::from(count) * every, "{count}: {longest}");
        }
    }

    #[test]
    fn named_places_stand_within_the_axis() {
        let x_names = vec!["a".into(), "b".into(), "c".into()];
        let series = vec![Series::dots("", vec![(1.0, 2.0)])];
        let plot = LinePlot { x_names, series, ..LinePlot::default() };
        assert_eq!(plot.extent().0, (-0.5, 2.5));
    }
}

//! Line and scatter plots with bands.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::FigureError;
use crate::color;
use crate::scale::{Scale, tick};

/// A line or a cloud of dots, with a band or error bars where there are any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Label in the legend; an empty label has no entry.
    pub label: String,
    /// x and y.
    pub points: Vec<(f64, f64)>,
    /// x, low, high: shaded between.
    pub band: Vec<(f64, f64, f64)>,
    /// x, low, high: a vertical bar each.
    pub bars: Vec<(f64, f64, f64)>,
    /// Draw dots instead of a line.
    pub dots: bool,
}

impl Series {
    /// A line.
    #[must_use]
    pub fn line(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, ..Self::default() }
    }

    /// A cloud of dots.
    #[must_use]
    pub fn dots(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, dots: true, ..Self::default() }
    }
}

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
    /// Series in drawing order.
    pub series: Vec<Series>,
}

/// Width of a legend.
pub(crate) const LEGEND: u32 = 220;

/// Width of a plot, of its legend, and the height.
const SIZE: (u32, u32, u32) = (680, LEGEND, 480);

impl LinePlot {
    /// The plot with its legend, as SVG.
    ///
    /// # Errors
    /// [`FigureError`] when the drawing library fails.
    pub fn draw(&self) -> Result<String, FigureError> {
        let mut svg = String::new();
        let draw = |svg: &mut String| -> Result<(), Box<dyn std::error::Error>> {
            let root = SVGBackend::with_string(svg, (SIZE.0 + SIZE.1, SIZE.2)).into_drawing_area();
            root.fill(&WHITE)?;
            let (plot, legend) = root.split_horizontally(SIZE.0);
            self.draw_chart(&plot)?;
            self.draw_legend(&legend)?;
            root.present()?;
            Ok(())
        };
        draw(&mut svg)
            .map_err(|error| FigureError { title: self.title.clone(), message: error.to_string() })?;
        Ok(svg)
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
        let wide = |(low, high): (f64, f64)| {
            if low < high {
                (low, high)
            } else {
                (low - 0.5 - low.abs() * 1e-6, low + 0.5 + low.abs() * 1e-6)
            }
        };
        if x.0.is_infinite() { ((0.0, 1.0), (0.0, 1.0)) } else { (wide(x), wide(y)) }
    }

    pub(crate) fn draw_chart<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        let (x, y) = self.extent();
        let margin = 0.04 * (y.1 - y.0).max(1e-9);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(66)
            .build_cartesian_2d(
                Scale::new(x.0..x.1, self.log_x),
                Scale::new((y.0 - margin)..(y.1 + margin), self.log_y),
            )?;
        // A mark at 0 may be off by the rounding of the step.
        let label = |log: bool, (low, high): (f64, f64)| {
            let near = 1e-9 * (high - low);
            move |v: &f64| {
                let value = if log { 10_f64.powf(*v) } else { *v };
                tick(if !log && value.abs() < near { 0.0 } else { value })
            }
        };
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .y_label_formatter(&label(self.log_y, y))
            .x_label_formatter(&label(self.log_x, x))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(230, 230, 230))
            .draw()?;
        for (at, series) in self.series.iter().enumerate() {
            let color = color::nth(at);
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
                chart.draw_series(points.into_iter().map(|p| Circle::new(p, 4, color.filled())))?;
            } else {
                chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
            }
        }
        Ok(())
    }

    pub(crate) fn draw_legend<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        let labelled = self.series.iter().enumerate().filter(|(_, series)| !series.label.is_empty());
        let mut top = 48;
        for (at, series) in labelled {
            let color = color::nth(at);
            if series.dots {
                area.draw(&Circle::new((14, top), 4, color.filled()))?;
            } else {
                area.draw(&PathElement::new(vec![(4, top), (26, top)], color.stroke_width(2)))?;
            }
            let style = ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
            for (line, text) in wrapped(&series.label).into_iter().enumerate() {
                top += if line > 0 { 17 } else { 0 };
                area.draw(&Text::new(text, (34, top), style.clone()))?;
            }
            top += 22;
        }
        Ok(())
    }
}

/// Lines of a label that fit into a legend, broken between words. A longer word keeps a line of its own.
fn wrapped(label: &str) -> Vec<String> {
    /// Characters of 14 pixels height that fit beside the mark.
    const LINE: usize = 26;
    let mut lines: Vec<String> = Vec::new();
    for word in label.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_wrapped_between_words() {
        assert_eq!(wrapped("posterior mean"), ["posterior mean"]);
        assert_eq!(wrapped("exactly twenty-six letters"), ["exactly twenty-six letters"]);
        assert_eq!(
            wrapped("posterior mean ± 2 standard deviations"),
            ["posterior mean ± 2", "standard deviations"]
        );
        let word = "a".repeat(40);
        assert_eq!(wrapped(&format!("of {word} b")), ["of", &word, "b"]);
    }

    #[test]
    fn nan_has_no_place_on_a_logarithmic_axis_either() {
        let plot = LinePlot { log_x: true, log_y: true, ..LinePlot::default() };
        assert!(plot.place((1.0, f64::NAN)).1.is_nan());
        assert_eq!(plot.place((100.0, 0.0)), (2.0, -300.0));
        let series = vec![Series::line("", vec![(1.0, 10.0), (10.0, f64::NAN), (100.0, 1000.0)])];
        assert_eq!(LinePlot { series, ..plot }.extent(), ((0.0, 2.0), (1.0, 3.0)));
    }
}

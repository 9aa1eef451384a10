use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Figure;
use crate::error::ExperimentError;

/// A line, a cloud of dots, a band, or a line with a band.
#[derive(Debug, Clone, Default)]
pub struct Series {
    pub label: String,
    pub points: Vec<(f64, f64)>,
    /// x, low, high.
    pub band: Vec<(f64, f64, f64)>,
    /// Draw dots instead of a line.
    pub dots: bool,
}

/// A plot of lines over one axis.
#[derive(Debug, Clone)]
pub struct LinePlot {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub log_x: bool,
    pub log_y: bool,
    pub series: Vec<Series>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Pixels that the legend takes on the right.
const LEGEND: u32 = 220;

/// Colours that stay apart for most eyes. Source: Okabe & Ito (2008), and darker ones after them.
const COLOURS: [RGBColor; 12] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
    RGBColor(120, 60, 20),
    RGBColor(110, 40, 140),
    RGBColor(160, 160, 0),
    RGBColor(0, 60, 60),
    RGBColor(200, 30, 60),
];

impl LinePlot {
    /// Draws the plot as SVG.
    pub fn draw(&self, name: &str, caption: &str) -> Result<Figure, ExperimentError> {
        let mut svg = String::new();
        on_canvas(&mut svg, (900, 480), |root| self.draw_on(root))
            .map_err(|error| ExperimentError::Figure { name: name.into(), message: error.to_string() })?;
        Ok(Figure { name: name.into(), caption: caption.into(), svg })
    }

    fn extent(&self) -> ((f64, f64), (f64, f64)) {
        let (mut x, mut y) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
        let mut stretch = |px: f64, py: f64| {
            if px.is_finite() && py.is_finite() {
                x = (x.0.min(px), x.1.max(px));
                y = (y.0.min(py), y.1.max(py));
            }
        };
        for series in &self.series {
            series.points.iter().for_each(|&(px, py)| stretch(px, py));
            series.band.iter().for_each(|&(px, low, high)| {
                stretch(px, low);
                stretch(px, high);
            });
        }
        let wide = |(low, high): (f64, f64)| if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
        if x.0.is_infinite() { ((0.0, 1.0), (0.0, 1.0)) } else { (wide(x), wide(y)) }
    }

    fn draw_on(&self, root: &Area<'_>) -> Drawn {
        // A logarithmic axis is drawn as the logarithm, labelled with what it is of.
        let log = |v: f64| v.max(1e-300).log10();
        let scale_x = |v: f64| if self.log_x { log(v) } else { v };
        let scale = |v: f64| if self.log_y { log(v) } else { v };
        let (raw_x, raw) = self.extent();
        let x = (scale_x(raw_x.0), scale_x(raw_x.1));
        let y = (scale(raw.0), scale(raw.1));
        let margin = 0.04 * (y.1 - y.0).max(1e-9);
        let (plot, legend) = root.split_horizontally(root.dim_in_pixel().0 - LEGEND);
        let mut chart = ChartBuilder::on(&plot)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(66)
            .build_cartesian_2d(
                Axis::new(x.0, x.1, self.log_x),
                Axis::new(y.0 - margin, y.1 + margin, self.log_y),
            )?;
        let label = |v: &f64| tick(if self.log_y { 10_f64.powf(*v) } else { *v });
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .y_label_formatter(&label)
            .x_label_formatter(&|v| tick(if self.log_x { 10_f64.powf(*v) } else { *v }))
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(230, 230, 230))
            .draw()?;
        for (at, series) in self.series.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            let finite = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
            if !series.band.is_empty() {
                let whole = || series.band.iter().filter(|b| b.1.is_finite() && b.2.is_finite());
                let upper = whole().map(|b| (scale_x(b.0), scale(b.2)));
                let lower = whole().rev().map(|b| (scale_x(b.0), scale(b.1)));
                let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
                chart.draw_series(std::iter::once(Polygon::new(outline, colour.mix(0.15))))?;
            }
            let points: Vec<(f64, f64)> =
                series.points.iter().filter(finite).map(|p| (scale_x(p.0), scale(p.1))).collect();
            if series.dots {
                chart.draw_series(points.into_iter().map(|p| Circle::new(p, 4, colour.filled())))?;
            } else {
                chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
            }
            let top = 48 + 22 * at as i32;
            if series.dots {
                legend.draw(&Circle::new((14, top), 4, colour.filled()))?;
            } else {
                legend.draw(&PathElement::new(vec![(4, top), (26, top)], colour.stroke_width(2)))?;
            }
            let style = ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
            legend.draw(&Text::new(series.label.clone(), (34, top), style))?;
        }
        Ok(())
    }
}

/// Draws plots as one SVG, two a row.
pub fn panels(plots: &[LinePlot], name: &str, caption: &str) -> Result<Figure, ExperimentError> {
    let mut svg = String::new();
    let rows = plots.len().div_ceil(2).max(1);
    let draw = |root: &Area<'_>| -> Drawn {
        for (plot, area) in plots.iter().zip(root.split_evenly((rows, 2))) {
            plot.draw_on(&area)?;
        }
        Ok(())
    };
    on_canvas(&mut svg, (1500, 420 * rows as u32), draw)
        .map_err(|error| ExperimentError::Figure { name: name.into(), message: error.to_string() })?;
    Ok(Figure { name: name.into(), caption: caption.into(), svg })
}

/// Opens a white canvas of a size, draws, and writes it out.
fn on_canvas(svg: &mut String, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Drawn {
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    draw(&root)?;
    root.present()?;
    Ok(())
}

/// An axis; a logarithmic one has its marks at round numbers and not at round logarithms.
struct Axis {
    range: RangedCoordf64,
    log: bool,
}

impl Axis {
    fn new(low: f64, high: f64, log: bool) -> Self {
        Self { range: (low..high).into(), log }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let range = self.range();
        if self.log { round_logs(range.start, range.end) } else { self.range.key_points(hint) }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.range()
    }
}

/// Logarithms between two of powers of ten; of 1, 2 and 5 times these too if there are few.
fn round_logs(low: f64, high: f64) -> Vec<f64> {
    let step = ((high - low) / 12.0).ceil().max(1.0) as usize;
    let decades = (low.floor() as i32..=high.ceil() as i32).step_by(step).map(f64::from);
    let within: &[f64] = if high - low < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let marks = decades.flat_map(|decade| within.iter().map(move |digit: &f64| decade + digit.log10()));
    // The ends may be off by a rounding error.
    marks.filter(|mark| (low - 1e-9..=high + 1e-9).contains(mark)).collect()
}

/// A number as axes show it: three significant digits, no trailing zeros.
fn tick(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded:e}")
    } else {
        format!("{rounded}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_logarithmic_axis_are_round_numbers() {
        let marks = |low: f64, high: f64| -> Vec<String> {
            round_logs(low.log10(), high.log10()).iter().map(|v| tick(10_f64.powf(*v))).collect()
        };
        assert_eq!(marks(25.0, 1000.0), ["50", "100", "200", "500", "1000"]);
        assert_eq!(marks(0.005, 200.0), ["0.01", "0.1", "1", "10", "100"]);
    }
}

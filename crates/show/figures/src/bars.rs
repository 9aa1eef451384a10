//! Horizontal bars with names.

use plotters::prelude::*;

use crate::canvas::drawn;
use crate::legend::{self, LEGEND};
use crate::marks::{Marks, shortened, tick};
use crate::scale::{Scale, room};
use crate::{FigureError, Palette, Series};

/// Bars of one colour: a value per name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BarSeries {
    /// Label in the legend, which chooses the colour.
    pub label: String,
    /// A value per name; without a bar where it is not finite.
    pub values: Vec<f64>,
    /// Half the length of the error bar per name, which ends at 0; no error bars if empty.
    pub spread: Vec<f64>,
}

/// Horizontal bars: a group per name from top to bottom, in it a bar per series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BarChart {
    /// Above the chart.
    pub title: String,
    /// Below the axis.
    pub x_label: String,
    /// Name per group.
    pub names: Vec<String>,
    /// Series in drawing order.
    pub series: Vec<BarSeries>,
    /// Colours that are shared with other figures.
    pub palette: Palette,
}

/// Characters of a name beside its bars.
const NAME: usize = 20;

impl BarChart {
    /// The chart with its legend, as SVG.
    ///
    /// # Errors
    /// [`FigureError`] when a series has not a value per name, or the drawing library fails.
    pub fn draw(&self) -> Result<String, FigureError> {
        let groups = self.names.len();
        let fits = |series: &BarSeries| {
            series.values.len() == groups && (series.spread.is_empty() || series.spread.len() == groups)
        };
        if let Some(series) = self.series.iter().find(|series| !fits(series)) {
            let message = format!("{} values of {} for {groups} names", series.values.len(), series.label);
            return Err(FigureError { title: self.title.clone(), message });
        }
        let palette = self.palette.with(self.series.iter().map(|series| series.label.as_str()));
        let height = 110 + (26 * self.series.len().max(1) as u32 + 10) * groups.max(1) as u32;
        drawn(self.title.clone(), (680 + LEGEND, height.max(200)), |root| {
            let (left, right) = root.split_horizontally(680);
            self.draw_bars(&left, &palette)?;
            let entries: Vec<Series> =
                self.series.iter().map(|series| Series::line(&series.label, Vec::new())).collect();
            legend::draw(&right, &entries, |label| palette.color(label))
        })
    }

    /// Range from the smallest end of a bar to the largest, 0 included.
    fn extent(&self) -> (f64, f64) {
        let ends = self.series.iter().flat_map(|series| {
            let spread = series.spread.iter().copied().chain(std::iter::repeat(0.0));
            series.values.iter().zip(spread).flat_map(|(value, spread)| whisker(*value, spread))
        });
        let (low, high) = ends
            .filter(|end| end.is_finite())
            .fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        if low < high { (low, high) } else { (0.0, 1.0) }
    }

    fn draw_bars(
        &self,
        area: &crate::canvas::Root<'_>,
        palette: &Palette,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (low, high) = self.extent();
        // Room for the number beside the longest bar.
        let ends = (low, high + 0.12 * (high - low));
        let marks = Marks::linear(ends.0, ends.1, room(area.dim_in_pixel().0, 70));
        let groups = self.names.len().max(1) as f64;
        // The first name stands at the top.
        let names: Vec<String> = self.names.iter().rev().cloned().collect();
        let named = Marks::names(&names, NAME);
        let longest = self.names.iter().map(|name| shortened(name, NAME).chars().count()).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(24 + 8 * longest as u32)
            .build_cartesian_2d(Scale::new(ends.0..ends.1, &marks), Scale::new(-0.5..groups - 0.5, &named))?;
        chart
            .configure_mesh()
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_desc(&self.x_label)
            .x_label_formatter(&|place| marks.label(*place))
            .y_label_formatter(&|place| named.label(*place))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(230, 230, 230))
            .draw()?;
        let width = 0.8 / self.series.len().max(1) as f64;
        for (at, series) in self.series.iter().enumerate() {
            let color = palette.color(&series.label);
            for (group, value) in series.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                let top = groups - 1.0 - group as f64 + 0.4 - at as f64 * width;
                let middle = top - 0.5 * width;
                let bar = [(0.0, top - 0.05 * width), (*value, top - 0.95 * width)];
                chart.draw_series(std::iter::once(Rectangle::new(bar, color.mix(0.75).filled())))?;
                let spread = series.spread.get(group).copied().unwrap_or(0.0);
                if spread > 0.0 && spread.is_finite() {
                    let [low, high] = whisker(*value, spread);
                    let ends = vec![(low, middle), (high, middle)];
                    chart.draw_series(std::iter::once(PathElement::new(ends, BLACK)))?;
                }
                let beside = value.max(0.0) + spread.max(0.0) + 0.01 * (high - low);
                let style = ("sans-serif", 12).into_font().color(&BLACK);
                let style = style.pos(plotters::style::text_anchor::Pos::new(
                    plotters::style::text_anchor::HPos::Left,
                    plotters::style::text_anchor::VPos::Center,
                ));
                chart.draw_series(std::iter::once(Text::new(tick(*value), (beside, middle), style)))?;
            }
        }
        Ok(())
    }
}

/// Ends of an error bar, which does not cross 0.
fn whisker(value: f64, spread: f64) -> [f64; 2] {
    let (low, high) = (value - spread, value + spread);
    if value < 0.0 { [low, high.min(0.0)] } else { [low.max(0.0), high] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_bars_end_at_zero_on_either_side() {
        for (value, spread, ends) in [
            (3.0, 1.0, [2.0, 4.0]),
            (3.0, 5.0, [0.0, 8.0]),
            (-3.0, 1.0, [-4.0, -2.0]),
            (-3.0, 5.0, [-8.0, 0.0]),
            (0.0, 1.0, [0.0, 1.0]),
        ] {
            assert_eq!(whisker(value, spread), ends, "{value} ± {spread}");
        }
    }
}

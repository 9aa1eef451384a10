//! Colour bars beside maps.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::color::SHADES;
use crate::marks::Marks;
use crate::scale::{Scale, room};

/// Width of a colour bar with its marks.
pub(crate) const WIDTH: u32 = 86;

/// Draws the colours of a range of values by their share of it, with marks to their right.
pub(crate) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (low, high): (f64, f64),
    label: &str,
    color: impl Fn(f64) -> RGBColor,
) -> Result<(), Box<dyn std::error::Error>>
where
    B::ErrorType: 'static,
{
    // A map of one value has one shade, and its mark in the middle.
    let half = if high > low { 0.0 } else { 0.5 * (1e-6 * low.abs()).max(1e-12) };
    let (bottom, top) = (low - half, high + half);
    let marks = if half > 0.0 {
        Marks::value(low)
    } else {
        Marks::linear(low, high, room(area.dim_in_pixel().1, 36))
    };
    let mut chart = ChartBuilder::on(area)
        .caption(" ", ("sans-serif", 16))
        .margin_top(12)
        .margin_bottom(12)
        .x_label_area_size(42)
        .right_y_label_area_size(64)
        .build_cartesian_2d(0.0..1.0, Scale::new(bottom..top, &marks))?
        .set_secondary_coord(0.0..1.0, Scale::new(bottom..top, &marks));
    chart
        .configure_secondary_axes()
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 13))
        .y_desc(label)
        .y_label_formatter(&|value| marks.label(*value))
        .draw()?;
    let steps = if half > 0.0 { 1 } else { SHADES };
    let edge = |step: usize| bottom + (top - bottom) * step as f64 / steps as f64;
    chart.draw_series((0..steps).map(|step| {
        let share = if steps == 1 { 0.0 } else { step as f64 / (steps - 1) as f64 };
        Rectangle::new([(0.0, edge(step)), (1.0, edge(step + 1))], color(share).filled())
    }))?;
    Ok(())
}

//! Color palette and color scale.

use plotters::style::RGBColor;

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

/// The colour of the n-th series.
pub(crate) fn nth(n: usize) -> RGBColor {
    COLOURS[n % COLOURS.len()]
}

/// From white (0) to dark blue (1): lightness falls evenly, so that it reads in grey too.
pub(crate) fn shade(share: f64) -> RGBColor {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let between = |from: f64, to: f64| (from + share * (to - from)).round() as u8;
    RGBColor(between(250.0, 8.0), between(250.0, 69.0), between(245.0, 148.0))
}

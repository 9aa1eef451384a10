//! Colours of series and the scale of colours of maps.

use plotters::style::RGBColor;

/// Colours that stay apart for most eyes. Source: Okabe & Ito (2008), and darker ones after them.
pub(crate) const COLOURS: [RGBColor; 12] = [
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

/// Number of colours, the first ones, that stand out most.
pub(crate) const BRIGHT: usize = 7;

/// The n-th colour.
pub(crate) fn nth(n: usize) -> RGBColor {
    COLOURS[n % COLOURS.len()]
}

/// Number of shades that a map has.
pub(crate) const SHADES: usize = 64;

/// One of [`SHADES`] from white (0) to dark blue (1): lightness falls evenly, so that it reads in grey too.
pub(crate) fn shade(share: f64) -> RGBColor {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let share = (share * (SHADES - 1) as f64).round() / (SHADES - 1) as f64;
    let between = |from: f64, to: f64| (from + share * (to - from)).round() as u8;
    RGBColor(between(250.0, 8.0), between(250.0, 69.0), between(245.0, 148.0))
}

/// One of the shades for a line on white: dark for small values (0), and never too light to be seen.
pub(crate) fn line_shade(share: f64) -> RGBColor {
    shade(0.15 + 0.85 * (1.0 - share))
}

/// Black or white, whichever is legible on a shade.
pub(crate) fn ink(share: f64) -> RGBColor {
    if share > 0.55 { RGBColor(255, 255, 255) } else { RGBColor(0, 0, 0) }
}

/// Place of a value in a range, from 0 to 1; 0 in a range of one value.
pub(crate) fn share(value: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { (value - low) / (high - low) } else { 0.0 }
}

/// Smallest and largest of the finite values; none without any.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

//! Figures as SVG text.

use plotters::prelude::*;

use crate::FigureError;

/// Area of a whole figure.
pub(crate) type Root<'s> = DrawingArea<SVGBackend<'s>, plotters::coord::Shift>;

/// A figure of a given size in pixels, on white.
pub(crate) fn drawn(
    title: String,
    size: (u32, u32),
    draw: impl FnOnce(&Root<'_>) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<String, FigureError> {
    let mut svg = String::new();
    let whole = |svg: &mut String| -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        root.present()?;
        Ok(())
    };
    whole(&mut svg).map_err(|error| FigureError { title, message: error.to_string() })?;
    Ok(svg)
}

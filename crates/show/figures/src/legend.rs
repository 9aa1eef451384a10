//! Legends beside plots.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Series;

/// Width of a legend.
pub(crate) const LEGEND: u32 = 220;

/// Draws the mark and the label of every labelled series.
pub(crate) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    series: &[Series],
    color: impl Fn(&str) -> RGBColor,
) -> Result<(), Box<dyn std::error::Error>>
where
    B::ErrorType: 'static,
{
    let mut top = 48;
    for series in series.iter().filter(|series| !series.label.is_empty()) {
        let color = color(&series.label);
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
}

//! Scales of plot axes.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

use crate::marks::Marks;

/// Scale of a plot axis with tick marks of our own choice.
pub(crate) struct Scale {
    range: RangedCoordf64,
    marks: Marks,
}

impl Scale {
    /// A scale from one end to the other, in the coordinates of the marks.
    pub(crate) fn new(ends: Range<f64>, marks: &Marks) -> Self {
        Self { range: ends.into(), marks: marks.clone() }
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let Range { start, end } = self.range();
        let near = 1e-9 * (end - start);
        self.marks.places().filter(|place| (start - near..=end + near).contains(place)).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

/// Number of marks that fit along a number of pixels.
pub(crate) fn room(pixels: u32, each: u32) -> usize {
    (pixels.saturating_sub(90) / each).clamp(3, 10) as usize
}

//! Scales and tick marks of plot axes.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

/// Scale of a plot axis: linear, or logarithmic with tick marks at round numbers instead of round logarithms.
pub(crate) struct Scale {
    range: RangedCoordf64,
    log: bool,
}

impl Scale {
    /// From one end to the other; of logarithms to base ten if `log`.
    pub(crate) fn new(ends: Range<f64>, log: bool) -> Self {
        Self { range: ends.into(), log }
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let range = self.range();
        let round = if self.log { round_logs(range.start, range.end) } else { Vec::new() };
        // A short stretch may have no round number in it.
        if round.len() < 2 { self.range.key_points(hint) } else { round }
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

/// Logarithms between two of powers of ten; of 2 and 5 times these too if there are few.
fn round_logs(low: f64, high: f64) -> Vec<f64> {
    let step = ((high - low) / 12.0).ceil().max(1.0) as usize;
    let decades = (low.floor() as i32..=high.ceil() as i32).step_by(step).map(f64::from);
    let within: &[f64] = if high - low < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let marks = decades.flat_map(|decade| within.iter().map(move |digit: &f64| decade + digit.log10()));
    // The ends may be off by a rounding error; beyond 10³⁰⁸ there is no number to write.
    marks.filter(|mark| (low - 1e-9..=high + 1e-9).contains(mark) && mark.abs() <= 308.0).collect()
}

/// A number as axes show it: three significant digits, no trailing zeros.
pub(crate) fn tick(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded:e}")
    } else {
        format!("{rounded}")
    }
}

#[cfg(test)]
mod tests {
    use plotters::coord::ranged1d::BoldPoints;

    use super::*;

    fn marks(low: f64, high: f64) -> Vec<String> {
        let scale = Scale::new(low.log10()..high.log10(), true);
        scale.key_points(BoldPoints(10)).iter().map(|v| tick(10_f64.powf(*v))).collect()
    }

    #[test]
    fn marks_of_a_logarithmic_scale_are_round_numbers() {
        assert_eq!(marks(25.0, 1000.0), ["50", "100", "200", "500", "1000"]);
        assert_eq!(marks(0.005, 200.0), ["0.01", "0.1", "1", "10", "100"]);
    }

    #[test]
    fn three_decades_are_marked_by_powers_of_ten_and_fewer_by_their_doubles_too() {
        assert_eq!(round_logs(0.0, 3.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(round_logs(0.0, 2.5).len(), 8, "1, 2, 5, 10, 20, 50, 100, 200");
        assert_eq!(round_logs(0.0, 24.0).len(), 13, "every second power");
    }

    #[test]
    fn a_stretch_without_round_numbers_is_marked_all_the_same() {
        assert!(marks(11.0, 19.0).len() > 2);
    }
}

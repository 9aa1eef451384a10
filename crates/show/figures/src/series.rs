//! Series of line plots.

/// A line or a cloud of dots, with a band or error bars where there are any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Label in the legend, which chooses the colour too. A series with an empty label has no entry, and the colour of the
    /// series before it.
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

    /// Empirical distribution function: the share of the values at or below each. Values that are not finite are left out.
    #[must_use]
    pub fn distribution(label: impl Into<String>, values: &[f64]) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let share = |count: usize| count as f64 / sorted.len() as f64;
        let steps = sorted.iter().enumerate().flat_map(|(i, v)| [(*v, share(i)), (*v, share(i + 1))]);
        Self::line(label, steps.collect())
    }
}

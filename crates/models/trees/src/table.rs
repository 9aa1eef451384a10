//! Binned feature tables.

use crate::{FeatureDistribution, TreesError};
use thrifty_check::{InputError, number};

/// Rows of features, each feature cut into bins.
///
/// A feature with no more values than bins has a bin a value; otherwise bins hold about the same number of rows.
#[derive(Debug, Clone)]
pub struct Table {
    columns: usize,
    rows: usize,
    /// A feature after the other: the bin of every row.
    codes: Vec<u16>,
    bins: Bins,
}

/// Borders between the bins of every feature: `x <= borders[c]` is to be in bin c or below.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Bins(Vec<Vec<f32>>);

impl Bins {
    pub(crate) fn columns(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn borders(&self, column: usize) -> &[f32] {
        &self.0[column]
    }

    /// The largest number of bins of a feature.
    pub(crate) fn most(&self) -> usize {
        self.0.iter().map(|borders| borders.len() + 1).max().unwrap_or(1)
    }

    /// Probability of every bin of a column; nothing for a distribution without probability.
    pub(crate) fn probabilities(&self, column: usize, feature: &FeatureDistribution) -> Option<Vec<f64>> {
        let borders = self.0.get(column)?;
        let mut weights = vec![0.0; borders.len() + 1];
        match feature {
            FeatureDistribution::Uniform { low, high } => {
                let (low, high) = (f64::from(*low), f64::from(*high));
                if !(low < high && low.is_finite() && high.is_finite()) {
                    return None;
                }
                let share = |x: f64| ((x - low) / (high - low)).clamp(0.0, 1.0);
                let ends = borders.iter().map(|border| share(f64::from(*border))).chain([1.0]);
                let mut from = 0.0;
                for (weight, to) in weights.iter_mut().zip(ends) {
                    (*weight, from) = (to - from, to);
                }
            }
            FeatureDistribution::Values(values) => {
                if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
                    return None;
                }
                for value in values {
                    weights[usize::from(bin(borders, *value))] += 1.0 / values.len() as f64;
                }
            }
        }
        Some(weights)
    }

    /// Checks that there are features, each with rising borders; files are not trusted.
    pub(crate) fn check(&self) -> Result<(), TreesError> {
        let rising = |borders: &Vec<f32>| {
            let fits = u16::try_from(borders.len()).is_ok();
            fits && borders.iter().all(|b| b.is_finite()) && borders.windows(2).all(|pair| pair[0] < pair[1])
        };
        match self.0.iter().position(|borders| !rising(borders)) {
            Some(feature) => Err(TreesError::Borders { feature }),
            None if self.0.is_empty() => Err(TreesError::Borders { feature: 0 }),
            None => Ok(()),
        }
    }

    /// Appends the bins of row-major features.
    pub(crate) fn code(&self, rows: &[f32], codes: &mut Vec<u16>) {
        for row in rows.chunks_exact(self.columns()) {
            codes.extend(row.iter().zip(&self.0).map(|(x, own)| bin(own, *x)));
        }
    }
}

/// Bin of a value; the first for what is not a number.
pub(crate) fn bin(borders: &[f32], x: f32) -> u16 {
    borders.partition_point(|border| *border < x) as u16
}

impl Table {
    /// Bins row-major features into at most `bins` bins per feature.
    ///
    /// # Errors
    /// [`TreesError`] for numbers that are not finite, rows of different lengths, no rows, more than 65,536 columns, or fewer than 2 or more than 65,536 bins.
    #[allow(clippy::needless_pass_by_value)] // tables are large: a caller should not keep the rows without meaning to
    pub fn new(features: Vec<f32>, columns: usize, bins: usize) -> Result<Self, TreesError> {
        number("bins", bins as f64, (2..=1 << 16).contains(&bins), "2 to 65536")?;
        // Trees count features in 16 bits.
        number("columns", columns as f64, columns <= 1 << 16, "at most 65536")?;
        if columns == 0 || features.is_empty() || !features.len().is_multiple_of(columns) {
            let found = features.len();
            return Err(InputError::Length { name: "features", found, expected: columns.max(1) }.into());
        }
        if let Some(at) = features.iter().position(|x| !x.is_finite()) {
            let (row, column, value) = (at / columns, at % columns, features[at]);
            return Err(TreesError::Feature { row, column, value });
        }
        let rows = features.len() / columns;
        let (mut codes, mut borders) = (Vec::with_capacity(features.len()), Vec::with_capacity(columns));
        let mut sorted = Vec::with_capacity(rows);
        for column in 0..columns {
            let values = || features[column..].iter().step_by(columns).copied();
            sorted.clear();
            sorted.extend(values());
            sorted.sort_unstable_by(f32::total_cmp);
            let own = cut(&sorted, bins);
            codes.extend(values().map(|x| bin(&own, x)));
            borders.push(own);
        }
        Ok(Self { columns, rows, codes, bins: Bins(borders) })
    }

    /// Number of rows, at least 1.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of features.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn codes(&self, column: usize) -> &[u16] {
        &self.codes[column * self.rows..(column + 1) * self.rows]
    }

    pub(crate) fn bins(&self) -> &Bins {
        &self.bins
    }

    /// Number of bins of a feature.
    pub(crate) fn count(&self, column: usize) -> usize {
        self.bins.0[column].len() + 1
    }
}

/// Borders between bins of rising values.
fn cut(sorted: &[f32], bins: usize) -> Vec<f32> {
    let distinct = 1 + sorted.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let between = |low: f32, high: f32| {
        let middle = f32::midpoint(low, high);
        if middle < high { middle } else { low }
    };
    if distinct <= bins {
        return sorted.windows(2).filter(|p| p[0] < p[1]).map(|p| between(p[0], p[1])).collect();
    }
    let mut borders: Vec<f32> = Vec::with_capacity(bins - 1);
    for bin in 1..bins {
        let at = bin * sorted.len() / bins;
        // The end of the run of equal values that the cut would fall into.
        let end = at + sorted[at..].partition_point(|x| *x <= sorted[at - 1]);
        if end < sorted.len() {
            let border = between(sorted[end - 1], sorted[end]);
            if borders.last().is_none_or(|last| *last < border) {
                borders.push(border);
            }
        }
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_equal_shares_and_borders_separate_values() {
        let x: Vec<f32> = (0..1000).map(|i| (i * i) as f32).collect();
        let table = Table::new(x.clone(), 1, 8).unwrap();
        assert_eq!(table.bins.0[0].len(), 7);
        for bin in 0..8 {
            assert_eq!(table.codes(0).iter().filter(|c| **c == bin).count(), 125);
        }
        for (x, code) in x.iter().zip(table.codes(0)) {
            let code = usize::from(*code);
            assert!(code == 0 || *x > table.bins.0[0][code - 1]);
            assert!(code == 7 || *x <= table.bins.0[0][code]);
        }
        let few = Table::new(vec![1.0, 3.0, 3.0, 2.0], 1, 256).unwrap();
        assert_eq!((few.codes(0), &few.bins.0[0][..]), (&[0, 2, 2, 1][..], &[1.5, 2.5][..]));
        assert!(Table::new(vec![5.0; 9], 1, 4).unwrap().count(0) == 1);
    }

    #[test]
    fn borders_lie_after_runs_of_equal_values() {
        // Halves of [0, 0, 0, 1] would cut the zeros: the border comes after them.
        assert_eq!(cut(&[0.0, 0.0, 0.0, 1.0, 2.0], 2), [0.5]);
        assert_eq!(cut(&[0.0, 1.0, 1.0, 1.0, 2.0, 3.0], 3), [1.5]);
        assert_eq!(cut(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3), [1.5, 3.5]);
        assert_eq!(cut(&[0.0, 1.0, 2.0], 3), [0.5, 1.5]);
        assert_eq!(cut(&[7.0], 2), Vec::<f32>::new());
    }

    #[test]
    fn bins_end_with_their_border() {
        assert_eq!([0.0, 0.5, 0.6, 1.5, 9.0].map(|x| bin(&[0.5, 1.5], x)), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn borders_of_a_file_rise_and_are_finite_and_not_too_many() {
        let bad = |bins: Vec<Vec<f32>>| match Bins(bins).check() {
            Err(TreesError::Borders { feature }) => Some(feature),
            _ => None,
        };
        assert_eq!(bad(vec![vec![0.0, 1.0], vec![]]), None);
        assert_eq!(bad(vec![vec![0.0], vec![1.0, 1.0]]), Some(1));
        assert_eq!(bad(vec![vec![f32::INFINITY]]), Some(0));
        assert_eq!(bad(vec![]), Some(0));
        let many = |n: u32| (0..n).map(|i| i as f32).collect::<Vec<_>>();
        assert_eq!((bad(vec![many(65535)]), bad(vec![many(65536)])), (None, Some(0)));
    }
}

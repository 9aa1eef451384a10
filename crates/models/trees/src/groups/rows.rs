//! Rows in groups, feature by feature.

use thrifty_check::{InputError, length};

use crate::TreesError;

/// Rows in groups that share most of their features: a shared feature is stored and binned once for its group.
///
/// ```
/// use thrifty_trees::GroupedRows;
/// let mut rows = GroupedRows::new(3);
/// rows.push(2, &[0.5, 1.0, 2.0])?;
/// rows.vary(1, [1.5, 1.6])?;
/// assert_eq!(rows.row_major(), [0.5, 1.5, 2.0, 0.5, 1.6, 2.0]);
/// # Ok::<(), thrifty_trees::TreesError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedRows {
    columns: usize,
    /// Rows of every group.
    lengths: Vec<usize>,
    /// Shared features, group by group.
    shared: Vec<f32>,
    /// First value of a feature that varies in a group, in the same order; [`SHARED`] for others.
    first: Vec<usize>,
    /// Values of features that vary.
    values: Vec<f32>,
}

const SHARED: usize = usize::MAX;

/// Consecutive rows of one group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    group: usize,
    from: usize,
    pub(super) rows: usize,
}

/// A feature of the rows of a part.
pub(super) enum Feature<'a> {
    Shared(f32),
    Varying(&'a [f32]),
}

impl GroupedRows {
    /// No rows, of `columns` features.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        Self { columns, lengths: Vec::new(), shared: Vec::new(), first: Vec::new(), values: Vec::new() }
    }

    /// Appends a group of `rows` rows that share these features.
    ///
    /// # Errors
    /// [`TreesError`] for another number of features.
    pub fn push(&mut self, rows: usize, features: &[f32]) -> Result<(), TreesError> {
        length("features", features.len(), self.columns)?;
        self.lengths.push(rows);
        self.shared.extend_from_slice(features);
        self.first.resize(self.shared.len(), SHARED);
        Ok(())
    }

    /// Gives each row of the last group a value of its own for a feature; of two lists for one feature the later counts.
    ///
    /// # Errors
    /// [`TreesError`] for a feature that there is not, another number of values than the group has rows, or no group.
    pub fn vary(&mut self, feature: usize, values: impl IntoIterator<Item = f32>) -> Result<(), TreesError> {
        let Some(rows) = self.lengths.last() else { return Err(InputError::Empty { name: "groups" }.into()) };
        if feature >= self.columns {
            let expected = "less than the number of features";
            return Err(InputError::Number { name: "feature", value: feature as f64, expected }.into());
        }
        let from = self.values.len();
        self.values.extend(values);
        let found = self.values.len() - from;
        if found != *rows {
            self.values.truncate(from);
            return Err(InputError::Length { name: "values of a feature", found, expected: *rows }.into());
        }
        let own = self.first.len() - self.columns + feature;
        self.first[own] = from;
        Ok(())
    }

    /// Number of features.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lengths.iter().sum()
    }

    /// True if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.lengths.len()
    }

    /// All features, row by row.
    #[must_use]
    pub fn row_major(&self) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.len() * self.columns);
        for (group, count) in self.lengths.iter().enumerate() {
            for row in 0..*count {
                let at = group * self.columns;
                let own = self.shared[at..].iter().zip(&self.first[at..]).take(self.columns);
                rows.extend(
                    own.map(|(x, first)| if *first == SHARED { *x } else { self.values[first + row] }),
                );
            }
        }
        rows
    }

    /// The groups, cut where they have more than `most` rows.
    pub(super) fn parts(&self, most: usize) -> Vec<Part> {
        let cut = |(group, rows): (usize, &usize)| {
            let rows = *rows;
            (0..rows).step_by(most).map(move |from| Part { group, from, rows: (rows - from).min(most) })
        };
        self.lengths.iter().enumerate().flat_map(cut).collect()
    }

    /// A feature of the rows of a part.
    #[inline]
    pub(super) fn feature(&self, part: &Part, feature: usize) -> Feature<'_> {
        let at = part.group * self.columns + feature;
        match self.first[at] {
            SHARED => Feature::Shared(self.shared[at]),
            first => Feature::Varying(&self.values[first + part.from..][..part.rows]),
        }
    }
}

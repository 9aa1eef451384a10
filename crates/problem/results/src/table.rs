//! Tables of columns of one length.

use crate::Column;
use crate::cell::Cell;

/// Columns of one length, in an order of their own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// The table of rows of named cells. A column comes after those that stand before it in the row in which it is first found.
    pub(crate) fn of_rows(rows: Vec<Vec<(String, Cell)>>) -> Self {
        let count = rows.len();
        let mut columns: Vec<(String, Vec<Option<Cell>>)> = Vec::new();
        for (row, cells) in rows.into_iter().enumerate() {
            let mut next = 0;
            for (name, cell) in cells {
                let at = columns.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                    columns.insert(next, (name, vec![None; count]));
                    next
                });
                columns[at].1[row] = Some(cell);
                next = at + 1;
            }
        }
        let columns = columns.into_iter().map(|(name, cells)| Column::of(name, cells)).collect();
        Self { columns, rows: count }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns whose names satisfy a predicate, in the same order, with all rows.
    #[must_use]
    pub fn with_columns(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.columns.retain(|column| keep(&column.name));
        self
    }

    /// Names of the columns in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The column of this name, if there is one.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

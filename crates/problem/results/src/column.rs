//! Columns of a table.

use crate::cell::{Cell, float_text};

/// A named column. An entry is missing where a trial has no such value.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// An entry per row.
    pub values: Values,
}

/// Entries of a column, all of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// True or false.
    Bool(Vec<Option<bool>>),
    /// Whole numbers.
    Int(Vec<Option<i64>>),
    /// Numbers; whole numbers too where another entry is none.
    Float(Vec<Option<f64>>),
    /// Text; everything where entries are of several types.
    Text(Vec<Option<String>>),
}

impl Column {
    /// The column of some cells, of the narrowest type that holds them all.
    pub(crate) fn of(name: String, cells: Vec<Option<Cell>>) -> Self {
        Self { name, values: Values::of(cells) }
    }
}

impl Values {
    fn of(cells: Vec<Option<Cell>>) -> Self {
        let all = |holds: fn(&Cell) -> bool| cells.iter().flatten().all(holds);
        if all(|cell| matches!(cell, Cell::Int(_))) {
            Self::Int(convert(cells, |cell| if let Cell::Int(value) = cell { Some(value) } else { None }))
        } else if all(|cell| matches!(cell, Cell::Int(_) | Cell::Float(_))) {
            Self::Float(convert(cells, |cell| match cell {
                Cell::Int(value) => Some(value as f64),
                Cell::Float(value) => Some(value),
                _ => None,
            }))
        } else if all(|cell| matches!(cell, Cell::Bool(_))) {
            Self::Bool(convert(cells, |cell| if let Cell::Bool(value) = cell { Some(value) } else { None }))
        } else {
            Self::Text(convert(cells, |cell| Some(cell.into_text())))
        }
    }

    /// Number of entries, missing ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(entries) => entries.len(),
            Self::Int(entries) => entries.len(),
            Self::Float(entries) => entries.len(),
            Self::Text(entries) => entries.len(),
        }
    }

    /// True without entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Text of an entry as it stands in CSV; none where it is missing or there is no such row.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Bool(entries) => entries.get(row).copied().flatten().map(|value| value.to_string()),
            Self::Int(entries) => entries.get(row).copied().flatten().map(|value| value.to_string()),
            Self::Float(entries) => entries.get(row).copied().flatten().map(float_text),
            Self::Text(entries) => entries.get(row).cloned().flatten(),
        }
    }
}

fn convert<T>(cells: Vec<Option<Cell>>, to: impl Fn(Cell) -> Option<T>) -> Vec<Option<T>> {
    cells.into_iter().map(|cell| cell.and_then(&to)).collect()
}

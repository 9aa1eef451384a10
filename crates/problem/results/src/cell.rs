//! Single values of a table, before the type of their column is known.

use serde_json::Value;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Cell {
    /// The cell of a JSON value that is no object and no array; none for null.
    ///
    /// A whole number beyond the range of `i64` is a float.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) => {
                number.as_i64().map(Self::Int).or_else(|| number.as_f64().map(Self::Float))
            }
        }
    }

    /// Text of the cell, as in CSV. Floats are written with as many digits as identify them.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => float_text(value),
            Self::Text(text) => text,
        }
    }
}

/// Shortest text that reads back as the same number; whole numbers keep a `.0`, so that a column of floats stays one.
pub(crate) fn float_text(value: f64) -> String {
    format!("{value:?}")
}

/// Named cells of a JSON value: objects and arrays are flattened, with names joined by `.`.
pub(crate) fn flatten(name: &str, value: &Value, into: &mut Vec<(String, Cell)>) {
    let join = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(part, value)| flatten(&join(part), value, into)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| flatten(&join(&i.to_string()), value, into));
        }
        scalar => {
            let name = if name.is_empty() { "query" } else { name };
            into.extend(Cell::of(scalar).map(|cell| (name.to_owned(), cell)));
        }
    }
}

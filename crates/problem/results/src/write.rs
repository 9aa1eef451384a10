//! Tables as CSV, JSON and plain text.

use std::fmt;
use std::io::Write;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::{Column, ResultsError, Table, Values};

/// Significant digits of numbers in plain text.
const DIGITS: usize = 6;

impl Table {
    /// Writes CSV (RFC 4180) with a line of names; nothing at all without columns. Missing entries are empty; floats read back as the same number.
    ///
    /// # Errors
    /// [`ResultsError::Csv`] or [`ResultsError::Write`] for a writer that fails.
    pub fn write_csv(&self, to: impl Write) -> Result<(), ResultsError> {
        let mut writer = csv::Writer::from_writer(to);
        if !self.columns().is_empty() {
            writer.write_record(self.names())?;
        }
        for row in 0..self.len() {
            writer.write_record(
                self.columns().iter().map(|column| column.values.text(row).unwrap_or_default()),
            )?;
        }
        Ok(writer.flush()?)
    }

    /// Writes a JSON array with an object per row, its keys in the order of the columns. Missing entries are null.
    ///
    /// # Errors
    /// [`ResultsError::Json`] or [`ResultsError::Write`] for a writer that fails.
    pub fn write_json(&self, mut to: impl Write) -> Result<(), ResultsError> {
        serde_json::to_writer_pretty(&mut to, self)?;
        to.write_all(b"\n")?;
        Ok(to.flush()?)
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.len()))?;
        (0..self.len()).try_for_each(|row| rows.serialize_element(&Row { columns: self.columns(), row }))?;
        rows.end()
    }
}

/// One row of a table.
struct Row<'a> {
    columns: &'a [Column],
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for Column { name, values } in self.columns {
            match values {
                Values::Bool(entries) => map.serialize_entry(name, &entries[self.row])?,
                Values::Int(entries) => map.serialize_entry(name, &entries[self.row])?,
                Values::Float(entries) => map.serialize_entry(name, &entries[self.row])?,
                Values::Text(entries) => map.serialize_entry(name, &entries[self.row])?,
            }
        }
        map.end()
    }
}

impl fmt::Display for Table {
    /// Aligned columns with a line of names; numbers with six significant digits, `-` where an entry is missing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<Vec<String>> =
            self.columns().iter().map(|column| lines(column, self.len())).collect();
        let widths: Vec<usize> = columns
            .iter()
            .map(|lines| lines.iter().map(|line| line.chars().count()).max().unwrap_or(0))
            .collect();
        for line in 0..=self.len() {
            let mut text = String::new();
            for ((column, lines), width) in self.columns().iter().zip(&columns).zip(&widths) {
                let entry = &lines[line];
                let padding = " ".repeat(width - entry.chars().count());
                match column.values {
                    Values::Text(_) => text.push_str(&format!("{entry}{padding}  ")),
                    _ => text.push_str(&format!("{padding}{entry}  ")),
                }
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Name and entries of a column in plain text.
fn lines(column: &Column, rows: usize) -> Vec<String> {
    let entry = |row: usize| match &column.values {
        Values::Float(entries) => entries[row].map(short),
        values => values.text(row),
    };
    let name = std::iter::once(column.name.clone());
    name.chain((0..rows).map(|row| entry(row).unwrap_or_else(|| "-".into()))).collect()
}

/// A number with at most six significant digits, without trailing zeros.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let exponent = value.abs().log10().floor();
    if !(-4.0..DIGITS as f64).contains(&exponent) {
        let text = format!("{value:.*e}", DIGITS - 1);
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(digits));
    }
    let places = (DIGITS as f64 - 1.0 - exponent) as usize;
    trimmed(&format!("{value:.places$}")).to_owned()
}

/// Decimals without trailing zeros.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_significant_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.5, "-0.5"),
            (123_456.0, "123456"),
            (100_000.0, "100000"),
            (-254_000.0, "-254000"),
            (1_234_567.0, "1.23457e6"),
            (0.000_123_456_7, "0.000123457"),
            (0.000_012_345_67, "1.23457e-5"),
            (1e300, "1e300"),
            (std::f64::consts::PI, "3.14159"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}

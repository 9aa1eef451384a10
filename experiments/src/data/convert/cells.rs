//! Tables of cells between blanks or commas.

use std::io::{self, BufRead, Write};

use super::at_line;

/// Joins the cells of each line by `joint`, below a header where one is given; `closed` ends the last line with a line feed.
///
/// Cells stand between commas, in a text without commas between blanks. Every line has as many cells as the first; empty lines are dropped.
pub fn join(
    text: impl BufRead,
    out: &mut impl Write,
    header: Option<&str>,
    joint: &str,
    closed: bool,
) -> io::Result<()> {
    let mut columns = None;
    let mut end = "";
    if let Some(header) = header {
        write!(out, "{header}")?;
        end = "\n";
    }
    for (at, line) in text.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = if line.contains(',') {
            line.split(',').map(str::trim).collect()
        } else {
            line.split_whitespace().collect()
        };
        let expected = *columns.get_or_insert(cells.len());
        if cells.len() != expected {
            return Err(at_line(at + 1, format!("{} cells, expected {expected}", cells.len())));
        }
        write!(out, "{end}{}", cells.join(joint))?;
        end = "\n";
    }
    if closed { write!(out, "{end}") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str, header: Option<&str>, closed: bool) -> Result<String, String> {
        let mut out = Vec::new();
        join(text.as_bytes(), &mut out, header, ", ", closed).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn cells_are_joined_anew() {
        assert_eq!(joined("1 a\r\n 2\tb \n\n", None, false).unwrap(), "1, a\n2, b");
        assert_eq!(joined("1,a b\n2, c", Some("x, y "), true).unwrap(), "x, y \n1, a b\n2, c\n");
        assert_eq!(joined("", Some("x"), true).unwrap(), "x\n");
        assert_eq!(joined("", None, true).unwrap(), "");
        assert_eq!(joined("1 2\n3", None, true).unwrap_err(), "line 2: 1 cells, expected 2");
    }
}

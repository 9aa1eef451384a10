//! Columns of a CSV file as a page shows them: chosen, renamed, rounded.

use super::error::TableError;
use super::files::Sheet;

/// A column of a page.
struct Column {
    at: usize,
    heading: String,
    digits: Option<usize>,
}

/// The sheet with the columns that a marker asks for, or all of them.
///
/// # Errors
/// [`TableError::NoColumn`] and [`TableError::TwoColumns`].
pub fn select(sheet: &Sheet, columns: &[String]) -> Result<Sheet, TableError> {
    if columns.is_empty() {
        return Ok(sheet.clone());
    }
    let chosen: Vec<Column> = columns.iter().map(|text| column(sheet, text)).collect::<Result<_, _>>()?;
    let cell = |row: &[String], column: &Column| match column.digits {
        Some(digits) => rounded(&row[column.at], digits),
        None => row[column.at].clone(),
    };
    Ok(Sheet {
        header: chosen.iter().map(|column| column.heading.clone()).collect(),
        rows: sheet.rows.iter().map(|row| chosen.iter().map(|column| cell(row, column)).collect()).collect(),
    })
}

/// The column of `NAME`, `NAME as HEADING`, each with or without `, N digits`. A name that the sheet has is taken as it is.
fn column(sheet: &Sheet, text: &str) -> Result<Column, TableError> {
    let (named, digits) = match text.strip_suffix(" digits").and_then(|rest| rest.rsplit_once(", ")) {
        Some((named, count)) if count.parse::<usize>().is_ok_and(|count| count > 0) => {
            (named, count.parse().ok())
        }
        _ => (text, None),
    };
    let (name, heading) = match named.rsplit_once(" as ") {
        Some((name, heading)) if !sheet.header.iter().any(|column| column == named) => (name, heading),
        _ => (named, named),
    };
    Ok(Column { at: sheet.column(name)?, heading: heading.into(), digits })
}

/// A number with at most so many significant digits. Text, and numbers that have no more digits, stay as they are.
fn rounded(cell: &str, digits: usize) -> String {
    let Some(value) = cell.parse::<f64>().ok().filter(|value| value.is_finite()) else { return cell.into() };
    let mantissa = cell.split(['e', 'E']).next().unwrap_or(cell);
    let significant: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if significant.trim_start_matches('0').len() <= digits {
        return cell.into();
    }
    if cell.contains(['e', 'E']) {
        return format!("{value:.*e}", digits - 1);
    }
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    let decimals = digits as i32 - 1 - rounded.abs().log10().floor() as i32;
    let whole = if rounded == 0.0 { 0 } else { decimals.max(0) as usize };
    format!("{value:.whole$}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sheet() -> Sheet {
        Sheet::parse("method,p (Holm),as it came,n\na,0.01234,1,2\nb,1.000e-5,2,3\n".as_bytes()).unwrap()
    }

    fn selected(columns: &[&str]) -> Result<Sheet, TableError> {
        select(&sheet(), &columns.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn columns_are_chosen_renamed_and_rounded() {
        let found = selected(&["n", "p (Holm) as p, 2 digits", "as it came", "as it came as drawn"]).unwrap();
        assert_eq!(found.header, ["n", "p", "as it came", "drawn"]);
        assert_eq!(found.rows[0], ["2", "0.012", "1", "1"]);
        assert_eq!(found.rows[1], ["3", "1.0e-5", "2", "2"]);
        assert_eq!(selected(&[]).unwrap(), sheet());
    }

    #[test]
    fn columns_that_are_not_there_are_named() {
        let found = selected(&["n", "q as p"]).unwrap_err();
        assert_eq!(found.to_string(), "has no column \"q\"; its columns are method, p (Holm), as it came, n");
        let twice = Sheet::parse(b"a,a\n1,2\n").unwrap();
        assert_eq!(select(&twice, &["a".into()]).unwrap_err().to_string(), "has several columns \"a\"");
    }

    #[test]
    fn rounding_by_hand() {
        for (cell, digits, expected) in [
            ("0.06420", 2, "0.064"),
            ("-9.996", 3, "-10.0"),
            ("9.996", 2, "10"),
            ("14851", 2, "14851"),
            ("1234.5", 2, "1234"),
            ("1.234e-5", 2, "1.2e-5"),
            ("0.5", 3, "0.5"),
            ("0.0000", 2, "0.0000"),
            ("12 of 20", 1, "12 of 20"),
            ("NaN", 1, "NaN"),
            ("", 1, ""),
        ] {
            assert_eq!(rounded(cell, digits), expected, "{cell}");
        }
    }

    proptest! {
        #[test]
        fn rounding_twice_is_rounding_once(value in -1e6_f64..1e6, scale in -12_i32..12, digits in 1_usize..6) {
            let value = value * 10_f64.powi(scale);
            for cell in [crate::harness::number(value), format!("{value}")] {
                let once = rounded(&cell, digits);
                prop_assert_eq!(&rounded(&once, digits), &once);
                let error = (once.parse::<f64>().unwrap() - cell.parse::<f64>().unwrap()).abs();
                let unit = 10_f64.powf(value.abs().log10().floor() + 1.0 - digits as f64);
                prop_assert!(error <= 0.5001 * unit.max(f64::MIN_POSITIVE), "{} {}", cell, once);
            }
        }
    }
}

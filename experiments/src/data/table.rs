//! Rows of tables in files.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Calls `see` with the number of each line, from 1, and its cells without blanks around them. Empty lines are left out.
///
/// Cells between commas may be quoted; a blank as separator stands for any number of blanks.
pub fn rows(path: &Path, separator: u8, mut see: impl FnMut(usize, &[&str])) -> io::Result<()> {
    let file = BufReader::with_capacity(1 << 20, File::open(path)?);
    if separator == b' ' {
        for (at, line) in file.lines().enumerate() {
            let line = line?;
            let cells: Vec<&str> = line.split_whitespace().collect();
            if !cells.is_empty() {
                see(at + 1, &cells);
            }
        }
        return Ok(());
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(file);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(io::Error::from)? {
        let line = record.position().map_or(0, csv::Position::line);
        let cells: Vec<&str> = record.iter().collect();
        see(line as usize, &cells);
    }
    Ok(())
}

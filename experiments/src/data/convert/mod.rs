//! Conversion of downloads to the files that experiments read.

mod arff;
mod cells;
mod designs;
mod npz;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use super::error::DataError;
use super::set::Conversion;
use super::transfer::Disk;

/// Writes the converted form of `raw` to `new`, which is begun anew.
///
/// # Errors
/// [`DataError::Malformed`] with the line where a text is not in its form, [`DataError::Io`]; `new` is then of no use.
pub fn convert(conversion: Conversion, raw: &Path, new: &Path, disk: &dyn Disk) -> Result<(), DataError> {
    let mut out = BufWriter::new(disk.open(new, false).map_err(DataError::io(new))?);
    if conversion == Conversion::Designs {
        designs::convert(raw, &mut out)?;
    } else {
        let file = File::open(raw).map_err(DataError::io(raw))?;
        let mut text = BufReader::new(file);
        let converted = match conversion {
            Conversion::Gunzip => {
                io::copy(&mut flate2::bufread::MultiGzDecoder::new(text), &mut out).map(|_| ())
            }
            Conversion::Arff => arff::to_csv(text, &mut out),
            Conversion::Cells { header, joint, closed } => cells::join(text, &mut out, header, joint, closed),
            Conversion::AsIs | Conversion::Designs => io::copy(&mut text, &mut out).map(|_| ()),
        };
        converted.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => {
                DataError::malformed(raw, error)
            }
            _ => DataError::io(new)(error),
        })?;
    }
    out.flush().map_err(DataError::io(new))
}

/// An error of a line of a text, counted from 1.
fn at_line(line: usize, message: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("line {line}: {message}"))
}

//! Archives of `NumPy` arrays.

use std::io::Read;
use std::path::Path;

/// An array in the order of its rows.
#[derive(Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// The array `name` of an archive that `numpy.savez` or `numpy.savez_compressed` wrote.
///
/// Floats and integers of four and eight bytes are read, little-endian, in the order of rows or of columns.
///
/// Source: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16; `NumPy` Enhancement Proposal 1.
pub fn read(path: &Path, name: &str) -> Result<Array, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    array(&member(&bytes, &format!("{name}.npy"))?)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Result<usize, String> {
    let part = bytes.get(at..at + length).ok_or("the archive is cut off")?;
    Ok(part.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

/// Bytes of a member of a zip archive, found through the central directory.
fn member(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let end = bytes.windows(4).rposition(|w| w == b"PK\x05\x06").ok_or("not a zip archive, or cut off")?;
    let (members, mut at) = (number(bytes, end + 10, 2)?, number(bytes, end + 16, 4)?);
    number(bytes, end + 20, 2)?; // the last field
    for _ in 0..members {
        if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
            return Err("the directory of the archive is damaged".into());
        }
        let lengths = [28, 30, 32].map(|field| number(bytes, at + field, 2));
        let [named, extra, comment] = lengths;
        let named = named?;
        if bytes.get(at + 46..at + 46 + named) == Some(name.as_bytes()) {
            return unpack(bytes, at);
        }
        at += 46 + named + extra? + comment?;
    }
    Err(format!("no member {name}"))
}

/// Bytes of the member whose entry in the directory is at `at`.
fn unpack(bytes: &[u8], at: usize) -> Result<Vec<u8>, String> {
    let (method, sum) = (number(bytes, at + 10, 2)?, number(bytes, at + 16, 4)?);
    let (packed, length) = (number(bytes, at + 20, 4)?, number(bytes, at + 24, 4)?);
    let local = number(bytes, at + 42, 4)?;
    let begin = local + 30 + number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
    let data = bytes.get(begin..begin + packed).ok_or("the archive is cut off")?;
    let mut unpacked = Vec::new();
    match method {
        0 => unpacked.extend_from_slice(data),
        8 => {
            let limit = length as u64 + 1;
            let mut inflated = flate2::read::DeflateDecoder::new(data).take(limit);
            inflated.read_to_end(&mut unpacked).map_err(|error| error.to_string())?;
        }
        _ => return Err(format!("compression method {method}")),
    }
    if unpacked.len() != length || crc32fast::hash(&unpacked) as usize != sum {
        return Err("a member of the archive is damaged".into());
    }
    Ok(unpacked)
}

/// An array from its own format.
fn array(bytes: &[u8]) -> Result<Array, String> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("a member is no NumPy array".into());
    }
    let (begin, width) = if number(bytes, 6, 1)? == 1 { (10, 2) } else { (12, 4) };
    let body = begin + number(bytes, 8, width)?;
    let head = std::str::from_utf8(bytes.get(begin..body).ok_or("the header is cut off")?)
        .map_err(|error| error.to_string())?;
    let field = |name: &str| head.split(&format!("'{name}':")).nth(1).map(str::trim_start);
    let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
    let shape: Vec<usize> = shape
        .ok_or("the header has no shape")?
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().map_err(|_| format!("the header has the shape {text}")))
        .collect::<Result<_, _>>()?;
    let kind = field("descr").and_then(|text| text.strip_prefix('\'')?.split('\'').next());
    let values = numbers(kind.unwrap_or_default(), &bytes[body..])?;
    let expected = shape.iter().try_fold(1_usize, |product, length| product.checked_mul(*length));
    if expected != Some(values.len()) {
        return Err(format!("{} numbers in the shape {shape:?}", values.len()));
    }
    let by_columns = field("fortran_order").is_some_and(|text| text.starts_with("True"));
    let values = if by_columns { transposed(&values, &shape) } else { values };
    Ok(Array { shape, values })
}

fn numbers(kind: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    let width = if kind.ends_with('8') { 8 } else { 4 };
    if !bytes.len().is_multiple_of(width) {
        return Err("the last number is cut off".into());
    }
    let each = bytes.chunks_exact(width);
    let four = |bytes: &[u8]| [bytes[0], bytes[1], bytes[2], bytes[3]];
    let eight = |bytes: &[u8]| {
        let mut copy = [0; 8];
        copy.copy_from_slice(bytes);
        copy
    };
    Ok(match kind {
        "<f8" => each.map(|b| f64::from_le_bytes(eight(b))).collect(),
        "<i8" => each.map(|b| i64::from_le_bytes(eight(b)) as f64).collect(),
        "<f4" => each.map(|b| f64::from(f32::from_le_bytes(four(b)))).collect(),
        "<i4" => each.map(|b| f64::from(i32::from_le_bytes(four(b)))).collect(),
        _ => return Err(format!("numbers of the kind {kind:?}")),
    })
}

/// Values in the order of rows, from the order of columns.
fn transposed(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let place = |mut at: usize| {
        let mut stride = values.len();
        let digits = shape.iter().rev().map(|length| {
            stride /= length;
            let digit = at % length;
            at /= length;
            digit * stride
        });
        digits.sum::<usize>()
    };
    (0..values.len()).map(|at| values[place(at)]).collect()
}

#[cfg(test)]
pub mod tests {
    use std::io::Write;

    use super::*;

    /// An array of floats in its own format.
    pub fn npy(shape: &str, order: &str, values: &[f64]) -> Vec<u8> {
        let head = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((head.len() as u16).to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        bytes
    }

    /// A zip archive of members, packed or not.
    pub fn zip(members: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let mut data = content.clone();
            if packed {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(content).unwrap();
                data = encoder.finish().unwrap();
            }
            let mut about = vec![20, 0, 0, 0, if packed { 8 } else { 0 }, 0, 0, 0, 0, 0];
            about.extend(crc32fast::hash(content).to_le_bytes());
            about.extend((data.len() as u32).to_le_bytes());
            about.extend((content.len() as u32).to_le_bytes());
            about.extend((name.len() as u16).to_le_bytes());
            let local = bytes.len() as u32;
            // The local header alone has an extra field, as NumPy writes it.
            bytes.extend([b"PK\x03\x04", &about[..], &[4, 0], name.as_bytes(), &[0; 4]].concat());
            bytes.extend(data);
            directory.extend([b"PK\x01\x02\x14\x00", &about[..], &[0; 12], &local.to_le_bytes()].concat());
            directory.extend(name.as_bytes());
        }
        let (at, length) = (bytes.len() as u32, directory.len() as u32);
        bytes.extend(directory);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([(members.len() as u16).to_le_bytes(), (members.len() as u16).to_le_bytes()].concat());
        bytes.extend([length.to_le_bytes(), at.to_le_bytes()].concat());
        bytes.extend([0, 0]);
        bytes
    }

    fn read_bytes(bytes: &[u8], name: &str) -> Result<Array, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        std::fs::write(&path, bytes).unwrap();
        read(&path, name)
    }

    #[test]
    fn arrays_are_read_stored_or_packed_in_both_orders() {
        let values = [1.5, -2.0, 1e-300, 4.0, 5.0, 6.0];
        let members = [
            ("b.npy", npy("(3,)", "False", &values[..3])),
            ("a.npy", npy("(2, 3)", "False", &values)),
            ("c.npy", npy("(2, 3)", "True", &values)),
            ("s.npy", npy("()", "False", &values[..1])),
        ];
        for packed in [false, true] {
            let bytes = zip(&members, packed);
            let array = read_bytes(&bytes, "a").unwrap();
            assert_eq!((array.shape, array.values), (vec![2, 3], values.to_vec()));
            assert_eq!(read_bytes(&bytes, "b").unwrap().shape, [3]);
            let by_columns = [1.5, 1e-300, 5.0, -2.0, 4.0, 6.0];
            assert_eq!(read_bytes(&bytes, "c").unwrap().values, by_columns);
            assert_eq!(read_bytes(&bytes, "s").unwrap(), Array { shape: vec![], values: vec![1.5] });
            assert_eq!(read_bytes(&bytes, "d").unwrap_err(), "no member d.npy");
        }
    }

    #[test]
    fn integers_and_short_floats_are_read() {
        let bytes: Vec<u8> = [7_i32, -1].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(numbers("<i4", &bytes).unwrap(), [7.0, -1.0]);
        assert_eq!(numbers("<f4", &0.5_f32.to_le_bytes()).unwrap(), [0.5]);
        assert_eq!(numbers("<i8", &(-3_i64).to_le_bytes()).unwrap(), [-3.0]);
        assert!(numbers(">f8", &[0; 8]).unwrap_err().contains(">f8"));
        assert!(numbers("|O", &[0; 8]).is_err());
        assert!(numbers("<f8", &[0; 9]).unwrap_err().contains("cut off"));
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let bytes = zip(&[("a.npy", npy("(2,)", "False", &[1.0, 2.0]))], true);
        for length in 0..bytes.len() {
            assert!(read_bytes(&bytes[..length], "a").is_err(), "{length}");
        }
        let wrong = zip(&[("a.npy", npy("(3,)", "False", &[1.0, 2.0]))], false);
        assert_eq!(read_bytes(&wrong, "a").unwrap_err(), "2 numbers in the shape [3]");
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x55;
            let _ = read_bytes(&flipped, "a");
        }
    }
}

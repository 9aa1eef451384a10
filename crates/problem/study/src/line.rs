//! Journal lines with a sequence number and a checksum.
//!
//! ```text
//! {"seq":7,"told":{…},"crc":"9a0b1c2d"}
//! ```
//! The checksum is the CRC-32 of all bytes before `,"crc"`, so it detects every change of up to 32 neighbouring bits. The sequence number
//! is the number of earlier lines, so a dropped, duplicated or moved line is detected too.

/// Bytes of `,"crc":"9a0b1c2d"}`.
const SEAL: usize = 18;

/// Formats a JSON object as a line, including its line end.
pub(crate) fn seal(seq: usize, object: &str) -> String {
    let mut text = format!("{{\"seq\":{seq},{}", &object[1..object.len() - 1]);
    let crc = crc32fast::hash(text.as_bytes());
    text.push_str(&format!(",\"crc\":\"{crc:08x}\"}}\n"));
    text
}

/// Reads a line written by [`seal`], without its line end: its sequence number and the object.
///
/// # Errors
/// Description of the defect of the line.
pub(crate) fn open(line: &[u8]) -> Result<(usize, String), String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let at = text.len().checked_sub(SEAL).filter(|at| text.is_char_boundary(*at));
    let (body, seal) = at.map(|at| text.split_at(at)).ok_or("the line is too short")?;
    let crc = seal.strip_prefix(",\"crc\":\"").and_then(|rest| rest.strip_suffix("\"}"));
    let crc = crc.ok_or("the line does not end with a checksum")?;
    let expected = format!("{:08x}", crc32fast::hash(body.as_bytes()));
    if crc != expected {
        return Err(format!("the checksum is {crc}, its content has {expected}"));
    }
    let rest = body.strip_prefix("{\"seq\":").ok_or("the line does not begin with a sequence number")?;
    let (seq, rest) = rest.split_once(',').ok_or("the line has no content")?;
    let seq = seq.parse().map_err(|_| format!("the sequence number is {seq}"))?;
    Ok((seq, format!("{{{rest}}}")))
}

/// True if bytes without a line end can be the start of the line with this sequence number.
pub(crate) fn is_torn(bytes: &[u8], seq: usize) -> bool {
    let start = format!("{{\"seq\":{seq},\"");
    let common = bytes.len().min(start.len());
    // A complete line followed by anything else is damaged, not truncated.
    let whole = bytes.len() > 1 && open(&bytes[..bytes.len() - 1]).is_ok();
    bytes[..common] == start.as_bytes()[..common] && !whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_byte_is_found() {
        let line = seal(12, "{\"told\":{\"x\":\"é\"}}");
        let bytes = line.trim_end().as_bytes();
        assert_eq!(open(bytes), Ok((12, "{\"told\":{\"x\":\"é\"}}".to_owned())));
        for at in 0..bytes.len() {
            for flip in 1..=255_u8 {
                let mut changed = bytes.to_vec();
                changed[at] ^= flip;
                assert!(open(&changed).is_err(), "byte {at} xor {flip}");
            }
        }
    }

    #[test]
    fn a_beginning_is_torn_and_a_damaged_end_is_not() {
        let line = seal(3, "{\"told\":{}}");
        let bytes = line.trim_end().as_bytes();
        for end in 0..bytes.len() {
            assert!(is_torn(&bytes[..end], 3), "cut at {end}");
        }
        assert!(!is_torn(b"{\"seq\":4,", 3));
        assert!(!is_torn(b"my notes", 3));
        assert!(!is_torn(&[bytes, b"?"].concat(), 3));
    }
}

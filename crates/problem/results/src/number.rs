//! Numbers of JSON that are not finite, as programs write them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Names of the values that are not finite, as Python's `json` and others write them. The longer one comes before its part.
const NAMES: [(&str, f64); 3] =
    [("NaN", f64::NAN), ("-Infinity", f64::NEG_INFINITY), ("Infinity", f64::INFINITY)];

/// A number of JSON, or one of the texts `NaN`, `Infinity` and `-Infinity`, which [`quoted`] makes of these names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

impl Number {
    /// The value of such a text; `None` for any other.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, value)| Self(value))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        Number::named(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// JSON whose names of numbers that are not finite are texts: `NaN`, `Infinity` and `-Infinity`, as Python's `json` writes them.
///
/// ```
/// use thrifty_results::{Number, quoted};
/// let losses: Vec<Number> = serde_json::from_slice(&quoted(b"[0.5, -Infinity]"))?;
/// assert_eq!(losses, [Number(0.5), Number(f64::NEG_INFINITY)]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn quoted(json: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Vec::new();
    // All before this is in `text`.
    let mut copied = 0;
    let (mut at, mut is_inside) = (0, false);
    while at < json.len() {
        let found = NAMES.iter().find(|(name, _)| !is_inside && json[at..].starts_with(name.as_bytes()));
        match (found, json[at]) {
            (Some((name, _)), _) => {
                text.extend_from_slice(&json[copied..at]);
                text.extend_from_slice(format!("\"{name}\"").as_bytes());
                at += name.len();
                copied = at;
                continue;
            }
            // The next byte is part of the text, also if it is a quotation mark.
            (None, b'\\') if is_inside => at += 1,
            (None, b'"') => is_inside = !is_inside,
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    text.extend_from_slice(&json[copied..]);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_outside_of_texts_are_quoted() {
        for (json, expected) in [
            ("", ""),
            (r#"{"a": 1, "b": -2}"#, r#"{"a": 1, "b": -2}"#),
            ("[NaN,-Infinity,Infinity]", r#"["NaN","-Infinity","Infinity"]"#),
            (r#"{"NaN": "x Infinity", "a\\": NaN}"#, r#"{"NaN": "x Infinity", "a\\": "NaN"}"#),
            (r#"{"a\"NaN": NaN}"#, r#"{"a\"NaN": "NaN"}"#),
            (r#""NaN\"#, r#""NaN\"#),
        ] {
            assert_eq!(String::from_utf8_lossy(&quoted(json.as_bytes())), expected, "{json}");
        }
    }

    #[test]
    fn numbers_and_names_are_read() {
        let read = |json: &str| serde_json::from_str::<Number>(json).map(|Number(value)| value);
        assert!(read("\"NaN\"").unwrap().is_nan());
        for (json, value) in
            [("1", 1.0), ("-2", -2.0), ("0.5", 0.5), ("1e3", 1000.0), ("\"-Infinity\"", f64::NEG_INFINITY)]
        {
            assert_eq!(read(json).unwrap(), value);
        }
        for json in ["\"nan\"", "\"1\"", "null", "[1]", "true"] {
            assert!(read(json).unwrap_err().to_string().contains("expected a number"), "{json}");
        }
    }
}

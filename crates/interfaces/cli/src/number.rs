//! Deserialisation of JSON numbers as programs write them: NaN and the infinities, and whole numbers that are floats.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Names of the values that are not finite, as Python's `json` and others write them. The longer one comes before its part.
const NAMES: [(&str, f64); 3] =
    [("NaN", f64::NAN), ("-Infinity", f64::NEG_INFINITY), ("Infinity", f64::INFINITY)];

/// A number, or one of the texts `NaN`, `Infinity` and `-Infinity`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number(pub(crate) f64);

impl Number {
    /// The value of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
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

/// A whole number from 0, also one that is written as `3.0`, as programs whose counters are floats write it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Whole(pub(crate) u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number from 0")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Whole, E> {
        u64::try_from(value).map(Whole).map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        // Larger floats stand for many whole numbers.
        let is_whole = value.fract() == 0.0 && (0.0..=(1_u64 << 53) as f64).contains(&value);
        if is_whole {
            Ok(Whole(value as u64))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }
}

/// JSON in which the names of [`Number`] that stand outside of texts are texts.
pub(crate) fn quoted(json: &[u8]) -> Cow<'_, [u8]> {
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

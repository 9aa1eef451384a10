//! Serde forms of numbers that keep NaN and infinity as strings, because JSON has neither.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Other(String),
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Finite(value) } else { Self::Other(value.to_string()) }
    }
}

impl Number {
    fn value<E: serde::de::Error>(self) -> Result<f64, E> {
        match self {
            Self::Finite(value) => Ok(value),
            Self::Other(text) => text.parse().map_err(|_| E::custom(format!("{text} is not a number"))),
        }
    }
}

/// One number.
pub(crate) mod one {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Number::from(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Number::deserialize(deserializer)?.value()
    }
}

/// Numbers by name.
pub(crate) mod map {
    use super::{BTreeMap, Deserialize, Deserializer, Number, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        map: &BTreeMap<String, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(name, &value)| (name, Number::from(value))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        let map: BTreeMap<String, Number> = Deserialize::deserialize(deserializer)?;
        map.into_iter().map(|(name, number)| Ok((name, number.value()?))).collect()
    }
}

/// Lists of numbers by name.
pub(crate) mod lists {
    use super::{BTreeMap, Deserialize, Deserializer, Number, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        map: &BTreeMap<String, Vec<f64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let list = |values: &Vec<f64>| values.iter().map(|&v| Number::from(v)).collect::<Vec<_>>();
        serializer.collect_map(map.iter().map(|(name, values)| (name, list(values))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Vec<f64>>, D::Error> {
        let map: BTreeMap<String, Vec<Number>> = Deserialize::deserialize(deserializer)?;
        let list =
            |values: Vec<Number>| values.into_iter().map(Number::value).collect::<Result<_, D::Error>>();
        map.into_iter().map(|(name, values)| Ok((name, list(values)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Numbers {
        #[serde(with = "one")]
        one: f64,
        #[serde(with = "map")]
        map: BTreeMap<String, f64>,
        #[serde(with = "lists")]
        lists: BTreeMap<String, Vec<f64>>,
    }

    /// Numbers that JSON has are written as numbers, those that it has not as strings, and all are read again.
    #[test]
    fn only_what_json_lacks_is_a_string() {
        let written = json!({
            "one": 0.1,
            "map": { "large": 1e300, "none": "NaN" },
            "lists": { "list": [-2.5, "inf", 0.0, "-inf"] },
        });
        let read: Numbers = serde_json::from_value(written.clone()).unwrap();
        assert_eq!((read.one, read.map["large"], read.map["none"].is_nan()), (0.1, 1e300, true));
        assert_eq!(read.lists["list"], [-2.5, f64::INFINITY, 0.0, f64::NEG_INFINITY]);
        assert_eq!(serde_json::to_value(&read).unwrap(), written);
    }
}

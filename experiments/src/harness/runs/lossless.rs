//! Numbers as JSON that come back as they were, infinities and NaN included.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number, or the name of one that JSON does not have.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Finite(f64),
    Named(String),
}

impl From<f64> for Written {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Finite(value) } else { Self::Named(value.to_string()) }
    }
}

impl Written {
    fn value<E: serde::de::Error>(self) -> Result<f64, E> {
        match self {
            Self::Finite(value) => Ok(value),
            Self::Named(name) => name.parse().map_err(|_| E::custom(format!("{name} is not a number"))),
        }
    }
}

/// For `#[serde(with = "lossless_number")]`.
pub mod number {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Written};

    #[allow(clippy::trivially_copy_pass_by_ref)] // what serde calls
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Written::from(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Written::deserialize(deserializer)?.value()
    }
}

/// For `#[serde(with = "lossless_maps")]`.
pub mod maps {
    use std::collections::BTreeMap;

    use super::{Deserialize, Deserializer, Serializer, Written};

    pub fn serialize<S: Serializer>(
        maps: &[BTreeMap<String, f64>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let written = |map: &BTreeMap<String, f64>| {
            map.iter().map(|(name, value)| (name.clone(), Written::from(*value))).collect()
        };
        serializer.collect_seq(maps.iter().map(|map| -> BTreeMap<String, Written> { written(map) }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<BTreeMap<String, f64>>, D::Error> {
        let read = |map: BTreeMap<String, Written>| {
            map.into_iter().map(|(name, value)| Ok((name, value.value()?))).collect()
        };
        Vec::<BTreeMap<String, Written>>::deserialize(deserializer)?.into_iter().map(read).collect()
    }
}

/// For `#[serde(with = "lossless_numbers")]`.
pub mod numbers {
    use super::{Deserialize, Deserializer, Serializer, Written};

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| Written::from(*value)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        Vec::<Written>::deserialize(deserializer)?.into_iter().map(Written::value).collect()
    }
}

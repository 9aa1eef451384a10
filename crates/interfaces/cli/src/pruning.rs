//! The table of a pruner in a study file.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use thrifty_pruning::PrunerKind;
use thrifty_units::from_tables;

use crate::method::entry_at_fault;

/// A pruner from its table. The error names the setting at fault.
pub(crate) fn pruner<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PrunerKind>, D::Error> {
    deserializer.deserialize_map(PrunerTable).map(Some)
}

struct PrunerTable;

impl<'de> Visitor<'de> for PrunerTable {
    type Value = PrunerKind;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(r#"a table such as { pruner = "median" }"#)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PrunerKind, A::Error> {
        let table = toml::Table::deserialize(MapAccessDeserializer::new(map))?;
        from_tables(table.clone()).map_err(|error: toml::de::Error| {
            let (entry, reason) = entry_at_fault::<PrunerKind>(&table, &error);
            A::Error::custom(format!("{entry}: {reason}"))
        })
    }
}

//! Results of jobs as cells of a line.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Column of a result that is not a structure.
const VALUE: &str = "value";

/// Columns and cells of a result: a structure has a column for each field, anything else has one; cells are JSON.
pub(super) fn cells<T: Serialize>(result: &T) -> Result<Vec<(String, String)>, serde_json::Error> {
    Ok(match serde_json::to_value(result)? {
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, value.to_string())).collect(),
        value => vec![(VALUE.into(), value.to_string())],
    })
}

/// A result from its cells.
pub(super) fn result<T: DeserializeOwned>(cells: &[(String, String)]) -> Result<T, serde_json::Error> {
    if let [(name, text)] = cells
        && name == VALUE
    {
        return serde_json::from_str(text);
    }
    let field = |(name, text): &(String, String)| Ok((name.clone(), serde_json::from_str(text)?));
    let fields: Map<String, Value> = cells.iter().map(field).collect::<Result<_, serde_json::Error>>()?;
    serde_json::from_value(Value::Object(fields))
}

//! Parameters of a study file.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use thrifty_space::{Kind, Parameter, Space, Value, When};

use crate::error::CliError;

/// One `[[parameters]]` of a study file: a name and one of `float`, `int` and `choices`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterEntry {
    /// Its name, which is its placeholder in the command.
    pub(crate) name: String,
    float: Option<FloatRange>,
    int: Option<IntRange>,
    choices: Option<Vec<Value>>,
    /// Active only while each of these parameters has one of the values.
    #[serde(default)]
    when: BTreeMap<String, Vec<Value>>,
}

/// The `[[parameters]]` of a study file. A table of them, each under its name, is what one writes first.
pub(crate) fn entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ParameterEntry>, D::Error> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<ParameterEntry>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("[[parameters]] in double brackets, once for each parameter, with its name")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
            Deserialize::deserialize(SeqAccessDeserializer::new(list))
        }
    }
    deserializer.deserialize_seq(Entries)
}

/// Real numbers from `low` to `high`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { low = 0.0, high = 1.0 }")]
struct FloatRange {
    low: f64,
    high: f64,
    #[serde(default)]
    log: bool,
    step: Option<f64>,
}

/// Whole numbers from `low` to `high`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { low = 1, high = 10 }")]
struct IntRange {
    low: i64,
    high: i64,
    #[serde(default)]
    log: bool,
    step: Option<i64>,
}

impl ParameterEntry {
    /// The parameter of a space.
    fn parameter(&self) -> Result<Parameter, CliError> {
        let problem =
            |problem: &str| CliError::Parameter { name: self.name.clone(), problem: problem.into() };
        let kind = match (&self.float, &self.int, &self.choices) {
            (Some(FloatRange { log: true, step: Some(_), .. }), None, None) => {
                return Err(problem("log and step of a float exclude each other"));
            }
            (Some(range), None, None) => match range.step {
                Some(step) => Kind::StepFloat { low: range.low, high: range.high, step },
                None => Kind::Float { low: range.low, high: range.high, log: range.log },
            },
            (None, Some(range), None) => {
                Kind::Int { low: range.low, high: range.high, step: range.step.unwrap_or(1), log: range.log }
            }
            (None, None, Some(choices)) => Kind::Categorical { choices: choices.clone() },
            _ => return Err(problem("expected exactly one of float, int and choices")),
        };
        let conditions = self.when.iter();
        let conditions =
            conditions.map(|(parent, values)| When { parent: parent.clone(), values: values.clone() });
        Ok(Parameter { name: self.name.clone(), kind, conditions: conditions.collect() })
    }

    /// True if configurations without the parameter exist.
    pub(crate) fn is_conditional(&self) -> bool {
        !self.when.is_empty()
    }
}

/// The space of all entries.
///
/// # Errors
/// [`CliError`] names the parameter.
pub(crate) fn space(entries: &[ParameterEntry]) -> Result<Space, CliError> {
    let parameters = entries.iter().map(ParameterEntry::parameter).collect::<Result<Vec<_>, _>>()?;
    Ok(Space::new(parameters)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_are_no_tables_are_named_in_the_words_of_the_file() {
        for (range, form) in [
            ("float = [0.0, 1.0]", "{ low = 0.0, high = 1.0 }"),
            ("float = 1.0", "{ low = 0.0, high = 1.0 }"),
            ("int = [1, 10]", "{ low = 1, high = 10 }"),
        ] {
            let read = toml::from_str::<ParameterEntry>(&format!("name = \"x\"\n{range}"));
            let error = read.unwrap_err().to_string();
            assert!(error.contains(&format!("expected a table such as {form}")), "{error}");
        }
    }
}

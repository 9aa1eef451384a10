//! Name and settings of an exchangeable part.

use serde::Serialize;

/// Name and settings of a surrogate, a kernel or an acquisition: all that its results depend on besides data.
///
/// A journal keeps it, so that a study is resumed with the same parts or refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Name of the kind.
    pub name: String,
    /// Settings, as JSON.
    pub settings: serde_json::Value,
}

impl Description {
    /// A part with settings.
    ///
    /// # Errors
    /// Settings that cannot be written as JSON, such as maps with keys that are no text.
    pub fn new(
        name: impl Into<String>,
        settings: &(impl Serialize + ?Sized),
    ) -> Result<Self, serde_json::Error> {
        Ok(Self { name: name.into(), settings: serde_json::to_value(settings)? })
    }

    /// A part without settings.
    #[must_use]
    pub fn without_settings(name: impl Into<String>) -> Self {
        Self { name: name.into(), settings: serde_json::Value::Null }
    }
}

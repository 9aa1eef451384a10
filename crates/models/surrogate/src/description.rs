//! Name and settings of an exchangeable part.

use serde::Serialize;

use crate::{Settings, SettingsError};

/// Name and settings of a surrogate, a kernel or an acquisition: all that its results depend on besides data.
///
/// A journal keeps it, so that a study is resumed with the same parts or refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Name of the kind.
    pub name: String,
    /// Settings, as a tree that a journal writes as JSON.
    pub settings: Settings,
}

impl Description {
    /// A part with settings.
    ///
    /// # Errors
    /// Settings that have no tree, such as maps with keys that are no text.
    pub fn new(name: impl Into<String>, settings: &(impl Serialize + ?Sized)) -> Result<Self, SettingsError> {
        Ok(Self { name: name.into(), settings: Settings::of(settings)? })
    }

    /// A part without settings.
    #[must_use]
    pub fn without_settings(name: impl Into<String>) -> Self {
        Self { name: name.into(), settings: Settings::Nothing }
    }
}

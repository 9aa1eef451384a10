//! Settings as a serialised tree, independent of a data format.

use std::collections::BTreeMap;
use std::fmt;

use serde::ser::{self, Serialize, Serializer};

/// Settings of a part, as a tree of plain values.
///
/// It keeps what JSON keeps of a value, so that writing the tree as JSON and writing the value itself give the same
/// text: names of variants are text, a variant with contents is a map of one entry, and a number that is not finite is
/// nothing. Entries of maps are in the order of their names.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Settings {
    /// No value.
    Nothing,
    /// True or false.
    Flag(bool),
    /// An integer below zero.
    Negative(i64),
    /// An integer from zero on.
    Count(u64),
    /// A finite number.
    Number(f64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Settings>),
    /// Values by name.
    Map(BTreeMap<String, Settings>),
}

/// Settings that have no tree: a map whose keys are neither text nor integers nor flags, or an integer of more than 64 bits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

impl ser::Error for SettingsError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl Settings {
    /// The tree of a value.
    ///
    /// # Errors
    /// [`SettingsError`] for a value that has no tree.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, SettingsError> {
        value.serialize(ToTree)
    }

    /// The value below this name, if this is a map that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.get(name),
            _ => None,
        }
    }

    fn within(self, variant: Option<&'static str>) -> Self {
        match variant {
            Some(variant) => Self::Map(BTreeMap::from([(variant.into(), self)])),
            None => self,
        }
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_unit(),
            Self::Flag(value) => serializer.serialize_bool(*value),
            Self::Negative(value) => serializer.serialize_i64(*value),
            Self::Count(value) => serializer.serialize_u64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(values) => values.serialize(serializer),
            Self::Map(entries) => entries.serialize(serializer),
        }
    }
}

struct ToTree;

/// Calls of one kind for the narrow integers, which the wide ones hold.
macro_rules! widened {
    ($($name:ident: $from:ty => $to:ident;)*) => {
        $(fn $name(self, value: $from) -> Result<Settings, SettingsError> {
            self.$to(value.into())
        })*
    };
}

impl Serializer for ToTree {
    type Ok = Settings;
    type Error = SettingsError;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    widened! {
        serialize_i8: i8 => serialize_i64;
        serialize_i16: i16 => serialize_i64;
        serialize_i32: i32 => serialize_i64;
        serialize_u8: u8 => serialize_u64;
        serialize_u16: u16 => serialize_u64;
        serialize_u32: u32 => serialize_u64;
        serialize_f32: f32 => serialize_f64;
    }

    fn serialize_bool(self, value: bool) -> Result<Settings, SettingsError> {
        Ok(Settings::Flag(value))
    }

    fn serialize_i64(self, value: i64) -> Result<Settings, SettingsError> {
        Ok(u64::try_from(value).map_or(Settings::Negative(value), Settings::Count))
    }

    fn serialize_u64(self, value: u64) -> Result<Settings, SettingsError> {
        Ok(Settings::Count(value))
    }

    fn serialize_f64(self, value: f64) -> Result<Settings, SettingsError> {
        Ok(if value.is_finite() { Settings::Number(value) } else { Settings::Nothing })
    }

    fn serialize_char(self, value: char) -> Result<Settings, SettingsError> {
        Ok(Settings::Text(value.into()))
    }

    fn serialize_str(self, value: &str) -> Result<Settings, SettingsError> {
        Ok(Settings::Text(value.into()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Settings, SettingsError> {
        Ok(Settings::List(value.iter().map(|&byte| Settings::Count(byte.into())).collect()))
    }

    fn serialize_none(self) -> Result<Settings, SettingsError> {
        Ok(Settings::Nothing)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Settings, SettingsError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Settings, SettingsError> {
        Ok(Settings::Nothing)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Settings, SettingsError> {
        Ok(Settings::Nothing)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Settings, SettingsError> {
        Ok(Settings::Text(variant.into()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Settings, SettingsError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Settings, SettingsError> {
        Ok(value.serialize(self)?.within(Some(variant)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, SettingsError> {
        Ok(Items { variant: None, items: Vec::new() })
    }

    fn serialize_tuple(self, length: usize) -> Result<Items, SettingsError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items, SettingsError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items, SettingsError> {
        Ok(Items { variant: Some(variant), items: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, SettingsError> {
        Ok(Fields { variant: None, key: None, entries: BTreeMap::new() })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Fields, SettingsError> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields, SettingsError> {
        Ok(Fields { variant: Some(variant), key: None, entries: BTreeMap::new() })
    }
}

/// A list that is being written.
struct Items {
    variant: Option<&'static str>,
    items: Vec<Settings>,
}

/// The four traits of serde for lists are one.
macro_rules! list {
    ($($kind:ident::$push:ident),*) => {
        $(impl ser::$kind for Items {
            type Ok = Settings;
            type Error = SettingsError;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SettingsError> {
                self.items.push(Settings::of(value)?);
                Ok(())
            }

            fn end(self) -> Result<Settings, SettingsError> {
                Ok(Settings::List(self.items).within(self.variant))
            }
        })*
    };
}

list!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// A map that is being written.
struct Fields {
    variant: Option<&'static str>,
    key: Option<String>,
    entries: BTreeMap<String, Settings>,
}

/// The two traits of serde for fields with names are one.
macro_rules! fields {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Fields {
            type Ok = Settings;
            type Error = SettingsError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), SettingsError> {
                self.entries.insert(name.into(), Settings::of(value)?);
                Ok(())
            }

            fn end(self) -> Result<Settings, SettingsError> {
                Ok(Settings::Map(self.entries).within(self.variant))
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Fields {
    type Ok = Settings;
    type Error = SettingsError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SettingsError> {
        self.key = Some(match Settings::of(key)? {
            Settings::Text(text) => text,
            Settings::Flag(value) => value.to_string(),
            Settings::Negative(value) => value.to_string(),
            Settings::Count(value) => value.to_string(),
            _ => return Err(SettingsError("a key of a map is no text".into())),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SettingsError> {
        let key = self.key.take().ok_or_else(|| SettingsError("a value of a map has no key".into()))?;
        self.entries.insert(key, Settings::of(value)?);
        Ok(())
    }

    fn end(self) -> Result<Settings, SettingsError> {
        Ok(Settings::Map(self.entries))
    }
}

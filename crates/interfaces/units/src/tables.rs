//! Settings that are read from tables with names, never from lists.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

/// Reads settings whose tables have names. A list in the place of a table is an error that has the names.
///
/// Serde reads such a list as the fields in the order of their declaration, which no user knows.
///
/// ```
/// #[derive(Debug, serde::Deserialize)]
/// struct Maximizer { raw: usize, climbs: usize }
///
/// let read = |text| thrifty_units::from_tables::<Maximizer, _>(&mut serde_json::Deserializer::from_str(text));
/// assert_eq!(read(r#"{"raw": 512, "climbs": 6}"#).unwrap().climbs, 6);
/// let error = read("[512, 6]").unwrap_err().to_string();
/// assert!(error.contains("expected a table with names, of raw, climbs"), "{error}");
/// ```
///
/// # Errors
/// The error of the deserializer, or that of a list in the place of a table.
pub fn from_tables<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(Named(deserializer))
}

/// A part of a deserializer. What is read from it, or within it, takes no list for a table.
struct Named<T>(T);

/// A visitor of a table, with the names of its fields.
struct OfTable<V> {
    visitor: Named<V>,
    fields: &'static [&'static str],
}

macro_rules! forward_deserialize {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($name,)* Named(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Named<D> {
    type Error = D::Error;

    forward_deserialize! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(name, fields, OfTable { visitor: Named(visitor), fields })
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! forward_visit {
    ($($method:ident($type:ty);)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Named<V> {
    type Value = V::Value;

    forward_visit! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_char(char);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Named(deserializer))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Named(deserializer))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Named(access))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Named(access))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(Named(access))
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for OfTable<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(formatter)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<V::Value, A::Error> {
        let expected = format!("a table with names, of {}", self.fields.join(", "));
        Err(A::Error::invalid_type(Unexpected::Other("list"), &expected.as_str()))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(access)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Named<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Named(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Named<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Named(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Named<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Named(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Named<A> {
    type Error = A::Error;
    type Variant = Named<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(name, content)| (name, Named(content)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Named<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Named(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Named(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, OfTable { visitor: Named(visitor), fields })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Range {
        low: i64,
        high: i64,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Wrapped(Range);

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Rule {
        Whole,
        Of(Range),
        Between { low: i64, high: i64 },
        Pair(i64, i64),
    }

    /// A table within whatever holds it needs its names.
    #[test]
    fn lists_in_the_place_of_tables_are_refused_at_any_depth() {
        fn of<T: serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(
            named: serde_json::Value,
            list: serde_json::Value,
        ) {
            let plain: T = serde_json::from_value(list.clone()).unwrap();
            assert_eq!(from_tables::<T, _>(named).unwrap(), plain);
            let error = from_tables::<T, _>(list).unwrap_err().to_string();
            assert!(error.contains("expected a table with names, of low, high"), "{error}");
        }
        let (named, list) = (|| json!({"low": 1, "high": 2}), || json!([1, 2]));
        of::<Range>(named(), list());
        of::<Option<Range>>(named(), list());
        of::<Wrapped>(named(), list());
        of::<Vec<Range>>(json!([named()]), json!([list()]));
        of::<(i64, Range)>(json!([0, named()]), json!([0, list()]));
        of::<BTreeMap<String, Range>>(json!({"x": named()}), json!({"x": list()}));
        of::<Rule>(json!({"of": named()}), json!({"of": list()}));
    }

    /// Lists and values of any other type are read as serde reads them.
    #[test]
    fn lists_and_values_are_read_as_ever() {
        assert_eq!(from_tables::<Vec<i64>, _>(json!([1, 2])).unwrap(), [1, 2]);
        assert_eq!(from_tables::<(i64, String), _>(json!([1, "a"])).unwrap(), (1, "a".into()));
        assert_eq!(from_tables::<Option<i64>, _>(json!(null)).unwrap(), None);
        let rule = |value| from_tables::<Rule, _>(value).unwrap();
        assert_eq!(rule(json!("whole")), Rule::Whole);
        assert_eq!(rule(json!({"pair": [1, 2]})), Rule::Pair(1, 2));
        assert_eq!(rule(json!({"between": {"low": 1, "high": 2}})), Rule::Between { low: 1, high: 2 });
        assert!(from_tables::<Rule, _>(json!({"between": [1, 2]})).is_err());
    }
}

//! A tree of settings is what `serde_json` makes of the same value.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Serialize, Serializer};
use thrifty_surrogate::{Description, Settings};

/// Every kind of value that serde tells apart.
#[allow(clippy::zero_sized_map_values)] // an empty value is a kind, too
#[derive(Debug, Clone, Serialize)]
enum Any {
    Unit,
    Flag(bool),
    Small(i8, i16, i32, u8, u16, u32),
    Large(i64, u64),
    Real(f64),
    Single(f32),
    Letter(char),
    Text(String),
    Maybe(Option<Box<Any>>),
    List(Vec<Any>),
    Pair(Box<Any>, Box<Any>),
    Named { first: Box<Any>, second: Wrapped },
    Map(BTreeMap<String, Any>),
    ByNumber(BTreeMap<i64, u64>),
    ByCount(BTreeMap<u8, ()>),
    ByFlag(BTreeMap<bool, Empty>),
    ByLetter(BTreeMap<char, Bytes>),
    ByVariant(BTreeMap<Kind, Tuple>),
}

#[derive(Debug, Clone, Serialize)]
struct Wrapped(i32);

#[derive(Debug, Clone, Serialize)]
struct Tuple(u8, Option<f32>);

#[derive(Debug, Clone, Serialize)]
struct Empty;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
enum Kind {
    One,
    Two,
}

#[derive(Debug, Clone)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

fn leaf() -> BoxedStrategy<Any> {
    let kind = prop_oneof![Just(Kind::One), Just(Kind::Two)];
    prop_oneof![
        Just(Any::Unit),
        any::<bool>().prop_map(Any::Flag),
        any::<(i8, i16, i32, u8, u16, u32)>().prop_map(|(a, b, c, d, e, f)| Any::Small(a, b, c, d, e, f)),
        any::<(i64, u64)>().prop_map(|(a, b)| Any::Large(a, b)),
        prop::num::f64::ANY.prop_map(Any::Real),
        prop::num::f32::ANY.prop_map(Any::Single),
        any::<char>().prop_map(Any::Letter),
        any::<String>().prop_map(Any::Text),
        prop::collection::btree_map(any::<i64>(), any::<u64>(), 0..3).prop_map(Any::ByNumber),
        prop::collection::btree_map(any::<u8>(), Just(()), 0..3).prop_map(Any::ByCount),
        prop::collection::btree_map(any::<bool>(), Just(Empty), 0..3).prop_map(Any::ByFlag),
        prop::collection::btree_map(
            any::<char>(),
            prop::collection::vec(any::<u8>(), 0..3).prop_map(Bytes),
            0..3
        )
        .prop_map(Any::ByLetter),
        prop::collection::btree_map(kind, any::<(u8, Option<f32>)>().prop_map(|(a, b)| Tuple(a, b)), 0..3)
            .prop_map(Any::ByVariant),
    ]
    .boxed()
}

fn anything() -> BoxedStrategy<Any> {
    leaf()
        .prop_recursive(4, 32, 4, |inner| {
            let boxed = inner.clone().prop_map(Box::new);
            prop_oneof![
                prop::option::of(boxed.clone()).prop_map(Any::Maybe),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Any::List),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Any::Pair(a, b)),
                (boxed, any::<i32>())
                    .prop_map(|(first, second)| Any::Named { first, second: Wrapped(second) }),
                prop::collection::btree_map(any::<String>(), inner, 0..4).prop_map(Any::Map),
            ]
        })
        .boxed()
}

proptest! {
    #[test]
    fn a_tree_is_the_json_of_its_value(value in anything()) {
        let expected = serde_json::to_value(&value).unwrap();
        let tree = Settings::of(&value).unwrap();
        prop_assert_eq!(serde_json::to_value(&tree).unwrap(), expected.clone());
        prop_assert_eq!(serde_json::to_string(&tree).unwrap(), expected.to_string());
        prop_assert_eq!(Settings::of(&tree).unwrap(), tree.clone());
        prop_assert_eq!(Settings::of(&expected).unwrap(), tree);
    }
}

#[test]
fn what_json_has_no_keys_for_is_refused() {
    let refused = BTreeMap::from([(Some(1_u8), 2), (None, 3)]);
    let (ours, theirs) = (Settings::of(&refused), serde_json::to_value(BTreeMap::from([(vec![1], 2)])));
    assert_eq!(ours.unwrap_err().to_string(), "a key of a map is no text");
    assert!(theirs.is_err());
    assert!(Description::new("part", &BTreeMap::from([(vec![1], 2)])).is_err());
    assert!(Settings::of(&1_u128).is_err());
}

#[test]
fn values_are_found_by_name() {
    let tree = Description::new("part", &BTreeMap::from([("size", 3)])).unwrap().settings;
    assert_eq!(tree.get("size"), Some(&Settings::Count(3)));
    assert_eq!((tree.get("colour"), Settings::Nothing.get("size")), (None, None));
    assert_eq!(Description::without_settings("part").settings, Settings::Nothing);
}

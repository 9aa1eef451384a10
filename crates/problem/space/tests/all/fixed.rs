//! Spaces with fixed parameters: subsets of the whole space, and what depends on them.

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Kind, Space, SpaceError, Value};

/// Every kind of parameter, three levels of conditions.
fn space() -> Space {
    Space::builder()
        .categorical("model", ["tree", "line", "net"])
        .int("depth", 1, 8)
        .when("model", ["tree", "net"])
        .float("width", 0.0, 1.0)
        .when("depth", [2_i64, 5])
        .step_float("grid", 0.0, 1.0, 0.25)
        .log_float("rate", 1e-4, 1.0)
        .build()
        .unwrap()
}

fn names(space: &Space) -> Vec<&str> {
    space.parameters().iter().map(|parameter| parameter.name.as_str()).collect()
}

#[test]
fn parameters_that_cannot_be_active_are_left_out_with_all_that_depend_on_them() {
    let of = |value: &str| space().with_fixed("model", value).unwrap();
    assert_eq!(names(&of("line")), ["model", "grid", "rate"]);
    assert_eq!(names(&of("net")), ["model", "depth", "width", "grid", "rate"]);
    let depth = space().with_fixed("depth", 3_i64).unwrap();
    assert_eq!(names(&depth), ["model", "depth", "grid", "rate"]);
    let depth = space().with_fixed("depth", 5_i64).unwrap();
    assert_eq!(names(&depth), ["model", "depth", "width", "grid", "rate"]);
    // A conditional parameter that is fixed stays conditional.
    for seed in 0..50 {
        let config = depth.sample(&mut Seed(seed).stream("sample", 0));
        let is_line = config.get("model") == Some(&Value::Str("line".into()));
        assert_eq!(config.get("depth"), (!is_line).then_some(&Value::Int(5)));
        assert_eq!(config.get("width").is_some(), !is_line);
    }
}

#[test]
fn values_are_those_that_decoding_returns() {
    let value = |name: &str, value: Value| {
        let fixed = space().with_fixed(name, value).unwrap();
        let parameter = fixed.parameters().iter().find(|p| p.name == name).unwrap().clone();
        match parameter.kind {
            Kind::Categorical { choices } => choices,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(value("rate", Value::Int(1)), [Value::Float(1.0)]);
    assert_eq!(value("grid", Value::Float(0.75)), [Value::Float(0.75)]);
    assert_eq!(value("grid", Value::Int(1)), [Value::Float(1.0)]);
    assert_eq!(value("depth", Value::Int(8)), [Value::Int(8)]);
}

#[test]
fn names_and_values_that_are_not_of_the_space_are_errors() {
    let error = |name: &str, value: Value| space().with_fixed(name, value).unwrap_err();
    assert_eq!(error("speed", Value::Int(1)), SpaceError::UnknownParameter { name: "speed".into() });
    for (name, value) in [
        ("model", Value::Str("forest".into())),
        ("depth", Value::Int(9)),
        ("depth", Value::Float(2.5)),
        ("grid", Value::Float(0.3)),
        ("rate", Value::Float(f64::NAN)),
        ("rate", Value::Float(2.0)),
        ("rate", Value::Bool(true)),
    ] {
        assert!(error(name, value.clone()).to_string().contains(name), "{name} {value}");
    }
}

#[test]
fn a_float_between_equal_bounds_is_a_single_value() {
    let space = Space::builder()
        .float("x", 2.5, 2.5)
        .log_float("y", 1e-3, 1e-3)
        .float("z", 0.0, 1.0)
        .build()
        .unwrap();
    let config = space.sample(&mut Seed(1).stream("sample", 0));
    assert_eq!((config.float("x"), config.float("y")), (Ok(2.5), Ok(1e-3)));
    assert_eq!(space.decode(&space.encode(&config).unwrap()), config);
    let text = serde_json::to_string(&space).unwrap();
    assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
    // Bounds that make no sense are still refused.
    for (low, high) in [(f64::NAN, f64::NAN), (f64::INFINITY, f64::INFINITY), (1.0, 0.0)] {
        assert!(Space::builder().float("x", low, high).build().is_err(), "{low} {high}");
    }
    assert!(Space::builder().log_float("x", -1.0, -1.0).build().is_err());
    assert!(Space::builder().log_float("x", 0.0, 0.0).build().is_err());
}

proptest! {
    /// Every configuration of the restricted space is one of the whole space with that value, and keeps it.
    #[test]
    fn a_restricted_space_is_a_part_of_the_whole(seed in any::<u64>(), other in any::<u64>()) {
        let space = space();
        let drawn = space.sample(&mut Seed(seed).stream("sample", 0));
        for (name, value) in drawn.iter() {
            let fixed = space.with_fixed(name, value.clone()).unwrap();
            prop_assert!(fixed.validate(&drawn).is_ok(), "{} {} {:?}", name, value, drawn);
            let config = fixed.sample(&mut Seed(other).stream("sample", 1));
            prop_assert!(space.validate(&config).is_ok(), "{:?}", config);
            prop_assert!(config.get(name).is_none_or(|found| found == value));
        }
    }
}

/// A number that was given as a whole number or with a point is the same choice; a choice that is equal comes first.
#[test]
fn a_choice_of_numbers_is_found_by_its_number() {
    let single = Space::builder().float("x", 1.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
    let fixed = Space::builder().float("x", 0.0, 2.0).float("y", 0.0, 1.0).build().unwrap();
    for space in [single, fixed.with_fixed("x", 1.0).unwrap(), fixed.with_fixed("x", 1_i64).unwrap()] {
        let mut config = Config::new();
        config.insert("x", 1_i64);
        config.insert("y", 0.5);
        let decoded = space.decode(&space.encode(&config).unwrap());
        assert_eq!((decoded.get("x"), decoded.float("y")), (Some(&Value::Float(1.0)), Ok(0.5)));
        let mut given = Config::new();
        given.insert("x", 1_i64);
        assert_eq!(space.with_values(config.clone(), &given).unwrap().get("x"), Some(&Value::Float(1.0)));
        config.insert("x", 2_i64);
        let error = space.encode(&config).unwrap_err().to_string();
        assert_eq!(error, "parameter x is 2, expected one of 1");
    }
    let large = (1_i64 << 53) + 1;
    let choices =
        [Value::Float(1.0), Value::Int(1), Value::Int(16), Value::Int(large), "2".into(), true.into()];
    let index = |value: Value| value.position_in(&choices);
    assert_eq!((index(1.0.into()), index(1_i64.into()), index(16.0.into())), (Some(0), Some(1), Some(2)));
    assert_eq!(index(large.into()), Some(3));
    // The nearest float is another number, and texts and truth values are none.
    assert_eq!(
        (index((large as f64).into()), index(2_i64.into()), index(f64::NAN.into())),
        (None, None, None)
    );
}

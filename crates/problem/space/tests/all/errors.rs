//! Every way in which a space or a configuration can be wrong.

use thrifty_space::{Config, Kind, Parameter, Space, Value};

#[test]
fn what_is_wrong_with_a_space_is_named() {
    let build = |space: thrifty_space::SpaceBuilder| space.build().unwrap_err().to_string();
    let new = Space::builder;
    for (error, part) in [
        (build(new()), "at least one"),
        (build(new().float("x", 0.0, 1.0).int("x", 0, 1)), "x is defined twice"),
        (build(new().float("x", 2.0, 1.0)), "x has bounds [2, 1]"),
        (build(new().float("x", f64::NAN, 1.0)), "x has bounds [NaN, 1]"),
        (build(new().float("x", 0.0, f64::INFINITY)), "x has bounds [0, inf]"),
        (build(new().int("x", 2, 1)), "x has bounds [2, 1]"),
        (build(new().float("x", f64::MIN, f64::MAX)), "x has bounds"),
        (build(new().log_float("x", 1e-300, 1e300)), "x has bounds"),
        (build(new().int("x", 1, 1 << 52)), "x has 4503599627370496 levels"),
        (build(new().log_int("x", 1, 1 << 45)), "x is on a log scale up to 35184372088832 steps"),
        (build(new().categorical("x", [f64::NAN])), "x has the choice NaN"),
        (build(new().categorical("y", ["a"]).int("x", 0, 1).when("y", ["b"])), "y being b"),
        (
            build(new().int("y", 0, 1).int("x", 0, 1).when("y", [0; 0])),
            "x depends on y being one of no values",
        ),
        (build(new().int("x", 0, 1).when("y", [1]).int("y", 0, 1)), "x depends on y"),
        (build(new().step_int("x", 0, 3, 4)), "x has step 4"),
        (build(new().step_float("x", 1.0, 0.0, 0.5)), "x has bounds [1, 0]"),
        (build(new().step_float("x", 1.0, 1.0, 0.5)), "x has bounds [1, 1]"),
        (build(new().step_float("x", f64::NAN, 1.0, 0.5)), "x has bounds [NaN, 1]"),
        (build(new().step_float("x", 0.0, f64::INFINITY, 0.5)), "x has bounds [0, inf]"),
        (build(new().step_float("x", 0.0, 1.0, f64::NAN)), "x has step NaN"),
        (build(new().log_float("x", 0.0, 1.0)), "x is on a log scale from 0"),
        (build(new().log_int("x", -3, 1)), "x is on a log scale from -3"),
        (build(new().step_float("x", 0.0, 1.0, 0.0)), "x has step 0"),
        (build(new().step_float("x", 0.0, 1.0, 2.0)), "x has step 2"),
        (
            build(new().step_float("x", 0.0, 1.0, 1e-300)),
            "x has 340282366920938463463374607431768211455 levels",
        ),
        (
            build(new().step_float("x", 0.0, 1.0, 5e-324)),
            "x has 340282366920938463463374607431768211455 levels",
        ),
        (build(new().step_int("x", 0, 3, -1)), "x has step -1"),
        (
            Space::new(vec![log_grid(5, 10)]).unwrap_err().to_string(),
            "x has step 10 on a log scale, expected less than 10",
        ),
        (build(new().categorical("x", Vec::<bool>::new())), "x has no choices"),
        (build(new().categorical("x", ["a", "a"])), "choice a twice"),
        (build(new().float("x", 0.0, 1.0).when("y", [1])), "x depends on y"),
        (build(new().float("y", 0.0, 1.0).float("x", 0.0, 1.0).when("y", [1])), "x depends on y"),
        (build(new().int("y", 0, 3).float("x", 0.0, 1.0).when("y", [9])), "y being 9"),
        (build(new().int("y", 0, 3).float("x", 0.0, 1.0).when("y", [1.5])), "y being 1.5"),
        (build(new().when("y", [1])), "before any parameter"),
    ] {
        assert!(error.contains(part), "{error} does not mention {part}");
    }
    assert!(
        serde_json::from_str::<Space>(r#"[{"name": "x", "kind": "float", "low": 1, "high": 0}]"#).is_err()
    );
}

/// A field that a parameter does not have, one of another kind, one that it lacks, and one of another type: named with the parameter.
#[test]
fn what_is_wrong_with_a_written_space_is_named() {
    let read = |fields: &str| serde_json::from_str::<Space>(&format!(r#"[{{"name": "x", {fields}}}]"#));
    for (fields, part) in [
        (r#""kind": "step_float", "low": 0, "high": 1, "step": 0.1, "log": true"#, "unknown field `log`"),
        (r#""kind": "float", "low": 0, "high": 1, "step": 0.1"#, "unknown field `step`"),
        (r#""kind": "float", "low": 0, "high": 1, "condition": []"#, "unknown field `condition`"),
        (r#""kind": "categorical", "choices": ["a"], "log": false"#, "unknown field `log`"),
        (r#""kind": "int", "low": 0, "high": 1"#, "missing field `step`"),
        (r#""kind": "int", "low": 0.5, "high": 1, "step": 1"#, "invalid type"),
        (r#""kind": "real", "low": 0, "high": 1"#, "unknown variant `real`"),
        (r#""low": 0, "high": 1"#, "missing field `kind`"),
        (
            r#""kind": "float", "low": 0, "high": 1, "conditions": [{"parent": "y"}]"#,
            "missing field `values`",
        ),
        (
            r#""kind": "float", "low": 0, "high": 1, "conditions": [{"parent": "y", "values": [1], "not": 2}]"#,
            "unknown field `not`",
        ),
    ] {
        let error = read(fields).unwrap_err().to_string();
        assert!(error.contains("parameter x") && error.contains(part), "{error} does not mention {part}");
    }
}

/// Every kind of parameter as it is written, with and without the fields that have a default.
#[test]
fn written_spaces_are_read() {
    let written = r#"[
        {"name": "c", "kind": "categorical", "choices": ["a", 1, 0.5, true]},
        {"name": "x", "kind": "float", "low": -1, "high": 1.5},
        {"name": "y", "kind": "float", "low": 0.001, "high": 1.0, "log": true},
        {"name": "s", "kind": "step_float", "low": 0.0, "high": 1.0, "step": 0.25},
        {"name": "n", "kind": "int", "low": -9223372036854775808, "high": -9223372036854775807, "step": 1},
        {"name": "m", "kind": "int", "low": 1, "high": 9, "step": 1, "log": true,
         "conditions": [{"parent": "c", "values": ["a", true]}, {"parent": "n", "values": [-9223372036854775808]}]}
    ]"#;
    let choices = [Value::from("a"), Value::Int(1), Value::Float(0.5), Value::Bool(true)];
    let built = Space::builder()
        .categorical("c", choices)
        .float("x", -1.0, 1.5)
        .log_float("y", 0.001, 1.0)
        .step_float("s", 0.0, 1.0, 0.25)
        .int("n", i64::MIN, i64::MIN + 1)
        .log_int("m", 1, 9)
        .when("c", [Value::from("a"), Value::Bool(true)])
        .when("n", [i64::MIN])
        .build()
        .unwrap();
    assert_eq!(serde_json::from_str::<Space>(written).unwrap(), built);
    assert_eq!(serde_json::from_value::<Space>(serde_json::to_value(&built).unwrap()).unwrap(), built);
}

/// Conditions on all parameters before, on and off: the work does not double with each of them.
#[test]
fn many_conditions_are_little_work() {
    let name = |index: usize| format!("p{index}");
    let add = |space: thrifty_space::SpaceBuilder, index: usize| {
        let space = space.categorical(&name(index), [false, true]);
        (0..index).fold(space, |space, parent| space.when(&name(parent), [true]))
    };
    let space = (0..40).fold(Space::builder(), add).build().unwrap();
    let all = space.decode(&vec![1.0; space.dim()]);
    let mut config = Config::new();
    (0..40).for_each(|index| config.insert(name(index), true));
    let x = space.encode(&config).unwrap();
    assert_eq!(space.decode(&x), config);
    assert!(
        all.bool("p0").is_ok_and(|first| !first) && all.get("p1").is_none(),
        "the first of equals: {all}"
    );
}

/// Whole numbers from `low` to 100 on a log scale.
fn log_grid(low: i64, step: i64) -> Parameter {
    let kind = Kind::Int { low, high: 100, step, log: true };
    Parameter { name: "x".into(), kind, conditions: Vec::new() }
}

#[test]
fn what_is_wrong_with_a_configuration_is_named() {
    let space = Space::builder()
        .float("x", 0.0, 1.0)
        .step_int("n", 0, 10, 5)
        .categorical("c", ["a", "b"])
        .float("m", 0.0, 1.0)
        .when("c", ["a"])
        .build()
        .unwrap();
    let with = |changes: &[(&str, Value)]| {
        let mut config = Config::new();
        let base = [("x", Value::Float(0.5)), ("n", Value::Int(5)), ("c", Value::from("b"))];
        base.iter().chain(changes).for_each(|(name, value)| config.insert(*name, value.clone()));
        space.validate(&config).map_err(|error| error.to_string())
    };
    assert_eq!(with(&[]), Ok(()));
    assert_eq!(with(&[("x", Value::Int(1))]), Ok(()), "whole numbers are numbers");
    assert_eq!(with(&[("n", Value::Float(10.0))]), Ok(()), "10.0 is a whole number");
    for (changes, part) in [
        (vec![("z", Value::Int(1))], "unknown parameter z"),
        (vec![("c", Value::from("a"))], "m is missing"),
        (vec![("m", Value::Float(0.5))], "m is set to 0.5 but"),
        (vec![("x", Value::from("high"))], "x is high, expected a number"),
        (vec![("x", Value::Float(f64::NAN))], "x is NaN"),
        (vec![("x", Value::Float(1.5))], "x is 1.5, expected a number in [0, 1]"),
        (vec![("n", Value::Float(5.5))], "n is 5.5, expected a whole number"),
        (vec![("n", Value::Float(3.0))], "n is 3, expected a whole number from 0 to 10 by 5"),
        (vec![("n", Value::Int(3))], "n is 3, expected a whole number from 0 to 10 by 5"),
        (vec![("c", Value::from("d"))], "c is d, expected one of a, b"),
    ] {
        let error = with(&changes).unwrap_err();
        assert!(error.contains(part), "{error} does not mention {part}");
    }
    let mut config = Config::new();
    config.insert("c", "b");
    assert_eq!(config.float("c").unwrap_err().to_string(), "parameter c is b, expected a number");
    assert_eq!(config.int("c").unwrap_err().to_string(), "parameter c is b, expected a whole number");
    assert_eq!(config.bool("c").unwrap_err().to_string(), "parameter c is b, expected true or false");
    assert_eq!((config.str("c"), config.to_string()), (Ok("b"), "c = b".to_string()));
    assert_eq!(Config::new().float("x").unwrap_err().to_string(), "parameter x is missing");
}

/// The end of a range that is no whole number of steps is not on the grid.
#[test]
fn the_end_of_a_range_need_not_be_a_level() {
    let space = Space::builder().step_float("x", 0.0, 1.0, 0.6).build().unwrap();
    let validate = |x: f64| {
        let mut config = Config::new();
        config.insert("x", x);
        space.validate(&config).map_err(|error| error.to_string())
    };
    assert_eq!((validate(0.0), validate(0.6)), (Ok(()), Ok(())));
    assert_eq!(validate(1.0), Err("parameter x is 1, expected 0, 0.6 … 1".into()));
}

/// Names are looked up in a table: 30,000 parameters take milliseconds, where a search through all before each took
/// seconds.
#[test]
fn large_spaces_are_read_and_used_in_little_time() {
    let count = 30_000;
    let began = std::time::Instant::now();
    let built =
        (0..count).fold(Space::builder(), |space, i| space.int(&format!("x{i}"), 0, 3)).build().unwrap();
    let json = serde_json::to_string(&built).unwrap();
    let space: Space = serde_json::from_str(&json).unwrap();
    assert_eq!(space, built);
    let config = space.decode(&vec![0.3; count]);
    assert_eq!(space.encode(&config).unwrap().len(), count);
    let mut other = config;
    other.insert("x30000", 1);
    assert!(space.encode(&other).unwrap_err().to_string().contains("x30000"));
    assert!(began.elapsed().as_secs_f64() < 3.0, "{:?}", began.elapsed());
}

#[test]
fn whole_numbers_on_a_logarithmic_scale_begin_at_1() {
    let built = |low: i64| Space::builder().log_int("x", low, 9).build();
    assert!(built(1).is_ok());
    for low in [0, -1, -9] {
        let error = built(low).unwrap_err().to_string();
        assert!(error.contains(&low.to_string()) && error.contains('x') && error.contains("log"), "{error}");
    }
}

/// The ends of a cube are the bounds to the bit, where a product of roundings need not be.
#[test]
fn the_ends_of_an_axis_are_its_bounds() {
    for (low, high) in [(0.1, 0.7), (1e-5, 0.3), (3.0, 77.7), (1.1e-3, 9.9e4), (0.3, 0.9)] {
        let space = Space::builder().float("x", low, high).log_float("y", low, high).build().unwrap();
        for (u, expected) in [(0.0, low), (1.0, high)] {
            let config = space.decode(&[u, u]);
            assert_eq!((config.float("x"), config.float("y")), (Ok(expected), Ok(expected)));
        }
        let beyond = |scale: f64| high + scale * (low - high);
        let middle = space.decode(&[0.5, 0.5]);
        assert!((middle.float("x").unwrap() - beyond(0.5)).abs() < 1e-12 * high);
        assert!((middle.float("y").unwrap() - (low * high).sqrt()).abs() < 1e-12 * high);
    }
}

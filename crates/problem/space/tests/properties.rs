//! The round-trip laws on random spaces, and every way in which a space or a configuration can be wrong.

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Kind, Parameter, Space, SpaceError, Value, When};

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        (-1e3..1e3_f64, 1e-3..1e3_f64).prop_map(|(low, width)| Kind::Float {
            low,
            high: low + width,
            log: false
        }),
        (-12.0..3.0_f64, 0.01..9.0_f64).prop_map(|(low, decades)| Kind::Float {
            low: 10_f64.powf(low),
            high: 10_f64.powf(low + decades),
            log: true
        }),
        (-50.0..50.0_f64, 1_u32..40, 0.01..3.0_f64).prop_map(|(low, n, step)| Kind::StepFloat {
            low,
            high: low + f64::from(n) * step,
            step
        }),
        (-1000_i64..1000, 0_i64..5000, 1_i64..7).prop_map(|(low, range, step)| Kind::Int {
            low,
            high: low + range.max(step),
            step,
            log: false
        }),
        (1_i64..100, 0_i64..1_000_000).prop_map(|(low, range)| Kind::Int {
            low,
            high: low + range,
            step: 1,
            log: true
        }),
        (1_usize..6).prop_map(|n| Kind::Categorical {
            choices: (0..n).map(|i| Value::Str(format!("c{i}"))).collect()
        }),
    ]
}

/// Up to six parameters; some depend on a categorical one before them.
fn space() -> impl Strategy<Value = Space> {
    prop::collection::vec((kind(), any::<bool>(), 0_usize..6), 1..7).prop_map(|kinds| {
        let mut parameters: Vec<Parameter> = Vec::new();
        for (i, (kind, conditional, which)) in kinds.into_iter().enumerate() {
            let mut conditions = Vec::new();
            if let (true, Some(parent)) = (conditional, parameters.get(which))
                && let Kind::Categorical { choices } = &parent.kind
            {
                conditions.push(When { parent: parent.name.clone(), values: vec![choices[0].clone()] });
            }
            parameters.push(Parameter { name: format!("p{i}"), kind, conditions });
        }
        Space::new(parameters).expect("a valid space")
    })
}

proptest! {
    #[test]
    fn configurations_survive_the_round_trip(space in space(), seed in any::<u64>()) {
        let config = space.sample(&mut Seed(seed).stream("space", 0));
        prop_assert_eq!(space.validate(&config), Ok(()));
        let x = space.encode(&config).expect("valid");
        prop_assert!(space.domain().is_feasible(&x), "{:?}", x);
        prop_assert!(x.iter().all(|u| (0.0..=1.0).contains(u)));
        let back = space.decode(&x);
        prop_assert_eq!(config.iter().count(), back.iter().count());
        for ((name, a), (_, b)) in config.iter().zip(back.iter()) {
            let kind = &space.parameters().iter().find(|p| p.name == name).expect("known").kind;
            match (a, b, kind) {
                (Value::Float(a), Value::Float(b), Kind::Float { log: true, .. }) => prop_assert!((a - b).abs() <= 1e-13 * a.abs()),
                (Value::Float(a), Value::Float(b), Kind::Float { low, high, .. }) => {
                    prop_assert!((a - b).abs() <= 4.0 * f64::EPSILON * low.abs().max(high.abs()));
                }
                _ => prop_assert_eq!(a, b),
            }
        }
        let again = space.encode(&back).expect("valid");
        prop_assert_eq!(&again, &x, "a second trip moves the point");
        prop_assert_eq!(space.decode(&again), back);
    }

    #[test]
    fn any_point_decodes_to_a_valid_configuration(space in space(), seed in any::<u64>(), wild in any::<bool>()) {
        let mut rng = Seed(seed).stream("point", 0);
        let mut draw = || match (wild, rng.index(6)) {
            (true, 0) => f64::NAN,
            (true, 1) => f64::INFINITY,
            (true, 2) => -3.0,
            (_, 3) => 1.0,
            (_, 4) => 0.0,
            _ => rng.uniform(),
        };
        let x: Vec<f64> = (0..space.dim()).map(|_| draw()).collect();
        let config = space.decode(&x);
        prop_assert_eq!(space.validate(&config), Ok(()));
    }

    #[test]
    fn spaces_survive_serde_and_have_a_stable_fingerprint(space in space()) {
        let json = serde_json::to_string(&space).expect("JSON");
        let back: Space = serde_json::from_str(&json).expect("a space");
        prop_assert_eq!(back.fingerprint(), space.fingerprint());
        prop_assert_eq!(back, space);
    }

    #[test]
    fn neighbours_and_enumeration_are_feasible(space in space(), seed in any::<u64>()) {
        let x = space.encode(&space.sample(&mut Seed(seed).stream("space", 0))).expect("valid");
        for neighbour in space.domain().neighbours(&x) {
            prop_assert!(space.domain().is_feasible(&neighbour) && neighbour != x);
        }
        if let Some(all) = space.domain().enumerate(2000) {
            prop_assert_eq!(Some(all.len() as u64), space.domain().cardinality(2000));
            prop_assert!(all.iter().all(|point| space.domain().is_feasible(point)));
            prop_assert!(all.contains(&x));
        }
    }
}

#[test]
fn discrete_levels_are_drawn_evenly() {
    let space = Space::builder().int("n", 0, 4).categorical("c", [true, false]).build().unwrap();
    let mut counts = [0; 5];
    for id in 0..5000 {
        counts[space.sample(&mut Seed(1).stream("draw", id)).int("n").unwrap() as usize] += 1;
    }
    // 1000 ± 28 each; 6 standard deviations.
    assert!(counts.iter().all(|c| (830..1170).contains(c)), "{counts:?}");
}

#[test]
fn the_whole_range_of_integers_does_not_overflow() {
    let error = Space::builder().int("n", i64::MIN, i64::MAX).build().unwrap_err();
    assert_eq!(error, SpaceError::TooManyLevels { name: "n".into(), count: 1 << 64 });
    let space = Space::builder().step_int("n", i64::MIN, i64::MAX, 1 << 40).build().unwrap();
    for u in [0.0, 0.3, 1.0] {
        let config = space.decode(&[u]);
        assert_eq!(space.decode(&space.encode(&config).unwrap()), config);
    }
}

#[test]
fn what_is_wrong_with_a_space_is_named() {
    let build = |space: thrifty_space::SpaceBuilder| space.build().unwrap_err().to_string();
    let new = Space::builder;
    for (error, part) in [
        (build(new()), "at least one"),
        (build(new().float("x", 0.0, 1.0).int("x", 0, 1)), "x is defined twice"),
        (build(new().float("x", 1.0, 1.0)), "x has bounds [1, 1]"),
        (build(new().float("x", 2.0, 1.0)), "x has bounds [2, 1]"),
        (build(new().float("x", f64::NAN, 1.0)), "x has bounds [NaN, 1]"),
        (build(new().float("x", 0.0, f64::INFINITY)), "x has bounds [0, inf]"),
        (build(new().int("x", 2, 1)), "x has bounds [2, 1]"),
        (build(new().log_float("x", 0.0, 1.0)), "x is on a log scale from 0"),
        (build(new().log_int("x", -3, 1)), "x is on a log scale from -3"),
        (build(new().step_float("x", 0.0, 1.0, 0.0)), "x has step 0"),
        (build(new().step_float("x", 0.0, 1.0, 2.0)), "x has step 2"),
        (build(new().step_int("x", 0, 3, -1)), "x has step -1"),
        (build(new().categorical("x", Vec::<bool>::new())), "x has no choices"),
        (build(new().categorical("x", ["a", "a"])), "choice a twice"),
        (build(new().float("x", 0.0, 1.0).when("y", [1])), "x depends on y"),
        (build(new().float("y", 0.0, 1.0).float("x", 0.0, 1.0).when("y", [1])), "x depends on y"),
        (build(new().int("y", 0, 3).float("x", 0.0, 1.0).when("y", [9])), "y being 9"),
        (build(new().when("y", [1])), "before any parameter"),
    ] {
        assert!(error.contains(part), "{error} does not mention {part}");
    }
    assert!(
        serde_json::from_str::<Space>(r#"[{"name": "x", "kind": "float", "low": 1, "high": 0}]"#).is_err()
    );
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
    for (changes, part) in [
        (vec![("z", Value::Int(1))], "unknown parameter z"),
        (vec![("c", Value::from("a"))], "m is missing"),
        (vec![("m", Value::Float(0.5))], "m is set to 0.5 but"),
        (vec![("x", Value::from("high"))], "x is high, expected a number"),
        (vec![("x", Value::Float(f64::NAN))], "x is NaN"),
        (vec![("x", Value::Float(1.5))], "x is 1.5, expected a number in [0, 1]"),
        (vec![("n", Value::Float(5.0))], "n is 5, expected a whole number"),
        (vec![("n", Value::Int(3))], "n is 3, expected a whole number from 0 to 10 by 5"),
        (vec![("c", Value::from("d"))], "c is d, expected one of a, b"),
    ] {
        let error = with(&changes).unwrap_err();
        assert!(error.contains(part), "{error} does not mention {part}");
    }
    assert_eq!(Config::new().float("x").unwrap_err().to_string(), "parameter x is missing");
}

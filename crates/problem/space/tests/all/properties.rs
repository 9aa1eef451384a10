//! The round-trip laws on random spaces.

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
        (-50.0..50.0_f64, 1.0..40.0_f64, any::<bool>(), 0.01..3.0_f64).prop_map(|(low, n, whole, step)| {
            Kind::StepFloat { low, high: low + if whole { n.floor() } else { n } * step, step }
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

/// Up to six parameters; some depend on a discrete one before them.
fn space() -> impl Strategy<Value = Space> {
    prop::collection::vec((kind(), any::<bool>(), 0_usize..6), 1..7).prop_map(|kinds| {
        let mut parameters: Vec<Parameter> = Vec::new();
        for (i, (kind, conditional, which)) in kinds.into_iter().enumerate() {
            let mut conditions = Vec::new();
            if let (true, Some(parent)) = (conditional, parameters.get(which)) {
                let values = match &parent.kind {
                    Kind::Float { .. } => Vec::new(),
                    Kind::StepFloat { low, step, .. } => vec![Value::Float(*low), Value::Float(low + step)],
                    Kind::Int { low, .. } => vec![Value::Int(*low)],
                    Kind::Categorical { choices } => vec![choices[0].clone()],
                };
                if !values.is_empty() {
                    conditions.push(When { parent: parent.name.clone(), values });
                }
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
        prop_assert_eq!(back.fingerprint().unwrap(), space.fingerprint().unwrap());
        prop_assert_eq!(back, space);
    }

    #[test]
    fn neighbors_and_enumeration_are_feasible(space in space(), seed in any::<u64>()) {
        let x = space.encode(&space.sample(&mut Seed(seed).stream("space", 0))).expect("valid");
        for neighbor in space.domain().neighbors(&x) {
            prop_assert!(space.domain().is_feasible(&neighbor) && neighbor != x);
        }
        if let Some(all) = space.domain().enumerate(2000) {
            prop_assert_eq!(Some(all.len() as u64), space.domain().cardinality(2000));
            prop_assert!(all.iter().all(|point| space.domain().is_feasible(point)));
            prop_assert!(all.contains(&x));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn a_second_trip_changes_no_bit_on_any_axis(
        a in prop_oneof![any::<f64>(), -15.0..15.0_f64],
        b in prop_oneof![any::<f64>(), -15.0..15.0_f64, Just(f64::NAN)],
        near in 1e-16..1e-2_f64,
        log in any::<bool>(),
        u in 0.0..=1.0_f64,
    ) {
        let b = if b.is_nan() { a * (1.0 + near) } else { b };
        let (low, high) = if log { (a.abs().min(b.abs()), a.abs().max(b.abs())) } else { (a.min(b), a.max(b)) };
        let kind = Kind::Float { low, high, log };
        if let Ok(space) = Space::new(vec![Parameter { name: "x".into(), kind, conditions: Vec::new() }]) {
            let config = space.decode(&[u]);
            let x = space.encode(&config).expect("valid");
            let (a, b) = (config.float("x").unwrap(), space.decode(&x).float("x").unwrap());
            prop_assert_eq!(space.encode(&space.decode(&x)), Ok(x));
            // A subnormal number has fewer digits to be relative to.
            let error = if log { 1e-13 * a } else { 4.0 * f64::EPSILON * low.abs().max(high.abs()) };
            prop_assert!((a - b).abs() <= error + 4.0 * f64::MIN_POSITIVE * f64::EPSILON, "{a:e} {b:e}");
        }
    }

    #[test]
    fn long_grids_come_back_exactly(bits in 30_u32..51, cut in any::<u64>(), at in any::<u64>(), log in any::<bool>()) {
        let limit = if log { bits.min(44) } else { bits };
        let high = (1_i64 << limit) - (cut >> (64 - limit + 2)).cast_signed();
        let builder = Space::builder();
        let space = if log { builder.log_int("n", 1, high) } else { builder.int("n", 1, high) }.build().unwrap();
        // Half of the draws from the far end, where the levels are closest to each other.
        let n = if at % 2 == 0 { high - (at % 1000).cast_signed() } else { 1 + (at % high as u64).cast_signed() };
        let mut config = Config::new();
        config.insert("n", n);
        prop_assert_eq!(space.decode(&space.encode(&config).unwrap()), config);
    }

    #[test]
    fn long_float_grids_come_back_exactly(low in -1e3..1e3_f64, count in 1e3..1e10_f64, step in 1e-3..10.0_f64, u in 0.0..=1.0_f64) {
        let space = Space::builder().step_float("s", low, low + count * step, step).build().unwrap();
        let config = space.decode(&[u]);
        prop_assert_eq!(space.decode(&space.encode(&config).expect("valid")), config);
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
fn the_convenient_cube_is_the_space_of_its_bounds() {
    let cube = Space::unit_cube(2);
    assert_eq!(cube, Space::builder().float("x0", 0.0, 1.0).float("x1", 0.0, 1.0).build().unwrap());
    assert_eq!(Space::from_bounds(&[]), Err(SpaceError::Empty));
}

/// Journals name a space by this text: a change makes every study written before unreadable.
#[test]
fn the_fingerprint_is_the_same_in_every_version() {
    let space = Space::builder()
        .log_float("lr", 1e-5, 0.1)
        .step_float("s", 0.0, 1.0, 0.1)
        .int("n", 1, 150)
        .categorical("c", ["a", "b"])
        .float("m", 0.0, 1.0)
        .when("c", ["a"])
        .build()
        .unwrap();
    assert_eq!(space.fingerprint().unwrap(), "eb55b6ad7e6ac7af");
}

/// A parameter whose parent is not active is not active, whatever the parent's columns hold.
#[test]
fn activity_is_inherited_through_nested_conditions() {
    let space = Space::builder()
        .categorical("c", ["a", "b"])
        .int("m", 0, 3)
        .when("c", ["a"])
        .float("x", 0.0, 1.0)
        .when("m", [0, 1, 2, 3])
        .categorical("d", ["u", "v"])
        .when("m", [2])
        .int("n", 1, 2)
        .when("d", ["v"])
        .build()
        .unwrap();
    let mut rng = Seed(3).stream("points", 0);
    let mut seen = [0; 4];
    for _ in 0..2000 {
        let cube: Vec<f64> = (0..space.dim()).map(|_| rng.uniform()).collect();
        let config = space.decode(&cube);
        let has = |name: &str| config.get(name).is_some();
        let is_a = config.str("c") == Ok("a");
        assert!(has("m") == is_a && has("x") == is_a, "{config}");
        assert_eq!(has("d"), is_a && config.int("m") == Ok(2), "{config}");
        assert_eq!(has("n"), has("d") && config.str("d") == Ok("v"), "{config}");
        seen[usize::from(is_a) + usize::from(has("d")) + usize::from(has("n"))] += 1;
        space.validate(&config).unwrap();
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
    // Set all the same: an error that names it.
    let mut config = thrifty_space::Config::new();
    config.insert("c", "b");
    space.validate(&config).unwrap();
    config.insert("x", 0.5);
    assert!(space.validate(&config).unwrap_err().to_string().contains('x'));
}

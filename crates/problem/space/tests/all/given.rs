//! Spaces with given values: every point has them, the rest is free, and encoding is as before.

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError, Value};

fn space() -> Space {
    Space::builder()
        .categorical("solver", ["sgd", "adam", "lbfgs"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .int("layers", 1, 4)
        .log_float("rate", 1e-6, 1.0)
        .build()
        .unwrap()
}

fn config(entries: &[(&str, Value)]) -> Config {
    entries.iter().fold(Config::new(), |mut config, (name, value)| {
        config.insert((*name).to_owned(), value.clone());
        config
    })
}

proptest! {
    /// A configuration of which some parts are given: every point of the domain has them, whatever it was.
    #[test]
    fn every_point_has_the_given_values(seed in 0_u64..1000, keep in prop::collection::vec(any::<bool>(), 4)) {
        let space = space();
        let whole = space.sample(&mut Seed(seed).stream("whole", 0));
        let names = ["solver", "momentum", "layers", "rate"];
        let mut given = Config::new();
        let with_solver = keep[0];
        for (name, keep) in names.iter().zip(&keep) {
            // A value under a condition comes with the value of the condition.
            let counts = *keep && (*name != "momentum" || with_solver);
            if let Some(value) = whole.get(name).filter(|_| counts) {
                given.insert((*name).to_owned(), value.clone());
            }
        }
        let within = space.given(&given).unwrap();
        let mut rng = Seed(seed).stream("others", 0);
        for _ in 0..20 {
            let other = within.sample(&mut rng);
            prop_assert!(space.validate(&other).is_ok());
            for (name, value) in given.iter() {
                match (value, other.get(name).unwrap()) {
                    (Value::Float(a), Value::Float(b)) => prop_assert!((a - b).abs() <= 1e-12 * a.abs().max(1e-3)),
                    (a, b) => prop_assert_eq!(a, b),
                }
            }
        }
        // Points of the whole space are encoded as before.
        prop_assert_eq!(within.encode(&whole).unwrap(), space.encode(&whole).unwrap());
    }
}

#[test]
fn what_is_left_is_counted_and_listed() {
    let space = Space::builder()
        .categorical("kind", ["a", "b"])
        .int("n", 0, 4)
        .when("kind", ["a"])
        .int("m", 0, 2)
        .build()
        .unwrap();
    let count = |given: &[(&str, Value)]| {
        let within = space.given(&config(given)).unwrap();
        let all = within.domain().enumerate(1000).unwrap();
        assert_eq!(within.domain().cardinality(1000), Some(all.len() as u64));
        assert!(all.iter().all(|x| within.domain().is_feasible(x) && space.domain().is_feasible(x)));
        let mut configs: Vec<String> = all.iter().map(|x| format!("{:?}", within.decode(x))).collect();
        configs.sort();
        configs.dedup();
        assert_eq!(configs.len(), all.len());
        all.len()
    };
    assert_eq!(count(&[]), 5 * 3 + 3);
    assert_eq!(count(&[("kind", "a".into())]), 15);
    assert_eq!(count(&[("kind", "b".into())]), 3);
    assert_eq!(count(&[("m", 1.into())]), 6);
    assert_eq!(count(&[("kind", "a".into()), ("n", 3.into())]), 3);
    assert_eq!(count(&[("kind", "a".into()), ("n", 3.into()), ("m", 0.into())]), 1);
    // Neighbors keep what is given.
    let within = space.given(&config(&[("kind", "a".into()), ("n", 3.into())])).unwrap();
    let x = within.domain().enumerate(10).unwrap().remove(1);
    let near: Vec<Config> = within.domain().neighbors(&x).iter().map(|x| within.decode(x)).collect();
    assert_eq!(near.len(), 2);
    assert!(near.iter().all(|c| c.int("n") == Ok(3) && c.str("kind") == Ok("a")), "{near:?}");
}

#[test]
fn a_fixed_number_leaves_the_others_continuous() {
    let within = space().given(&config(&[("rate", 0.01.into())])).unwrap();
    let free: Vec<usize> = within.domain().continuous_columns().collect();
    assert_eq!(free, [within.domain().columns(1).start]);
    assert!(!within.domain().is_discrete());
    let line = Space::builder().float("x", 0.0, 1.0).int("n", 1, 3).build().unwrap();
    assert!(line.given(&config(&[("x", 0.5.into())])).unwrap().domain().is_discrete());
}

#[test]
fn what_cannot_be_given_is_named() {
    let refused = |entries: &[(&str, Value)]| space().given(&config(entries)).unwrap_err();
    assert_eq!(refused(&[("depth", 1.into())]), SpaceError::UnknownParameter { name: "depth".into() });
    assert_eq!(
        refused(&[("momentum", 0.5.into())]).to_string(),
        "parameter momentum is given but solver, on which it depends, is not"
    );
    assert!(matches!(
        refused(&[("solver", "adam".into()), ("momentum", 0.5.into())]),
        SpaceError::InactiveParameter { .. }
    ));
    assert!(matches!(refused(&[("rate", 2.0.into())]), SpaceError::OutOfRange { .. }));
    assert!(matches!(refused(&[("layers", "two".into())]), SpaceError::WrongType { .. }));
}

//! Places of values in the unit cube, by closed forms; and the ends of what can be built.

use thrifty_space::{Config, Space, Value};

fn one(name: &str, value: impl Into<Value>) -> Config {
    let mut config = Config::new();
    config.insert(name, value);
    config
}

#[test]
fn numbers_lie_evenly_or_by_their_logarithms() {
    let even = Space::builder().float("x", -2.0, 6.0).build().unwrap();
    let log = Space::builder().log_float("x", 1e-4, 1.0).build().unwrap();
    for (space, u, value) in [
        (&even, 0.0, -2.0),
        (&even, 0.25, 0.0),
        (&even, 0.5, 2.0),
        (&even, 1.0, 6.0),
        (&log, 0.0, 1e-4),
        (&log, 0.25, 1e-3),
        (&log, 0.5, 1e-2),
        (&log, 0.75, 1e-1),
        (&log, 1.0, 1.0),
    ] {
        let found = space.decode(&[u]).float("x").unwrap();
        assert!((found - value).abs() < 1e-13 * value.abs().max(1e-3), "{found} at {u}, expected {value}");
        let place = space.encode(&one("x", value)).unwrap()[0];
        assert!((place - u).abs() < 1e-13, "{value} at {place}, expected {u}");
    }
    // Ends are exact, and what is beyond the cube is at its ends.
    assert_eq!(log.decode(&[1.0]).float("x"), Ok(1.0));
    assert_eq!((even.decode(&[-3.0]).float("x"), even.decode(&[9.0]).float("x")), (Ok(-2.0), Ok(6.0)));
}

/// Level k of n lies in the middle of its cell, (k + ½) / n; on a logarithmic grid cells are as wide as their logarithms.
#[test]
fn levels_lie_in_the_middle_of_their_cells() {
    let even = Space::builder().step_int("n", 10, 40, 10).build().unwrap();
    for (k, value) in [10, 20, 30, 40].into_iter().enumerate() {
        let place = (k as f64 + 0.5) / 4.0;
        assert!((even.encode(&one("n", value)).unwrap()[0] - place).abs() < 1e-15);
        for u in [place - 0.124, place, place + 0.124] {
            assert_eq!(even.decode(&[u]).int("n"), Ok(value));
        }
    }
    let floats = Space::builder().step_float("x", -1.0, 1.0, 0.5).build().unwrap();
    for (k, value) in [-1.0, -0.5, 0.0, 0.5, 1.0].into_iter().enumerate() {
        assert_eq!(floats.encode(&one("x", value)).unwrap(), [(k as f64 + 0.5) / 5.0]);
        assert_eq!(floats.decode(&[(k as f64 + 0.5) / 5.0]).float("x"), Ok(value));
    }
    // 1 to 8 by the logarithm: half of the cube to 2 and a half, √(½ · 8½).
    let log = Space::builder().log_int("n", 1, 8).build().unwrap();
    let border = |low: f64| (low / 0.5).ln() / (8.5_f64 / 0.5).ln();
    for value in 1..=8_i64 {
        let (low, high) = (border(value as f64 - 0.5), border(value as f64 + 0.5));
        let width = high - low;
        assert_eq!(log.decode(&[low + 0.01 * width]).int("n"), Ok(value));
        assert_eq!(log.decode(&[high - 0.01 * width]).int("n"), Ok(value));
        let place = log.encode(&one("n", value)).unwrap()[0];
        assert!(low < place && place < high, "{value} at {place} of [{low}, {high}]");
    }
}

#[test]
fn a_value_is_on_a_grid_up_to_a_billionth_of_a_step() {
    let space = Space::builder().step_float("x", 0.0, 1.0, 0.25).build().unwrap();
    let accepts = |x: f64| space.encode(&one("x", x)).is_ok();
    for x in [0.0, 0.25, 1.0, 0.25 + 2e-10, 0.75 - 2e-10] {
        assert!(accepts(x), "{x}");
    }
    for x in [0.25 + 3e-10, 0.125, -0.25, 1.25, 1.0 + 1e-10, f64::NAN] {
        assert!(!accepts(x), "{x}");
    }
    // Whole numbers are numbers.
    assert!(space.encode(&one("x", 1_i64)).is_ok() && space.encode(&one("x", 2_i64)).is_err());
}

/// Values of a grid that were computed or written in another way differ from it by a few roundings.
#[test]
fn roundings_of_a_grid_are_on_it() {
    let grid =
        |low: f64, high: f64, step: f64| Space::builder().step_float("x", low, high, step).build().unwrap();
    let short = grid(0.0, 0.3, 0.1);
    let beyond = 3.0 * 0.1;
    assert!(beyond > 0.3);
    let level =
        |space: &Space, x: f64| space.decode(&space.encode(&one("x", x)).unwrap()).float("x").unwrap();
    assert_eq!(level(&short, beyond), 0.3);
    assert_eq!(level(&grid(-0.3, 0.0, 0.1), -beyond), -0.3);
    assert!(short.encode(&one("x", 0.3 + 1e-12)).is_err() && short.encode(&one("x", -1e-12)).is_err());
    for (low, high, step, per_unit) in
        [(0.0, 1e5, 0.01, 100.0), (-1e5, 1e5, 0.1, 10.0), (-1e3, 1e3, 0.001, 1e3), (-1.0, 1.0, 1e-6, 1e6)]
    {
        let space = grid(low, high, step);
        let count = ((high - low) * per_unit) as u64;
        for k in (0..=count).step_by(97) {
            let (x, product) = ((low * per_unit + k as f64) / per_unit, low + k as f64 * step);
            assert_eq!(level(&space, x), level(&space, product), "{x} on {low}, {high}, {step}");
            let half = x + step / 2.0;
            assert!(space.encode(&one("x", half)).is_err(), "{half}");
        }
    }
    assert_eq!(level(&grid(0.0, 1e5, 0.01), 65538.54), 6_553_854.0 * 0.01);
}

#[test]
fn spaces_are_built_up_to_their_limits() {
    let builds = |space: thrifty_space::SpaceBuilder| space.build().is_ok();
    let new = Space::builder;
    assert!(builds(new().int("x", 1, 1 << 51)) && !builds(new().int("x", 0, 1 << 51)));
    assert!(builds(new().log_int("x", 1, 1 << 44)) && !builds(new().log_int("x", 1, (1 << 44) + 1)));
    // A single value, and a single step.
    assert!(builds(new().int("x", 3, 3)) && builds(new().step_int("x", 0, 3, 3)));
    assert!(!builds(new().step_int("x", 0, 3, 4)) && !builds(new().step_int("x", 0, 3, 0)));
    assert!(builds(new().step_int("x", 3, 3, 1)) && !builds(new().step_int("x", 3, 3, 2)));
    assert!(builds(new().step_float("x", 0.0, 1.0, 1.0)) && !builds(new().step_float("x", 0.0, 1.0, 1.01)));
    assert!(builds(new().log_int("x", 1, 2)) && !builds(new().log_int("x", 0, 2)));
    // The first level of a logarithmic grid lies more than half a step from 0.
    let log = |low: i64, step: i64| {
        let json = format!(
            r#"[{{"name": "x", "kind": "int", "low": {low}, "high": 100, "step": {step}, "log": true}}]"#
        );
        serde_json::from_str::<Space>(&json).is_ok()
    };
    assert!(log(6, 10) && log(10, 10) && !log(5, 10) && !log(4, 10));
}

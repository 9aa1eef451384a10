//! The fidelity parameter and settings: positions, costs, errors.

use thrifty_domain::{Domain, Variable};
use thrifty_fidelity::{
    FidelityAxis, FidelityCost, MultiFidelityOptimizer, MultiFidelitySettings, multi_fidelity_kernel,
};
use thrifty_model_based::PendingPolicy;
use thrifty_space::{Config, Space};

fn config(value: impl Into<thrifty_space::Value>) -> Config {
    let mut config = Config::new();
    config.insert("x", 0.5);
    config.insert("s", value);
    config
}

/// The share of the target at an encoded value is that value by the target, on every kind of axis.
#[test]
fn shares_are_those_of_the_values() {
    let x = || Space::builder().float("x", 0.0, 1.0);
    let spaces = [
        (x().log_int("s", 1, 81).build().unwrap(), true),
        (x().int("s", 2, 50).build().unwrap(), true),
        (x().step_int("s", 10, 100, 10).build().unwrap(), true),
        (x().log_float("s", 0.5, 64.0).build().unwrap(), false),
        (x().float("s", 0.5, 60.0).build().unwrap(), false),
        (x().step_float("s", 0.5, 10.0, 0.5).build().unwrap(), false),
    ];
    for (space, is_whole) in spaces {
        let axis = FidelityAxis::new(&space, "s").unwrap();
        for value in [10.0, axis.target()] {
            let config = if is_whole { config(value as i64) } else { config(value) };
            assert_eq!(axis.value(&config), value);
            let encoded = space.encode(&config).unwrap()[axis.column()];
            let (share, slope) = axis.log_share(encoded);
            assert!((share - (value / axis.target()).ln()).abs() < 1e-12, "{value} {share}");
            let step = 1e-6;
            // Within the axis.
            let step = if value == axis.target() { -step } else { step };
            let difference = (axis.log_share(encoded + step).0 - share) / step;
            assert!((slope - difference).abs() < 1e-4 * slope, "{slope} {difference}");
        }
        assert_eq!(axis.position(axis.target()), 1.0);
        assert_eq!(axis.value(&axis.at_target(&config(10_i64))), axis.target());
        assert!(axis.at(&space, &config(10_i64), 10).is_some());
        assert!(axis.at(&space, &config(10_i64), 1_000_000).is_none());
    }
}

/// Shares beyond the ends of the axis are those of the ends. A configuration without the parameter has no value and is not at the target;
/// one above the target is.
#[test]
fn values_beyond_the_axis_count_as_its_ends() {
    let space = Space::builder().float("x", 0.0, 1.0).log_int("s", 1, 81).build().unwrap();
    let axis = FidelityAxis::new(&space, "s").unwrap();
    let (low, high) = axis.ends();
    assert!((axis.log_share(low - 0.5).0 + 81_f64.ln()).abs() < 1e-12, "{:?}", axis.log_share(low - 0.5));
    assert_eq!(axis.log_share(high + 0.5).0, 0.0, "above the target");
    let missing = {
        let mut config = Config::new();
        config.insert("x", 0.5);
        config
    };
    assert!(axis.value(&missing).is_nan() && !axis.is_at_target(&missing), "no value");
    assert!(axis.value(&config("all")).is_nan(), "no number");
    let is_at_target = |value: i64| axis.is_at_target(&config(value));
    assert_eq!([80, 81, 90].map(is_at_target), [false, true, true], "80, 81 and 90 of 81");
    assert!(axis.at(&space, &config(1_i64), u64::MAX).is_none(), "beyond all integers");
}

/// Each error names the parameter and its fault.
#[test]
fn parameters_that_cannot_be_a_fidelity_are_named() {
    let x = || Space::builder().float("x", 0.0, 1.0);
    let bad = [
        (x().build().unwrap(), "missing"),
        (x().categorical("s", ["a", "b"]).build().unwrap(), "categorical"),
        (x().int("s", 3, 3).build().unwrap(), "single value"),
        (x().int("s", 0, 9).build().unwrap(), "from 0"),
        (x().float("s", -1.0, 9.0).build().unwrap(), "from -1"),
        (x().categorical("c", ["a", "b"]).int("s", 1, 9).when("c", ["a"]).build().unwrap(), "conditional"),
        (x().int("s", 1, 3).float("y", 0.0, 1.0).when("s", [1_i64]).build().unwrap(), "conditional"),
    ];
    for (space, fault) in bad {
        let error = MultiFidelityOptimizer::new(space, "s").err().unwrap().to_string();
        assert!(error.contains("fidelity s is") && error.contains(fault), "{error}");
    }
}

/// Defaults of the table in the chapter on cheap fidelities of the book.
#[test]
fn defaults_are_those_of_the_book() {
    let found = MultiFidelitySettings::default();
    assert_eq!(found.cost, FidelityCost::Proportional { fixed: 0.0 }, "costs are proportional");
    assert!(!found.continues, "nothing continues");
    assert_eq!((found.reports, found.anchors), (4, 24), "reports and anchors");
    assert_eq!((found.maximizer.raw, found.maximizer.climbs), (256, 4), "points and climbs");
    assert_eq!(found.pending, PendingPolicy::KrigingBeliever, "running trials at their posterior mean");
}

#[test]
fn settings_out_of_range_are_named() {
    let space = || Space::builder().float("x", 0.0, 1.0).log_int("s", 1, 9).build().unwrap();
    let default = MultiFidelitySettings::default;
    let proportional =
        |fixed| MultiFidelitySettings { cost: FidelityCost::Proportional { fixed }, ..default() };
    let bad = [
        (proportional(-0.1), "fixed is -0.1"),
        (proportional(f64::NAN), "fixed is NaN"),
        (proportional(f64::INFINITY), "fixed is inf"),
        (MultiFidelitySettings { anchors: 1, ..default() }, "anchors is 1"),
        (
            MultiFidelitySettings { continues: true, cost: FidelityCost::Measured, ..default() },
            "continues is true",
        ),
    ];
    for (settings, fault) in bad {
        let optimizer = MultiFidelityOptimizer::new(space(), "s").unwrap();
        let error = optimizer.with_settings(settings).err().unwrap().to_string();
        assert!(error.contains(fault), "{error}");
    }
}

/// Domains without the column of the fidelity, or with several columns in its place: the kernel names the column.
#[test]
fn a_kernel_needs_the_column_of_its_fidelity() {
    let space = Space::builder().float("x", 0.0, 1.0).log_int("s", 1, 81).build().unwrap();
    let axis = FidelityAxis::new(&space, "s").unwrap();
    assert!(multi_fidelity_kernel(space.domain(), &axis).is_ok(), "its own domain");
    let categories = Domain::new(vec![Variable::continuous(), Variable::one_hot(3)]).unwrap();
    for domain in [Domain::unit_cube(1), categories] {
        let error = multi_fidelity_kernel(&domain, &axis).err().map(|error| error.to_string());
        let error = error.unwrap_or_else(|| panic!("a kernel of {} columns", domain.dim()));
        assert!(error.contains("one column of the domain for the fidelity"), "{error}");
    }
}

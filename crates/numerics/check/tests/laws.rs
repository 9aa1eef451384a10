//! Checks accept exactly the values of their range, and name the first entry outside it.

use proptest::prelude::*;
use thrifty_check::{
    InputError, all_finite, dimension, entries, length, not_empty, number, positive, variance, variances,
};

#[test]
fn ranges_end_where_they_say() {
    assert_eq!(number("rate", 0.5, true, "a rate"), Ok(0.5));
    let refused = number("rate", 0.5, false, "a rate").unwrap_err();
    assert_eq!(refused.to_string(), "rate is 0.5, expected a rate");
    assert!(number("rate", f64::INFINITY, true, "a rate").is_err());
    assert_eq!((positive("width", 1e-300), variance("width", 0.0)), (Ok(1e-300), Ok(0.0)));
    let text = |error: Result<f64, InputError>| error.unwrap_err().to_string();
    assert_eq!(text(positive("width", 0.0)), "width is 0, expected a positive finite number");
    assert_eq!(
        text(variance("width", -1e-300)),
        format!("width is {}, expected a finite number from 0", -1e-300)
    );
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(positive("width", bad).is_err() && variance("width", bad).is_err());
    }
}

#[test]
fn lengths_and_dimensions_name_both_numbers() {
    assert_eq!(
        (length("targets", 3, 3), dimension("points", 0, 0), not_empty("starts", 1)),
        (Ok(()), Ok(()), Ok(()))
    );
    assert_eq!(length("targets", 2, 3).unwrap_err().to_string(), "2 targets, expected 3");
    assert_eq!(dimension("points", 4, 3).unwrap_err().to_string(), "points of dimension 4, expected 3");
    assert_eq!(not_empty("starts", 0).unwrap_err().to_string(), "no starts, expected at least one");
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(
        prop_oneof![4 => any::<f64>(), 1 => Just(f64::NAN), 1 => Just(0.0), 1 => Just(-0.0)],
        0..12,
    )
}

/// The index in an error, if there is one.
fn index(checked: Result<(), InputError>) -> Option<usize> {
    match checked {
        Ok(()) => None,
        Err(InputError::Entry { index, .. }) => Some(index),
        Err(other) => panic!("{other}"),
    }
}

proptest! {
    #[test]
    fn the_first_entry_outside_is_named(values in numbers(), limit in any::<f64>()) {
        prop_assert_eq!(index(all_finite("y", &values)), values.iter().position(|v| v.is_nan() || v.abs() == f64::INFINITY));
        let outside = |v: &f64| v.is_nan() || *v < 0.0 || *v == f64::INFINITY;
        prop_assert_eq!(index(variances("s", &values)), values.iter().position(outside));
        let below = |v: f64| v < limit;
        prop_assert_eq!(index(entries("x", &values, below, "less")), values.iter().position(|v| !below(*v)));
        if let Err(InputError::Entry { index, value, .. }) = all_finite("y", &values) {
            prop_assert_eq!(value.to_bits(), values[index].to_bits());
            prop_assert!(all_finite("y", &values[..index]).is_ok());
        }
    }
}

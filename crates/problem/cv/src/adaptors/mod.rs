//! Objectives for models of other libraries; each behind a feature of its name.

#[cfg(feature = "linfa")]
mod linfa;
#[cfg(feature = "smartcore")]
mod smartcore;

#[cfg(feature = "linfa")]
pub use self::linfa::linfa;
#[cfg(feature = "smartcore")]
pub use self::smartcore::smartcore;

/// Share of predictions that are not the truth; nothing for no predictions or another number of them.
#[must_use]
pub fn error_rate<T: PartialEq>(truth: &[T], predicted: &[T]) -> Option<f64> {
    let wrong = truth.iter().zip(predicted).filter(|(a, b)| a != b).count();
    (truth.len() == predicted.len() && !truth.is_empty()).then(|| wrong as f64 / truth.len() as f64)
}

/// Mean squared difference; nothing for no predictions or another number of them.
#[must_use]
pub fn mean_squared_error(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    let squares: f64 = truth.iter().zip(predicted).map(|(a, b)| (a - b).powi(2)).sum();
    (truth.len() == predicted.len() && !truth.is_empty()).then(|| squares / truth.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_predictions() {
        assert_eq!(error_rate(&[1, 0, 2, 2], &[1, 1, 2, 0]), Some(0.5));
        assert_eq!(mean_squared_error(&[1.0, 0.0], &[1.0, 3.0]), Some(4.5));
        assert_eq!(error_rate::<u8>(&[], &[]), None);
        assert_eq!(mean_squared_error(&[1.0], &[1.0, 2.0]), None);
    }
}

//! Mean and standard deviation.

/// Mean and standard deviation (n - 1).
pub fn mean_and_std_dev(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    // From the first value on, so that equal values have no deviation by rounding.
    let first = values.first().copied().unwrap_or(f64::NAN);
    let mean = first + values.iter().map(|v| v - first).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_no_deviation() {
        assert_eq!(mean_and_std_dev(&[1.0, 3.0]), (2.0, 2_f64.sqrt()));
        assert_eq!(mean_and_std_dev(&[0.1; 7]), (0.1, 0.0));
        assert_eq!(mean_and_std_dev(&[0.3]), (0.3, 0.0));
        assert!(mean_and_std_dev(&[]).0.is_nan());
    }
}

//! Figures of a study, one per file. Each takes a report and gives SVG, or the reason for which the study does not fit.

pub(crate) mod calibration;
pub(crate) mod contour;
pub(crate) mod curves;
pub(crate) mod densities;
pub(crate) mod distribution;
pub(crate) mod history;
pub(crate) mod importance;
pub(crate) mod parallel;
pub(crate) mod pareto;
pub(crate) mod slices;
pub(crate) mod surrogate;
pub(crate) mod timeline;

/// Series of measured trials that are not compared with those at the target.
const LOWER: &str = "lower fidelity";

/// Ratio of the largest to the smallest positive value from which an axis of objectives is logarithmic.
const LOG_RATIO: f64 = 1e3;

/// True for positive values that span many powers of ten. Those that are not finite are not drawn.
fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    low > 0.0 && low.is_finite() && high / low >= LOG_RATIO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_logarithmic_for_positive_finite_values_of_three_powers_of_ten() {
        for (values, wide) in [
            (vec![1.0, 1e3], true),
            (vec![1.0, 999.0], false),
            (vec![1.0, f64::NAN, 1e3, f64::NEG_INFINITY], true),
            (vec![1.0, 2.0, f64::INFINITY], false),
            (vec![0.0, 1e3], false),
            (vec![-1.0, 1e3], false),
            (vec![f64::INFINITY], false),
            (vec![], false),
        ] {
            assert_eq!(is_wide(values.iter().copied()), wide, "{values:?}");
        }
    }
}

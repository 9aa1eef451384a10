use thrifty_prob::{cdf, h};

/// Expected cost of a training run whose cost is normal, where negative costs count as nothing: `E[T⁺]`.
///
/// ```text
/// Υ(m, s²) = s φ(m/s) + m Φ(m/s) = s h(m/s),   Υ(m, 0) = max(m, 0)
/// ```
///
/// To full relative accuracy where m is many deviations below 0. Source: `AutoBCT`, eq. after (2.12).
///
/// ```
/// assert!((thrifty_autobct::expected_cost(0.0, 1.0) - 0.398_942_280_401_432_7).abs() < 1e-16);
/// assert_eq!(thrifty_autobct::expected_cost(-1.0, 0.0), 0.0);
/// ```
#[must_use]
pub fn expected_cost(mean: f64, variance: f64) -> f64 {
    if variance > 0.0 {
        let deviation = variance.sqrt();
        deviation * h(mean / deviation)
    } else {
        mean.max(0.0)
    }
}

/// h from a table, for sums of millions of them: `Υ(m, s²) = s h(m/s)`.
///
/// Cubic between values and slopes at steps of 1/64: off by less than 1e-10. Beyond nine deviations h is 0 or its argument.
#[derive(Debug, Clone)]
pub(crate) struct CostTable {
    /// h and its slope, Φ.
    nodes: Vec<(f64, f64)>,
}

const REACH: f64 = 9.0;
const PER_UNIT: f64 = 64.0;

impl CostTable {
    pub(crate) fn new() -> Self {
        let count = (2.0 * REACH * PER_UNIT) as usize + 2;
        let at = |i: usize| i as f64 / PER_UNIT - REACH;
        Self { nodes: (0..count).map(|i| (h(at(i)), cdf(at(i)))).collect() }
    }

    /// The expected cost for a mean and a positive deviation, given with its inverse.
    #[inline]
    pub(crate) fn expected(&self, mean: f64, deviation: f64, inverse: f64) -> f64 {
        let z = mean * inverse;
        if z <= -REACH {
            return 0.0;
        }
        if z >= REACH {
            return mean;
        }
        let scaled = (z + REACH) * PER_UNIT;
        let index = scaled as usize;
        let t = scaled - index as f64;
        let ((low, from), (high, to)) = (self.nodes[index], self.nodes[index + 1]);
        let (from, to) = (from / PER_UNIT, to / PER_UNIT);
        let rise = high - low;
        let value = low + t * (from + t * (3.0 * rise - 2.0 * from - to + t * (from + to - 2.0 * rise)));
        deviation * value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_function() {
        let table = CostTable::new();
        for i in -2000..2000 {
            let (mean, deviation) = (f64::from(i) * 0.0123, 1.7);
            let truth = expected_cost(mean, deviation * deviation);
            assert!(
                (table.expected(mean, deviation, 1.0 / deviation) - truth).abs() < 1e-10 * (1.0 + truth),
                "{mean}"
            );
        }
    }
}

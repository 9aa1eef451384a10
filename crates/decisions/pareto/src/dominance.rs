//! Pareto dominance of two points.

/// Weak dominance: true if `a` is nowhere larger than `b`. Equal points dominate each other weakly.
///
/// ```text
/// a ≼ b  ⇔  a_j ≤ b_j for every objective j
/// ```
#[inline]
#[must_use]
pub fn weakly_dominates(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a <= b)
}

/// Dominance: true if `a` is nowhere larger than `b` and somewhere smaller.
#[inline]
#[must_use]
pub fn dominates(a: &[f64], b: &[f64]) -> bool {
    weakly_dominates(a, b) && a.iter().zip(b).any(|(a, b)| a < b)
}

/// Strict dominance: true if `a` is smaller than `b` everywhere; false without objectives.
#[inline]
#[must_use]
pub fn strictly_dominates(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && !a.is_empty() && a.iter().zip(b).all(|(a, b)| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_kinds_of_dominance() {
        let (a, b) = ([1.0, 2.0], [1.0, 3.0]);
        assert!(weakly_dominates(&a, &a) && !dominates(&a, &a) && !strictly_dominates(&a, &a));
        assert!(dominates(&a, &b) && !strictly_dominates(&a, &b) && !weakly_dominates(&b, &a));
        assert!(strictly_dominates(&a, &[2.0, 3.0]));
        assert!(!weakly_dominates(&a, &[f64::NAN, 3.0]) && !weakly_dominates(&a, &[1.0]));
        assert!(!strictly_dominates(&[], &[]));
    }
}

//! The random sample of mutants, stratified by crate.

use crate::mutant::Mutant;

/// Default of the fewest mutants of a crate in a sample, when it has as many.
pub const LEAST: usize = 10;

/// Puts the mutants of one crate into the order in which they are drawn.
///
/// It is the order of a hash of the seed and the mutant, so that a change of one line leaves the order of all other
/// mutants as it is.
pub fn order(mutants: &mut [Mutant], seed: u64) {
    mutants.sort_by_cached_key(|mutant| (mutant.hash(seed), mutant.span.start));
}

/// Number of mutants that each crate gives to a sample, from how many it has.
///
/// In proportion to `counts`, but at least `least` or all; together at most `size` where that allows it.
pub fn apportion(counts: &[usize], size: usize, least: usize) -> Vec<usize> {
    let least: Vec<usize> = counts.iter().map(|&count| count.min(least)).collect();
    let share = |factor: f64| -> Vec<usize> {
        let scaled = counts.iter().map(|&count| ((count as f64 * factor).round() as usize).min(count));
        scaled.zip(&least).map(|(share, &least)| share.max(least)).collect()
    };
    // Bisection on the factor of proportion; the total grows with it.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if share(middle).iter().sum::<usize>() <= size {
            low = middle;
        } else {
            high = middle;
        }
    }
    share(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_are_proportional_and_never_tiny() {
        assert_eq!(apportion(&[1000, 3000, 20, 4], 400, 10), [96, 289, 10, 4]);
        assert_eq!(apportion(&[5, 8], 400, 10), [5, 8]);
        assert_eq!(apportion(&[500, 500], 4, 10), [10, 10]);
        assert_eq!(apportion(&[500, 500, 5], 4, 1), [1, 1, 1]);
    }
}

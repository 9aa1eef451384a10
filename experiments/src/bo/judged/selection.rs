//! Choice of the BBOB functions by a seed.

use thrifty_sampling::Seed;

/// The seed; it was fixed before anything ran on these functions.
pub const SEED: u64 = 20_260_001;

/// Functions of the BBOB testbeds by number.
#[derive(Debug, PartialEq, Eq)]
pub struct Selection {
    /// Noiseless functions in five dimensions; the first four also in two and ten.
    pub noiseless: Vec<u8>,
    /// Noisy functions in five dimensions.
    pub noisy: Vec<u8>,
    /// Noiseless functions that were judged before and chose a default then.
    pub judged_before: Vec<u8>,
    /// Noisy functions that were not chosen, for smoke tests.
    pub left: Vec<u8>,
}

/// Number of noiseless functions that are chosen, of those of them that come in three dimensions, and of noisy functions.
pub const COUNTS: (usize, usize, usize) = (12, 4, 6);

/// Draw without replacement: a shuffle of f1 to f24 and one of f101 to f130.
///
/// The first twelve noiseless functions were judged once. One of them led to another default, so the other twelve are judged since.
pub fn selection(seed: u64) -> Selection {
    let shuffled = |name: &str, numbers: std::ops::RangeInclusive<u8>| {
        let mut numbers: Vec<u8> = numbers.collect();
        Seed(seed).stream(name, 0).shuffle(&mut numbers);
        numbers
    };
    let mut noiseless = shuffled("noiseless BBOB functions", 1..=24);
    let mut noisy = shuffled("noisy BBOB functions", 101..=130);
    let second = noiseless.split_off(COUNTS.0);
    let left = noisy.split_off(COUNTS.2);
    Selection { noiseless: second, noisy, judged_before: noiseless, left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_functions_are_distinct_and_stay() {
        let chosen = selection(SEED);
        println!("{chosen:?}");
        let mut all = [chosen.noiseless.clone(), chosen.judged_before.clone()].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(1..=24));
        assert_eq!((chosen.noiseless.len(), chosen.noisy.len(), chosen.left.len()), (12, 6, 24));
        assert_eq!(chosen, selection(SEED));
        assert_ne!(chosen, selection(SEED + 1));
    }
}

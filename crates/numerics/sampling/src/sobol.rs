//! Scrambled Sobol sequences.

use std::sync::OnceLock;

use sobol::params::JoeKuoD6;
use thrifty_domain::Points;

use crate::Stream;
use crate::seed::mix;

/// Largest dimension of a Sobol sequence here.
pub const MAX_SOBOL_DIM: usize = 1000;

/// A Sobol sequence in `[0, 1)^d` with nested uniform (Owen) scrambling.
///
/// Every prefix of 2^m points keeps the net property of the sequence, and every point is uniform in the cube. Point i of one
/// scrambling and point i of another are *not* independent: for independent coordinates use more columns of one sequence. Directions: Joe & Kuo (2008), set 6; scrambling: Owen (1995), by the
/// hash of Laine & Karras (2011) as improved by Burley (2020), over 32 bits, low bits filled at random.
///
/// At most 2³² points.
pub struct Sobol {
    raw: sobol::Sobol<u32>,
    scrambles: Vec<u64>,
    count: u64,
}

impl Sobol {
    /// A scrambled sequence of dimension `dim`.
    ///
    /// # Panics
    /// When `dim` is above [`MAX_SOBOL_DIM`].
    #[must_use]
    pub fn scrambled(dim: usize, rng: &mut Stream) -> Self {
        assert!(dim <= MAX_SOBOL_DIM, "Sobol points of dimension {dim}, at most {MAX_SOBOL_DIM}");
        let raw = sobol::Sobol::<u32>::new(dim, directions(dim));
        Self { raw, scrambles: (0..dim).map(|_| rng.bits()).collect(), count: 0 }
    }

    /// Writes the next point into `out`.
    ///
    /// # Panics
    /// When `out` has another dimension or 2³² points were drawn.
    pub fn next_into(&mut self, out: &mut [f64]) {
        assert_eq!(out.len(), self.scrambles.len(), "a point of another dimension");
        let point = self.raw.next().expect("fewer than 2^32 points");
        for ((value, bits), &key) in out.iter_mut().zip(point).zip(&self.scrambles) {
            let high = scramble(bits, key as u32);
            let low = mix(self.count ^ mix(key)) >> 43;
            // 32 scrambled bits and 21 random ones below them: 53 in all, always under 1.
            *value = ((u64::from(high) << 21) | low) as f64 * (-53_f64).exp2();
        }
        self.count += 1;
    }

    /// The next `count` points.
    #[must_use]
    pub fn take(&mut self, count: usize) -> Points {
        let dim = self.scrambles.len();
        let mut points = Points::zeros(count, dim);
        for row in 0..count {
            self.next_into(points.row_mut(row));
        }
        points
    }
}

/// The direction numbers, unpacked once a process.
fn directions(dim: usize) -> &'static JoeKuoD6 {
    static FIRST: OnceLock<JoeKuoD6> = OnceLock::new();
    static ALL: OnceLock<JoeKuoD6> = OnceLock::new();
    if dim <= 100 { FIRST.get_or_init(JoeKuoD6::minimal) } else { ALL.get_or_init(JoeKuoD6::standard) }
}

/// Nested uniform scrambling: a hash in which each bit depends on the bits above it alone.
fn scramble(bits: u32, seed: u32) -> u32 {
    let mut x = bits.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn every_elementary_interval_of_the_first_points_holds_one() {
        for seed in 0..20 {
            let points = Sobol::scrambled(2, &mut Seed(seed).stream("sobol", 0)).take(64);
            for split in 0..=6 {
                let (columns, rows) = (1 << split, 64 >> split);
                let mut hit = vec![0; 64];
                for p in points.rows() {
                    hit[(p[0] * f64::from(columns)) as usize * rows + (p[1] * rows as f64) as usize] += 1;
                }
                assert!(hit.iter().all(|&h| h == 1), "seed {seed}, split {split}: {hit:?}");
            }
        }
    }

    #[test]
    fn one_point_is_uniform_over_scramblings() {
        let mut mean = [0.0; 3];
        for seed in 0..2000 {
            let points = Sobol::scrambled(3, &mut Seed(seed).stream("sobol", 0)).take(1);
            mean.iter_mut().zip(points.row(0)).for_each(|(m, x)| *m += x / 2000.0);
        }
        // Standard error 0.0065; 6 of them.
        assert!(mean.iter().all(|m| (m - 0.5).abs() < 0.039), "{mean:?}");
    }

    /// Below the 32 bits of the sequence there are 21 random ones, each as often 0 as 1, and not the same in two columns.
    #[test]
    fn the_low_bits_are_random() {
        let points = Sobol::scrambled(3, &mut Seed(8).stream("sobol", 0)).take(4096);
        let low =
            |row: usize, column: usize| ((points.row(row)[column] * 53_f64.exp2()) as u64) & ((1 << 21) - 1);
        for column in 0..3 {
            for bit in 0..21 {
                let ones = (0..4096).filter(|row| low(*row, column) >> bit & 1 == 1).count();
                // Standard error 32; 6 of them.
                assert!(ones.abs_diff(2048) < 192, "column {column}, bit {bit}: {ones}");
            }
            let different: std::collections::HashSet<u64> = (0..4096).map(|row| low(row, column)).collect();
            assert!(different.len() > 4000, "{}", different.len());
            let same = (0..4096).filter(|row| low(*row, column) == low(*row, (column + 1) % 3)).count();
            assert!(same < 10, "{same}");
        }
    }

    #[test]
    fn high_dimension_is_filled_and_zero_points_are_no_points() {
        let mut stream = Seed(1).stream("sobol", 0);
        let points = Sobol::scrambled(MAX_SOBOL_DIM, &mut stream).take(16);
        for column in 0..MAX_SOBOL_DIM {
            let below = points.rows().filter(|p| p[column] < 0.5).count();
            assert_eq!(below, 8, "column {column}");
        }
        assert!(Sobol::scrambled(0, &mut stream).take(0).is_empty());
    }
}

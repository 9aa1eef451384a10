//! Scrambled Sobol sequences.

use thrifty_domain::Points;

use crate::Stream;
use crate::directions::{BITS, directions};
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
    directions: &'static [[u32; BITS]],
    /// The point before scrambling.
    point: Vec<u32>,
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
        let scrambles = (0..dim).map(|_| rng.bits()).collect();
        Self { directions: &directions()[..dim], point: vec![0; dim], scrambles, count: 0 }
    }

    /// Writes the next point into `out`.
    ///
    /// # Panics
    /// When `out` has another dimension or 2³² points were drawn.
    pub fn next_into(&mut self, out: &mut [f64]) {
        assert_eq!(out.len(), self.scrambles.len(), "a point of another dimension");
        assert!(self.count < 1 << BITS, "fewer than 2^32 points");
        self.advance();
        for ((value, &bits), &key) in out.iter_mut().zip(&self.point).zip(&self.scrambles) {
            let high = scramble(bits, key as u32);
            let low = mix(self.count ^ mix(key)) >> 43;
            // 32 scrambled bits and 21 random ones below them: 53 in all, always under 1.
            *value = ((u64::from(high) << 21) | low) as f64 * (-53_f64).exp2();
        }
        self.count += 1;
    }

    /// Steps to point number `count`: in the order of Gray codes it differs from the one before by one direction.
    fn advance(&mut self) {
        if let Some(before) = self.count.checked_sub(1) {
            let bit = before.trailing_ones() as usize;
            self.point.iter_mut().zip(self.directions).for_each(|(value, column)| *value ^= column[bit]);
        }
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

    /// The first points without scrambling, and a sum over 4096 points of 1000 columns (FNV-1a over words), computed from the
    /// published table by another program.
    #[test]
    fn points_are_those_of_the_published_table() {
        let mut sequence = Sobol::scrambled(MAX_SOBOL_DIM, &mut Seed(1).stream("sobol", 0));
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut first = Vec::new();
        for _ in 0..4096 {
            sequence.advance();
            sequence.count += 1;
            if sequence.count <= 7 {
                first.extend(sequence.point[..5].iter().map(|bits| bits >> 29));
            }
            for &bits in &sequence.point {
                hash = (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        let eighths = [
            [0, 0, 0, 0, 0],
            [4, 4, 4, 4, 4],
            [6, 2, 2, 2, 6],
            [2, 6, 6, 6, 2],
            [3, 3, 5, 7, 3],
            [7, 7, 1, 3, 7],
            [5, 1, 7, 5, 5],
        ];
        assert_eq!(first, eighths.concat());
        assert_eq!(hash, 0x7940_2189_4484_2325);
    }

    #[test]
    #[should_panic(expected = "fewer than 2^32 points")]
    fn the_sequence_ends() {
        let mut sequence = Sobol::scrambled(1, &mut Seed(1).stream("sobol", 0));
        sequence.count = (1 << BITS) - 1;
        let _ = sequence.take(2);
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

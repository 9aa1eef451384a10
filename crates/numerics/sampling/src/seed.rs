//! Seeds and named random streams.

use std::convert::Infallible;

use chacha20::ChaCha12Rng;
use rand::{SeedableRng, TryRng};

/// The root of all randomness of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// A stream of random numbers that depends on (seed, purpose, id) and nothing else.
///
/// `ChaCha` with 12 rounds: the key comes from seed and purpose, the stream number is the id. Use it as any
/// generator of the `rand` crates.
#[derive(Debug)]
pub struct Stream(ChaCha12Rng);

impl Seed {
    /// The stream for a purpose (`"acquisition"`, `"noise"`, …) and an id (a trial, a replication, …).
    #[must_use]
    pub fn stream(self, purpose: &str, id: u64) -> Stream {
        let mut rng = ChaCha12Rng::from_seed(key(self.0, purpose));
        rng.set_stream(id);
        Stream(rng)
    }

    /// A seed of its own for a part of the run: a replication, a method, a wrapped problem.
    #[must_use]
    pub fn child(self, purpose: &str, id: u64) -> Self {
        Self(self.stream(purpose, id).bits())
    }
}

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        rand::Rng::next_u64(self)
    }

    /// A uniform number in `[0, 1)` with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (-53_f64).exp2()
    }

    /// A uniform index in `0..count`.
    ///
    /// # Panics
    /// When `count` is 0.
    pub fn index(&mut self, count: usize) -> usize {
        assert!(count > 0, "an index below 0 does not exist");
        // 128-bit multiply and shift: the bias is below count · 2⁻⁶⁴.
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Reorders a slice, every order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

impl Clone for Stream {
    /// A stream that goes on with the same numbers.
    fn clone(&self) -> Self {
        let mut rng = ChaCha12Rng::from_seed(self.0.get_seed());
        rng.set_stream(self.0.get_stream());
        rng.set_word_pos(self.0.get_word_pos());
        Self(rng)
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// 256 bits from seed and purpose: four FNV-1a passes with different offsets, each finished by `mix`.
fn key(seed: u64, purpose: &str) -> [u8; 32] {
    let mut key = [0; 32];
    for (lane, chunk) in key.chunks_exact_mut(8).enumerate() {
        let start = 0xcbf2_9ce4_8422_2325 ^ mix(lane as u64 + 1);
        let hash =
            purpose.bytes().fold(start, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        chunk.copy_from_slice(&mix(hash ^ mix(seed.wrapping_add(lane as u64))).to_le_bytes());
    }
    key
}

/// The finaliser of `SplitMix64`: every input bit reaches every output bit.
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of these values changes every published run: say so in the changelog.
    #[test]
    fn values_are_stable() {
        let draw = |seed, purpose, id| Seed(seed).stream(purpose, id).bits();
        assert_eq!(draw(0, "", 0), draw(0, "", 0));
        let all = [draw(0, "", 0), draw(0, "", 1), draw(1, "", 0), draw(0, "a", 0), draw(0, "b", 0)];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b), "streams {i} and another agree");
        }
    }

    /// After any number of words, within a block of the cipher and at its ends.
    #[test]
    fn a_clone_goes_on_with_the_same_numbers() {
        let mut stream = Seed(5).stream("test", u64::MAX);
        for words in 0..300 {
            let mut copy = stream.clone();
            assert_eq!(copy.bits(), stream.clone().bits(), "after {words} words");
            assert_eq!(rand::Rng::next_u32(&mut copy), {
                let mut again = stream.clone();
                again.bits();
                rand::Rng::next_u32(&mut again)
            });
            rand::Rng::next_u32(&mut stream);
        }
        let mut copy = stream.clone();
        let ahead: Vec<u64> = (0..200).map(|_| copy.bits()).collect();
        assert_eq!(ahead, (0..200).map(|_| stream.bits()).collect::<Vec<_>>());
    }

    #[test]
    fn index_covers_its_range_and_uniform_its_interval() {
        let mut stream = Seed(3).stream("test", 0);
        let mut counts = [0; 7];
        for _ in 0..7000 {
            counts[stream.index(7)] += 1;
            let u = stream.uniform();
            assert!((0.0..1.0).contains(&u));
        }
        // Seven cells of 1000 ± 29 each; 6 standard deviations.
        assert!(counts.iter().all(|&c| (825..1175).contains(&c)), "{counts:?}");
    }
}

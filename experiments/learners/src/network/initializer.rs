//! Initial weights.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;

/// Initial weights between layers of `i` and `o` neurons; thresholds begin at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initializer {
    /// Uniform up to √(6 / (i + o)). Source: Glorot & Bengio (2010).
    GlorotUniform,
    /// Normal of variance 2 / (i + o).
    GlorotNormal,
    /// Normal of variance 2 / i. Source: He et al. (2015).
    HeNormal,
}

impl Initializer {
    /// A weight of a layer with so many inputs and outputs.
    pub fn draw(self, inputs: usize, outputs: usize, rng: &mut Stream) -> f64 {
        let both = (inputs + outputs) as f64;
        match self {
            Self::GlorotUniform => (6.0 / both).sqrt() * (2.0 * rng.uniform() - 1.0),
            Self::GlorotNormal => (2.0 / both).sqrt() * normal(rng),
            Self::HeNormal => (2.0 / inputs as f64).sqrt() * normal(rng),
        }
    }
}

fn normal(rng: &mut Stream) -> f64 {
    StandardNormal.sample(rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_sampling::Seed;

    #[test]
    fn weights_have_the_variance_of_their_initializer() {
        use Initializer::{GlorotNormal, GlorotUniform, HeNormal};
        for (initializer, expected) in [(GlorotUniform, 0.04), (GlorotNormal, 0.04), (HeNormal, 0.05)] {
            let rng = &mut Seed(1).stream("test", 0);
            let weights: Vec<f64> = (0..2000).map(|_| initializer.draw(40, 10, rng)).collect();
            let variance = weights.iter().map(|w| w * w).sum::<f64>() / weights.len() as f64;
            assert!((variance / expected - 1.0).abs() < 0.1, "{initializer:?} {variance}");
        }
    }
}

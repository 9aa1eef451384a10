//! Sparse random embeddings whose bins are split.

use thrifty_sampling::Stream;

/// A random map from a cube of few parameters to one of many: each of the many is one of the few, mirrored or not.
///
/// ```text
/// x_i = ½ + s_i (z_b(i) - ½),   s_i = ±1
/// ```
///
/// Source: Nayebi, Munteanu & Poloczek (2019); splits as in Papenmeier, Nardi & Poloczek (2022), section 3.
#[derive(Debug, Clone)]
pub struct Embedding {
    /// The one of the few, by parameter.
    bins: Vec<usize>,
    signs: Vec<f64>,
    dim: usize,
}

impl Embedding {
    /// An embedding of `dim` in `outer` parameters, at least as many; the sizes of its bins differ by at most one.
    pub fn random(dim: usize, outer: usize, rng: &mut Stream) -> Self {
        let bins: Vec<usize> = (0..outer).map(|i| i % dim).collect();
        let signs = (0..outer).map(|_| if rng.uniform() < 0.5 { -1.0 } else { 1.0 }).collect();
        Self { bins: shuffled(bins, rng), signs, dim }
    }

    /// Number of the few parameters.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The point of the many.
    pub fn lifted(&self, z: &[f64]) -> Vec<f64> {
        self.bins.iter().zip(&self.signs).map(|(bin, sign)| 0.5 + sign * (z[*bin] - 0.5)).collect()
    }

    /// Splits each bin at random into `parts`, or into as many as it has parameters. Returns the earlier bin of each new one: a point with
    /// these coordinates is lifted to where it was before.
    pub fn split(&mut self, parts: usize, rng: &mut Stream) -> Vec<usize> {
        let mut origins: Vec<usize> = (0..self.dim).collect();
        for bin in 0..self.dim {
            let members: Vec<usize> = (0..self.bins.len()).filter(|i| self.bins[*i] == bin).collect();
            let parts = parts.min(members.len());
            let first = origins.len();
            for (at, i) in shuffled(members, rng).into_iter().enumerate() {
                // The first part keeps its place.
                let part = at % parts;
                self.bins[i] = if part == 0 { bin } else { first + part - 1 };
            }
            origins.resize(first + parts - 1, bin);
        }
        self.dim = origins.len();
        origins
    }
}

/// A permutation, by Fisher and Yates.
fn shuffled(mut values: Vec<usize>, rng: &mut Stream) -> Vec<usize> {
    for i in (1..values.len()).rev() {
        values.swap(i, rng.index(i + 1));
    }
    values
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thrifty_sampling::Seed;

    use super::*;

    proptest! {
        /// A split leaves every point where it was; bins are as even as they can be, and none is empty, until each has one parameter.
        #[test]
        fn splits_leave_points_where_they_were(seed in 0_u64..100, outer in 1_usize..60, dim in 1_usize..5, parts in 2_usize..5) {
            let rng = &mut Seed(seed).stream("test", 0);
            let dim = dim.min(outer);
            let mut embedding = Embedding::random(dim, outer, rng);
            let mut z: Vec<f64> = (0..dim).map(|_| rng.uniform()).collect();
            for _ in 0..8 {
                let sizes: Vec<usize> = (0..embedding.dim()).map(|bin| embedding.bins.iter().filter(|b| **b == bin).count()).collect();
                prop_assert!(sizes.iter().all(|size| *size > 0));
                let before = embedding.lifted(&z);
                prop_assert!(before.iter().all(|x| (0.0..=1.0).contains(x)));
                let origins = embedding.split(parts, rng);
                z = origins.iter().map(|bin| z[*bin]).collect();
                prop_assert_eq!(embedding.lifted(&z), before);
            }
            prop_assert_eq!(embedding.dim(), outer);
        }
    }

    #[test]
    fn bins_are_even_and_signs_are_both() {
        let embedding = Embedding::random(3, 100, &mut Seed(1).stream("test", 0));
        let sizes: Vec<usize> =
            (0..3).map(|bin| embedding.bins.iter().filter(|b| **b == bin).count()).collect();
        assert_eq!(sizes, [34, 33, 33]);
        let mirrored = embedding.signs.iter().filter(|sign| **sign < 0.0).count();
        assert!((30..70).contains(&mirrored), "{mirrored}");
    }
}

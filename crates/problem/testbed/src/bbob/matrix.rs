//! Square matrices of the BBOB functions: seeded rotations and products with diagonal matrices.

use super::random;

/// A square matrix by rows.
#[derive(Debug, Clone)]
pub(super) struct Matrix(Vec<Vec<f64>>);

impl Matrix {
    /// Rotation: normal numbers by columns, made orthonormal after Gram and Schmidt.
    pub(super) fn rotation(seed: u64, dim: usize) -> Self {
        let numbers = random::normal(dim * dim, seed);
        let mut columns: Vec<Vec<f64>> = numbers.chunks(dim).map(<[f64]>::to_vec).collect();
        for at in 0..dim {
            let (before, after) = columns.split_at_mut(at);
            let own = &mut after[0];
            for other in before {
                let product = dot(own, other);
                own.iter_mut().zip(other).for_each(|(own, other)| *own -= product * *other);
            }
            let norm = dot(own, own).sqrt();
            own.iter_mut().for_each(|own| *own /= norm);
        }
        Self(columns).transposed()
    }

    /// The transpose.
    pub(super) fn transposed(&self) -> Self {
        Self((0..self.0.len()).map(|i| self.0.iter().map(|row| row[i]).collect()).collect())
    }

    /// `self · diag(scales) · other`.
    pub(super) fn scaled_product(&self, scales: &[f64], other: &Self) -> Self {
        let entry = |row: &[f64], j: usize| {
            row.iter().zip(scales).zip(&other.0).map(|((left, scale), right)| left * scale * right[j]).sum()
        };
        Self(self.0.iter().map(|row| (0..row.len()).map(|j| entry(row, j)).collect()).collect())
    }

    /// The product with a vector.
    pub(super) fn apply(&self, x: &[f64]) -> Vec<f64> {
        self.0.iter().map(|row| dot(row, x)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_orthonormal() {
        for (seed, dim) in [(10_001, 2), (1_010_003, 5), (7, 10)] {
            let rotation = Matrix::rotation(seed, dim);
            let product = rotation.scaled_product(&vec![1.0; dim], &rotation.transposed());
            for (i, row) in product.0.iter().enumerate() {
                for (j, entry) in row.iter().enumerate() {
                    let identity = f64::from(u8::from(i == j));
                    assert!((entry - identity).abs() < 1e-12, "{i} {j} {entry}");
                }
            }
        }
    }

    #[test]
    fn products_by_hand() {
        let left = Matrix(vec![vec![1.0, 2.0], vec![3.0, 4.0]]);
        let product = left.scaled_product(&[1.0, 10.0], &left);
        assert_eq!(product.0, [[61.0, 82.0], [123.0, 166.0]]);
        assert_eq!(left.apply(&[1.0, -1.0]), [-1.0, -1.0]);
    }
}

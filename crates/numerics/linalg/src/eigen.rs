//! Eigenvalues of symmetric matrices.

use faer::Side;

use crate::Matrix;

/// Eigenvalues and eigenvectors of a symmetric matrix: `A = V diag(λ) Vᵀ`.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricEigen {
    /// In rising order.
    pub values: Vec<f64>,
    /// Orthonormal columns, in the same order.
    pub vectors: Matrix,
}

/// Error of an eigenvalue decomposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no eigenvalues of a matrix of {n} rows: its entries are not finite, or the iteration does not end")]
pub struct NoEigenvalues {
    /// Number of rows.
    pub n: usize,
}

impl SymmetricEigen {
    /// Decomposes a symmetric matrix given by its lower half. Cost: about 10 n³ flops.
    ///
    /// # Errors
    /// [`NoEigenvalues`] for entries that are not finite, or an iteration that does not end.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(matrix: &Matrix) -> Result<Self, NoEigenvalues> {
        assert_eq!(matrix.rows(), matrix.cols(), "a square matrix");
        let n = matrix.rows();
        if (0..n).any(|j| matrix.column(j)[j..].iter().any(|entry| !entry.is_finite())) {
            return Err(NoEigenvalues { n });
        }
        if n == 0 {
            return Ok(Self { values: Vec::new(), vectors: Matrix::zeros(0, 0) });
        }
        let copy = faer::Mat::from_fn(n, n, |i, j| matrix[(i, j)]);
        let eigen = copy.self_adjoint_eigen(Side::Lower).map_err(|_| NoEigenvalues { n })?;
        let values = (0..n).map(|i| eigen.S()[i]).collect();
        Ok(Self { values, vectors: Matrix::from_fn(n, n, |i, j| eigen.U()[(i, j)]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_give_the_matrix_back(entries in prop::collection::vec(-3.0..3.0_f64, 36), n in 0_usize..7, scale in -12..13_i32) {
            let scale = 10_f64.powi(scale);
            let a = Matrix::from_fn(n, n, |i, j| scale * entries[i.max(j) * 6 % 36 + i.min(j)]);
            let eigen = SymmetricEigen::new(&a).unwrap();
            prop_assert!(eigen.values.is_sorted());
            for i in 0..n {
                for j in 0..n {
                    let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
                    let v = &eigen.vectors;
                    let back = sum(&|k| v[(i, k)] * eigen.values[k] * v[(j, k)]);
                    prop_assert!((back - a[(i, j)]).abs() < 1e-13 * scale * 6.0);
                    let unit = sum(&|k| v[(k, i)] * v[(k, j)]);
                    prop_assert!((unit - f64::from(u8::from(i == j))).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_named() {
        let a = Matrix::from_fn(2, 2, |i, j| if i + j == 1 { f64::NAN } else { 1.0 });
        assert_eq!(SymmetricEigen::new(&a), Err(NoEigenvalues { n: 2 }));
    }
}

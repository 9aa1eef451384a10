//! Eigenvalues of symmetric matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par, Spec};

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
        let copy = Mat::from_fn(n, n, |i, j| matrix[(i, j)]);
        let (mut vectors, mut values) = (Mat::<f64>::zeros(n, n), Diag::<f64>::zeros(n));
        // On one thread: sums over parts of other sizes have other bits.
        let (parallelism, parameters) = (Par::Seq, Spec::default());
        let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, parallelism, parameters);
        self_adjoint_evd(
            copy.as_ref(),
            values.as_mut(),
            Some(vectors.as_mut()),
            parallelism,
            MemStack::new(&mut MemBuffer::new(scratch)),
            parameters,
        )
        .map_err(|_| NoEigenvalues { n })?;
        let values = (0..n).map(|i| values[i]).collect();
        Ok(Self { values, vectors: Matrix::from_fn(n, n, |i, j| vectors[(i, j)]) })
    }
}

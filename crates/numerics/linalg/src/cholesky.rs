//! Cholesky factorization with a jitter ladder.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};

use crate::triangular::{solve_lower_in_place, solve_upper};
use crate::{Matrix, Threads, factor_in_place, gram_of_inverse_into, invert_lower_into};

/// Jitter ladder: multiples of the mean diagonal that are added to a matrix, one after the other, until it is
/// positive definite.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct JitterLadder {
    /// Relative jitters in rising order. Empty means that nothing is ever added.
    pub steps: Vec<f64>,
}

impl Default for JitterLadder {
    /// Steps from the size of the rounding error (1e-14) to 1e-4, in factors of 10.
    fn default() -> Self {
        Self { steps: (4..=14).rev().map(|exponent| 10_f64.powi(-exponent)).collect() }
    }
}

/// Error of a Cholesky factorization.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[error("matrix of {n} rows is not positive definite at pivot {index}, even with jitter {jitter:e}")]
pub struct NotPositiveDefinite {
    /// Number of rows.
    pub n: usize,
    /// The pivot at which the last attempt failed.
    pub index: usize,
    /// The jitter of the last attempt, in the units of the matrix.
    pub jitter: f64,
}

/// The factor of `A + jitter·I = L Lᵀ`.
///
/// Costs: n³/3 flops to make, n² per solve, append or dropped row.
#[derive(Debug, Clone, PartialEq)]
pub struct Cholesky {
    pub(crate) factor: Matrix,
    pub(crate) jitter: f64,
}

impl Cholesky {
    /// Factors a symmetric matrix given by its lower half.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] when even the ladder's last step does not help, or an entry is not finite.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(matrix: &Matrix, ladder: &JitterLadder) -> Result<Self, NotPositiveDefinite> {
        assert_eq!(matrix.rows(), matrix.cols(), "a square matrix");
        let n = matrix.rows();
        let trace: f64 = (0..n).map(|i| matrix[(i, i)]).sum();
        let scale = trace / n.max(1) as f64;
        let fail = |index, jitter| NotPositiveDefinite { n, index, jitter };
        let mut attempt = matrix.clone();
        let mut failed = match factor_in_place(&mut attempt, Threads::One) {
            Ok(()) => return Ok(Self { factor: attempt, jitter: 0.0 }),
            Err(index) => fail(index, 0.0),
        };
        if !(scale.is_finite() && scale > 0.0) {
            return Err(failed);
        }
        for step in &ladder.steps {
            let jitter = step * scale;
            attempt.clone_from(matrix);
            attempt.add_to_diagonal(jitter);
            match factor_in_place(&mut attempt, Threads::One) {
                Ok(()) => return Ok(Self { factor: attempt, jitter }),
                Err(index) => failed = fail(index, jitter),
            }
        }
        Err(failed)
    }

    /// Jitter added to the diagonal, in the units of the matrix; 0 when none was added.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Number of rows.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.factor.rows()
    }

    /// `L`, in the lower half.
    #[must_use]
    pub fn factor(&self) -> &Matrix {
        &self.factor
    }

    /// `log |A|`.
    #[must_use]
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.dim()).map(|i| self.factor[(i, i)].ln()).sum::<f64>()
    }

    /// `A⁻¹ b`, overwriting `b`.
    pub fn solve_in_place(&self, b: &mut [f64]) {
        self.solve_lower_in_place(b);
        self.solve_upper_in_place(b);
    }

    /// `L⁻¹ b`, overwriting `b`.
    ///
    /// # Panics
    /// When there is not one number a row.
    pub fn solve_lower_in_place(&self, b: &mut [f64]) {
        solve_lower_in_place(&self.factor, b);
    }

    /// `L⁻ᵀ b`, overwriting `b`.
    ///
    /// # Panics
    /// When there is not one number a row.
    pub fn solve_upper_in_place(&self, b: &mut [f64]) {
        solve_upper(&self.factor, b);
    }

    /// `L⁻¹ B`, overwriting `B`.
    pub fn solve_lower_matrix_in_place(&self, b: &mut Matrix) {
        if b.cols() == 1 {
            return self.solve_lower_in_place(b.column_mut(0));
        }
        solve_lower_triangular_in_place(self.factor.view(), b.view_mut(), faer::Par::Seq);
    }

    /// `L⁻ᵀ B`, overwriting `B`.
    pub fn solve_upper_matrix_in_place(&self, b: &mut Matrix) {
        if b.cols() == 1 {
            return self.solve_upper_in_place(b.column_mut(0));
        }
        solve_upper_triangular_in_place(self.factor.view().transpose(), b.view_mut(), faer::Par::Seq);
    }

    /// `A⁻¹`, both halves.
    #[must_use]
    pub fn inverse(&self) -> Matrix {
        let n = self.dim();
        let (mut lower, mut inverse) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
        invert_lower_into(&self.factor, &mut lower, Threads::One);
        gram_of_inverse_into(&lower, &mut inverse, Threads::One);
        for j in 0..n {
            for i in 0..j {
                inverse[(i, j)] = inverse[(j, i)];
            }
        }
        inverse
    }
}

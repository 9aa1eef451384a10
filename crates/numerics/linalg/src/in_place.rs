//! In-place kernels of the factorization library.

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_inverse::invert_lower_triangular;

use crate::Matrix;

/// Rows from which a second thread is worth its start (measured on two cores: 1.16× at 500, slower below 300).
pub const PARALLEL_FROM: usize = 500;

/// Threads for operations on large matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Threads {
    /// The calling thread alone: right inside anything that is itself parallel, and for reproducible bits
    /// whatever the pool's size.
    #[default]
    One,
    /// The global thread pool, from [`PARALLEL_FROM`] rows on; with the feature `threads` alone, else as [`Threads::One`].
    Pool,
}

impl Threads {
    #[cfg_attr(not(feature = "threads"), expect(unused_variables))]
    pub(crate) fn for_rows(self, rows: usize) -> Par {
        match self {
            #[cfg(feature = "threads")]
            Self::Pool if rows >= PARALLEL_FROM => Par::rayon(0),
            Self::One | Self::Pool => Par::Seq,
        }
    }
}

/// Replaces the lower half of a symmetric matrix by its Cholesky factor; the upper half is not read.
///
/// Cost: n³/3 flops, no allocation beyond n numbers.
///
/// # Errors
/// The first pivot that is not a positive finite number; the matrix is then destroyed.
pub fn factor_in_place(a: &mut Matrix, threads: Threads) -> Result<(), usize> {
    let n = a.rows();
    let par = threads.for_rows(n);
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par, faer::Spec::default()));
    let stack = MemStack::new(&mut memory);
    match cholesky_in_place(a.view_mut(), LltRegularization::default(), par, stack, faer::Spec::default()) {
        Err(LltError::NonPositivePivot { index }) => Err(index),
        // NaN and infinity pass the factorisation's own sign test.
        Ok(_) => match (0..n).find(|&i| !(a[(i, i)] > 0.0 && a[(i, i)].is_finite())) {
            Some(index) => Err(index),
            None => Ok(()),
        },
    }
}

/// Writes the lower half of `L⁻¹` into `out`, of the same size. Cost: n³/3 flops.
pub fn invert_lower_into(factor: &Matrix, out: &mut Matrix, threads: Threads) {
    invert_lower_triangular(out.view_mut(), factor.view(), threads.for_rows(factor.rows()));
}

/// Writes the lower half of `L⁻ᵀ L⁻¹ = A⁻¹` into `out`, from the lower half of `L⁻¹`. Cost: n³/3 flops.
pub fn gram_of_inverse_into(inverse: &Matrix, out: &mut Matrix, threads: Threads) {
    matmul(
        out.view_mut(),
        BlockStructure::TriangularLower,
        faer::Accum::Replace,
        inverse.view().transpose(),
        BlockStructure::TriangularUpper,
        inverse.view(),
        BlockStructure::TriangularLower,
        1.0,
        threads.for_rows(inverse.rows()),
    );
}

/// Writes `L B` into `out`, which is resized; of L the lower half alone is read. Cost: n² flops a column.
///
/// # Panics
/// When the sizes do not fit together.
pub fn lower_times_into(lower: &Matrix, b: &Matrix, out: &mut Matrix) {
    assert_eq!(lower.cols(), b.rows(), "sizes that fit");
    out.resize(lower.rows(), b.cols());
    matmul(
        out.view_mut(),
        BlockStructure::Rectangular,
        faer::Accum::Replace,
        lower.view(),
        BlockStructure::TriangularLower,
        b.view(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Takes `Aᵀ B` from `out`: inner products of the columns of A, in rows, with those of B, in columns.
///
/// Cost: 2·rows flops an entry.
///
/// # Panics
/// When the sizes do not fit together.
pub fn subtract_inner_products(out: &mut Matrix, a: &Matrix, b: &Matrix) {
    assert!(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols(), "sizes that fit");
    faer::linalg::matmul::matmul(
        out.view_mut(),
        faer::Accum::Add,
        a.view().transpose(),
        b.view(),
        -1.0,
        Par::Seq,
    );
}

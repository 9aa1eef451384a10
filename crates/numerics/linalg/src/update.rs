//! Appending and dropping rows of a Cholesky factor.

use crate::{Cholesky, Matrix, NotPositiveDefinite};

impl Cholesky {
    /// The factor with one more row and column of `A`: `row` holds its covariances with the rows there are,
    /// `diagonal` its own entry. The jitter in use is added to it. Cost: n² flops and one copy of the factor.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] when the new pivot is not positive.
    ///
    /// # Panics
    /// When `row` is not as long as the factor.
    pub fn appended(&self, row: &[f64], diagonal: f64) -> Result<Self, NotPositiveDefinite> {
        let n = self.dim();
        assert_eq!(row.len(), n, "one covariance a row");
        let mut last = row.to_vec();
        self.solve_lower_in_place(&mut last);
        let pivot = diagonal + self.jitter() - last.iter().map(|l| l * l).sum::<f64>();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(NotPositiveDefinite { n: n + 1, index: n, jitter: self.jitter() });
        }
        let mut grown = Matrix::zeros(n + 1, n + 1);
        for j in 0..n {
            grown.column_mut(j)[j..n].copy_from_slice(&self.factor.column(j)[j..]);
            grown[(n, j)] = last[j];
        }
        grown[(n, n)] = pivot.sqrt();
        Ok(Self { factor: grown, jitter: self.jitter })
    }

    /// Removes row and column `index` of `A` from the factor. Cost: at most 3n² flops, by a rank-one update.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn drop_row(&mut self, index: usize) {
        let n = self.dim();
        assert!(index < n, "row {index} of {n}");
        let mut shrunk = Matrix::zeros(n - 1, n - 1);
        let kept = |i: usize| i + usize::from(i >= index);
        for j in 0..n - 1 {
            for i in j..n - 1 {
                shrunk[(i, j)] = self.factor[(kept(i), kept(j))];
            }
        }
        // Below the row, A = L₃₃L₃₃ᵀ + vvᵀ with v the column that goes: fold v into L₃₃ by Givens rotations.
        let mut v: Vec<f64> = self.factor.column(index)[index + 1..].to_vec();
        for k in 0..v.len() {
            let j = index + k;
            let (old, hit) = (shrunk[(j, j)], v[k]);
            let radius = old.hypot(hit);
            let (c, s) = (old / radius, hit / radius);
            shrunk[(j, j)] = radius;
            for i in k + 1..v.len() {
                let entry = shrunk[(index + i, j)];
                shrunk[(index + i, j)] = c * entry + s * v[i];
                v[i] = c * v[i] - s * entry;
            }
        }
        self.factor = shrunk;
    }
}

//! Column-major matrices with aligned columns.

/// Columns are padded to a multiple of this many numbers: one AVX-512 register.
pub const LANES: usize = 8;

/// A dense matrix, column after column, each padded to a multiple of [`LANES`] numbers.
///
/// Padding is part of the storage, not of the matrix: it may hold anything, and vector code may write it.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    stride: usize,
    data: Vec<f64>,
}

/// Equality of the entries; padding is no part of the matrix.
impl PartialEq for Matrix {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
            && self.cols == other.cols
            && (0..self.cols).all(|j| self.column(j) == other.column(j))
    }
}

impl Matrix {
    /// A matrix of zeros.
    #[must_use]
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let stride = padded(rows);
        Self { rows, cols, stride, data: vec![0.0; stride * cols] }
    }

    /// A matrix from its entries `(row, column)`.
    #[must_use]
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(rows, cols);
        for j in 0..cols {
            for (i, value) in matrix.column_mut(j).iter_mut().enumerate() {
                *value = entry(i, j);
            }
        }
        matrix
    }

    /// Gives the matrix another size and keeps its memory; the entries are then unspecified.
    pub fn resize(&mut self, rows: usize, cols: usize) {
        (self.rows, self.cols, self.stride) = (rows, cols, padded(rows));
        self.data.resize(self.stride * cols, 0.0);
    }

    /// Number of rows.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline]
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distance in storage between the starts of two columns: a multiple of [`LANES`].
    #[inline]
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Column `j` without its padding.
    #[inline]
    #[must_use]
    pub fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.stride..j * self.stride + self.rows]
    }

    /// Column `j` without its padding, for writing.
    #[inline]
    #[must_use]
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.stride..j * self.stride + self.rows]
    }

    /// Column `j` with its padding.
    #[inline]
    #[must_use]
    pub fn padded_column(&self, j: usize) -> &[f64] {
        &self.data[j * self.stride..(j + 1) * self.stride]
    }

    /// Column `j` with its padding, for writing.
    #[inline]
    #[must_use]
    pub fn padded_column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.stride..(j + 1) * self.stride]
    }

    /// Adds `value` to the diagonal.
    pub fn add_to_diagonal(&mut self, value: f64) {
        for j in 0..self.rows.min(self.cols) {
            self.data[j * self.stride + j] += value;
        }
    }

    pub(crate) fn view(&self) -> faer::MatRef<'_, f64> {
        faer::MatRef::from_column_major_slice_with_stride(&self.data, self.rows, self.cols, self.stride)
    }

    pub(crate) fn view_mut(&mut self) -> faer::MatMut<'_, f64> {
        faer::MatMut::from_column_major_slice_with_stride_mut(
            &mut self.data,
            self.rows,
            self.cols,
            self.stride,
        )
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.column(j)[i]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.column_mut(j)[i]
    }
}

/// Rounds up to whole registers, and off the multiples of 512 bytes at which columns would fight for the same
/// cache lines.
fn padded(rows: usize) -> usize {
    let stride = rows.next_multiple_of(LANES);
    if stride >= 64 && stride.is_multiple_of(64) { stride + LANES } else { stride }
}

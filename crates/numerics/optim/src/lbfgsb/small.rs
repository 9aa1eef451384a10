//! Gaussian elimination with partial pivoting for the few unknowns of the compact representation.

/// An LU factorisation of a square matrix of at most 2·memory rows.
#[derive(Debug, Default)]
pub(super) struct SmallLu {
    size: usize,
    entries: Vec<f64>,
    pivots: Vec<usize>,
}

impl SmallLu {
    /// Factors the matrix with the given entries; false when it is singular to working precision.
    pub(super) fn factor(&mut self, size: usize, entry: impl Fn(usize, usize) -> f64) -> bool {
        self.size = size;
        self.pivots.clear();
        self.entries.clear();
        self.entries.extend((0..size * size).map(|at| entry(at / size, at % size)));
        for k in 0..size {
            let column = |row: usize| self.entries[row * size + k].abs();
            let pivot =
                (k + 1..size).fold(k, |best, row| if column(row) > column(best) { row } else { best });
            if !(column(pivot) > 0.0 && column(pivot).is_finite()) {
                return false;
            }
            self.pivots.push(pivot);
            for c in 0..size {
                self.entries.swap(k * size + c, pivot * size + c);
            }
            let (above, below) = self.entries.split_at_mut((k + 1) * size);
            let pivot_row = &above[k * size..];
            for row in below.chunks_exact_mut(size) {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                for (value, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *value -= factor * p;
                }
            }
        }
        true
    }

    /// Overwrites `b` by the solution.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let size = self.size;
        for k in 0..size {
            b.swap(k, self.pivots[k]);
        }
        for k in 0..size {
            let row = &self.entries[k * size..k * size + k];
            b[k] -= row.iter().zip(&b[..k]).map(|(l, b)| l * b).sum::<f64>();
        }
        for k in (0..size).rev() {
            let row = &self.entries[k * size..(k + 1) * size];
            let known: f64 = row[k + 1..].iter().zip(&b[k + 1..size]).map(|(u, b)| u * b).sum();
            b[k] = (b[k] - known) / row[k];
        }
    }
}

//! Products of small matrices.

use thrifty_simd::{VectorLoop, dispatch};

/// A matrix by its numbers and the steps from row to row and from column to column.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    numbers: &'a [f32],
    rows: usize,
    columns: usize,
    steps: (usize, usize),
}

impl<'a> View<'a> {
    /// Rows one after the other.
    pub(super) fn new(numbers: &'a [f32], columns: usize) -> Self {
        Self { numbers, rows: numbers.len() / columns.max(1), columns, steps: (columns, 1) }
    }

    pub(super) fn transposed(self) -> Self {
        Self { rows: self.columns, columns: self.rows, steps: (self.steps.1, self.steps.0), ..self }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // compiled for several instruction sets
    fn at(&self, row: usize, column: usize) -> f32 {
        self.numbers[row * self.steps.0 + column * self.steps.1]
    }
}

/// `c += a b` for m×k, k×n and m×n; `b` and `c` row by row.
pub(super) fn add_product(a: View<'_>, b: &[f32], c: &mut [f32]) {
    if a.rows > 0 && a.columns > 0 {
        dispatch(Product { a, b, c });
    }
}

/// Columns of a matrix with so many of them, one after the other.
pub(super) fn transpose(matrix: &[f32], columns: usize, out: &mut Vec<f32>) {
    out.clear();
    out.extend((0..columns).flat_map(|column| matrix[column..].iter().step_by(columns)));
}

struct Product<'a> {
    a: View<'a>,
    b: &'a [f32],
    c: &'a mut [f32],
}

impl VectorLoop for Product<'_> {
    type Output = ();

    /// Two rows of `c` and four of `b` at a time, so that what is loaded is used again.
    #[inline(always)]
    #[allow(clippy::inline_always, clippy::many_single_char_names)] // matrices by their usual letters
    fn run<const FMA: bool>(self) {
        let Self { a, b, c } = self;
        let n = c.len() / a.rows;
        let mut pairs = c.chunks_exact_mut(2 * n);
        let mut i = 0;
        for pair in pairs.by_ref() {
            let (first, second) = pair.split_at_mut(n);
            let mut k = 0;
            while k + 4 <= a.columns {
                let u = [a.at(i, k), a.at(i, k + 1), a.at(i, k + 2), a.at(i, k + 3)];
                let v = [a.at(i + 1, k), a.at(i + 1, k + 1), a.at(i + 1, k + 2), a.at(i + 1, k + 3)];
                let (p, rest) = b[k * n..(k + 4) * n].split_at(n);
                let (q, rest) = rest.split_at(n);
                let (r, s) = rest.split_at(n);
                let (first, second) = (&mut first[..n], &mut second[..n]);
                for j in 0..n {
                    first[j] = four::<FMA>(u, [p[j], q[j], r[j], s[j]], first[j]);
                    second[j] = four::<FMA>(v, [p[j], q[j], r[j], s[j]], second[j]);
                }
                k += 4;
            }
            for k in k..a.columns {
                let row = &b[k * n..(k + 1) * n];
                axpy::<FMA>(a.at(i, k), row, first);
                axpy::<FMA>(a.at(i + 1, k), row, second);
            }
            i += 2;
        }
        for (row, c) in pairs.into_remainder().chunks_exact_mut(n).enumerate() {
            for k in 0..a.columns {
                axpy::<FMA>(a.at(i + row, k), &b[k * n..(k + 1) * n], c);
            }
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always)] // compiled for several instruction sets
fn four<const FMA: bool>(a: [f32; 4], b: [f32; 4], mut sum: f32) -> f32 {
    for k in 0..4 {
        sum = if FMA { a[k].mul_add(b[k], sum) } else { a[k] * b[k] + sum };
    }
    sum
}

#[inline(always)]
#[allow(clippy::inline_always)] // compiled for several instruction sets
fn axpy<const FMA: bool>(a: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = if FMA { a.mul_add(*x, *y) } else { a * x + *y };
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    #[test]
    fn products_of_all_small_shapes() {
        let rng = &mut Seed(0).stream("test", 0);
        for (m, k, n) in (0..6).flat_map(|m| (0..10).flat_map(move |k| [1, 3, 17].map(|n| (m, k, n)))) {
            let mut draw =
                |count: usize| -> Vec<f32> { (0..count).map(|_| rng.index(9) as f32 - 4.0).collect() };
            let (a, b, before) = (draw(m * k), draw(k * n), draw(m * n));
            let mut expected = before.clone();
            for (i, j, l) in (0..m).flat_map(|i| (0..n).flat_map(move |j| (0..k).map(move |l| (i, j, l)))) {
                expected[i * n + j] += a[i * k + l] * b[l * n + j];
            }
            // Sums of small integers are exact.
            let mut found = before.clone();
            add_product(View::new(&a, k), &b, &mut found);
            assert_eq!(found, expected, "{m} {k} {n}");
            let turned: Vec<f32> = (0..k * m).map(|at| a[(at % m) * k + at / m]).collect();
            let mut found = before;
            add_product(View::new(&turned, m).transposed(), &b, &mut found);
            assert_eq!(found, expected, "{m} {k} {n}, transposed");
        }
    }
}

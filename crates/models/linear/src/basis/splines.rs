//! B-spline basis.

use thrifty_check::number;

use super::Basis;
use crate::LinearError;

/// 1, then B-splines of each variable on equal cells of `[0, 1]`, all but the first of them.
///
/// Splines of one variable add up to 1, so that one of them can be left out. Outside of `[0, 1]` they are constant.
/// Source: de Boor (1978), the recurrence.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Splines {
    dim: usize,
    cells: usize,
    degree: usize,
}

/// A basis as a file has it.
#[derive(serde::Deserialize)]
struct Unchecked {
    dim: usize,
    cells: usize,
    degree: usize,
}

impl TryFrom<Unchecked> for Splines {
    type Error = LinearError;

    fn try_from(Unchecked { dim, cells, degree }: Unchecked) -> Result<Self, LinearError> {
        number("number of cells", cells as f64, cells > 0, "at least 1")?;
        Ok(Self { dim, cells, degree })
    }
}

impl Splines {
    /// Piecewise polynomials of `degree` on `cells` cells of each variable, as smooth as they can be: `cells + degree`
    /// splines a variable. At least one cell.
    #[must_use]
    pub fn new(dim: usize, cells: usize, degree: usize) -> Self {
        Self { dim, cells: cells.max(1), degree }
    }

    fn of_one(&self) -> usize {
        self.cells + self.degree
    }

    /// The knot of this number: clamped at both ends.
    fn knot(&self, i: usize) -> f64 {
        let inner = i.saturating_sub(self.degree).min(self.cells);
        inner as f64 / self.cells as f64
    }

    /// All splines of a degree of one variable at a point of `[0, 1]`; NaN at NaN.
    fn splines(&self, x: f64, degree: usize) -> Vec<f64> {
        let knots = self.of_one() + self.degree + 1;
        if x.is_nan() {
            // In no cell, not in the first.
            return vec![x; knots - 1 - degree];
        }
        let cell = ((x * self.cells as f64) as usize).min(self.cells - 1) + self.degree;
        let mut values = vec![0.0; knots - 1];
        values[cell] = 1.0;
        for p in 1..=degree {
            for i in 0..knots - 1 - p {
                let part = |low: f64, high: f64, value: f64, rising: bool| {
                    if high <= low {
                        0.0
                    } else if rising {
                        (x - low) / (high - low) * value
                    } else {
                        (high - x) / (high - low) * value
                    }
                };
                values[i] = part(self.knot(i), self.knot(i + p), values[i], true)
                    + part(self.knot(i + 1), self.knot(i + p + 1), values[i + 1], false);
            }
        }
        values.truncate(knots - 1 - degree);
        values
    }

    fn slopes(&self, x: f64) -> Vec<f64> {
        let p = self.degree;
        if p == 0 {
            return vec![0.0; self.of_one()];
        }
        let lower = self.splines(x, p - 1);
        let part = |low: f64, high: f64, value: f64| {
            if high <= low { 0.0 } else { p as f64 / (high - low) * value }
        };
        let one = |i: usize| {
            part(self.knot(i), self.knot(i + p), lower[i])
                - part(self.knot(i + 1), self.knot(i + p + 1), lower[i + 1])
        };
        (0..self.of_one()).map(one).collect()
    }
}

impl Basis for Splines {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        1 + self.dim * (self.of_one() - 1)
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
        let width = self.of_one() - 1;
        for (x, out) in x.iter().zip(out[1..].chunks_exact_mut(width.max(1))) {
            out.copy_from_slice(&self.splines(x.clamp(0.0, 1.0), self.degree)[1..]);
        }
    }

    fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> bool {
        out.fill(0.0);
        let width = self.of_one() - 1;
        for (d, x) in x.iter().enumerate() {
            if *x < 0.0 || *x > 1.0 {
                continue;
            }
            for (i, slope) in self.slopes(*x)[1..].iter().enumerate() {
                out[(1 + d * width + i) * self.dim + d] = *slope;
            }
        }
        true
    }

    fn name(&self) -> String {
        format!("splines of degree {} on {} cells in {} variables", self.degree, self.cells, self.dim)
    }
}

use std::ops::Range;

use thrifty_simd::{Pass, dispatch, exp_negative, fma};

use crate::Estimator;
use crate::column::{Column, GridColumn, NumberColumn};
use crate::interval::log_mass;

/// Kernels looked at together: their numbers stay in the nearest cache for all points.
const TILE: usize = 512;

/// See [`Estimator::log_density_into`].
pub(crate) fn log_density_into(estimator: &Estimator, points: &[f64], out: &mut [f64]) {
    let dim = estimator.columns.len();
    assert_eq!(points.len(), dim * out.len(), "points of {dim} numbers");
    if let ([Column::Number(column)], true) = (&estimator.columns[..], estimator.reach.is_finite()) {
        return dispatch(OnAxis { estimator, column, points, out });
    }
    let mut sums = vec![LogSum::default(); out.len()];
    let tables = Tables::new(estimator, points, out.len());
    dispatch(Evaluate { estimator, points, tables: &tables, sums: &mut sums });
    for (out, sum) in out.iter_mut().zip(&sums) {
        *out = sum.value();
    }
}

/// A single axis on which the prior is nowhere small: the sum cannot vanish and needs no care.
struct OnAxis<'a> {
    estimator: &'a Estimator,
    column: &'a NumberColumn,
    points: &'a [f64],
    out: &'a mut [f64],
}

impl Pass for OnAxis<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { estimator, column, points, out } = self;
        for (out, &x) in out.iter_mut().zip(points) {
            // Not active: the density of nothing.
            if x.is_nan() {
                *out = 0.0;
                continue;
            }
            let near = kernels_at::<FMA>(estimator, column, window(estimator, column, x), x);
            *out = (near + kernels_at::<FMA>(estimator, column, estimator.narrow..estimator.len(), x)).ln();
        }
    }
}

/// The sum of some kernels at a place, in eight lanes: one alone would wait for each addition to end.
#[inline(always)]
fn kernels_at<const FMA: bool>(
    estimator: &Estimator,
    column: &NumberColumn,
    range: Range<usize>,
    x: f64,
) -> f64 {
    let term = |p: f64, mu: f64, precision: f64, scale: f64| {
        let z = (x - mu) * precision;
        p * scale * exp_negative::<FMA>(-0.5 * z * z)
    };
    let (p, p_rest) = estimator.probability[range.clone()].as_chunks::<8>();
    let (mu, mu_rest) = column.mu[range.clone()].as_chunks::<8>();
    let (precision, precision_rest) = column.precision[range.clone()].as_chunks::<8>();
    let (scale, scale_rest) = column.scale[range].as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for (((p, mu), precision), scale) in p.iter().zip(mu).zip(precision).zip(scale) {
        for lane in 0..8 {
            lanes[lane] += term(p[lane], mu[lane], precision[lane], scale[lane]);
        }
    }
    let mut sum = lanes.iter().sum::<f64>();
    for i in 0..p_rest.len() {
        sum += term(p_rest[i], mu_rest[i], precision_rest[i], scale_rest[i]);
    }
    sum
}

/// The narrow kernels that reach a point.
fn window(estimator: &Estimator, column: &NumberColumn, x: f64) -> Range<usize> {
    let (mu, radius) = (&column.mu[..estimator.narrow], estimator.reach * estimator.width);
    let first = mu.partition_point(|m| *m < x - radius);
    let last = mu.partition_point(|m| *m <= x + radius);
    first..last
}

/// `ln Σ cᵢ exp(eᵢ)`, gathered in parts.
#[derive(Debug, Clone, Copy)]
struct LogSum {
    largest: f64,
    sum: f64,
}

impl Default for LogSum {
    fn default() -> Self {
        Self { largest: f64::NEG_INFINITY, sum: 0.0 }
    }
}

impl LogSum {
    fn add(&mut self, largest: f64, sum: f64) {
        if largest > self.largest {
            self.sum = sum + self.sum * (self.largest - largest).exp();
            self.largest = largest;
        } else if largest > f64::NEG_INFINITY {
            self.sum += sum * (largest - self.largest).exp();
        }
    }

    fn value(&self) -> f64 {
        self.largest + self.sum.ln()
    }
}

/// Logarithms of what the kernels of grids and choices say of each point; equal values share a table.
struct Tables {
    values: Vec<f64>,
    /// Where the table of (point, dimension) begins; none for numbers and what is not active.
    starts: Vec<Option<usize>>,
}

impl Tables {
    fn new(estimator: &Estimator, points: &[f64], count: usize) -> Self {
        let dim = estimator.columns.len();
        let mut values = Vec::new();
        let mut starts: Vec<Option<usize>> = vec![None; points.len()];
        for (d, column) in estimator.columns.iter().enumerate() {
            if matches!(column, Column::Number(_)) {
                continue;
            }
            for at in 0..count {
                let x = points[at * dim + d];
                if x.is_nan() {
                    continue;
                }
                let earlier = (0..at).find(|other| points[other * dim + d] == x);
                starts[at * dim + d] = if let Some(other) = earlier {
                    starts[other * dim + d]
                } else {
                    let start = values.len();
                    match column {
                        Column::Grid(column) => cell_masses(column, estimator.reach, x, &mut values),
                        Column::Choice(column) => {
                            let of =
                                |row: &Vec<f64>| row.get(x as usize).map_or(f64::NEG_INFINITY, |p| p.ln());
                            values.extend(column.rows.iter().map(of));
                        }
                        Column::Number(_) => {}
                    }
                    Some(start)
                };
            }
        }
        Self { values, starts }
    }
}

/// Cells out of reach of a kernel count as impossible.
fn cell_masses(column: &GridColumn, reach: f64, value: f64, out: &mut Vec<f64>) {
    let (low, high) = column.axis.cell(value);
    out.extend(column.atoms.iter().map(|atom| {
        let (a, b) = ((low - atom.mu) / atom.sigma, (high - atom.mu) / atom.sigma);
        if a > reach || b < -reach { f64::NEG_INFINITY } else { log_mass(a, b) - atom.log_mass }
    }));
}

/// All kernels that matter at all points.
struct Evaluate<'a> {
    estimator: &'a Estimator,
    points: &'a [f64],
    tables: &'a Tables,
    sums: &'a mut [LogSum],
}

impl Pass for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { estimator, points, tables, sums } = self;
        let mut tile = Tile { estimator, points, tables, coefficient: [0.0; TILE], exponent: [0.0; TILE] };
        for start in (0..estimator.len()).step_by(TILE) {
            tile.add::<FMA>(start..(start + TILE).min(estimator.len()), sums);
        }
    }
}

/// Some kernels at some points.
struct Tile<'a> {
    estimator: &'a Estimator,
    points: &'a [f64],
    tables: &'a Tables,
    coefficient: [f64; TILE],
    exponent: [f64; TILE],
}

impl Tile<'_> {
    #[inline(always)]
    fn add<const FMA: bool>(&mut self, range: Range<usize>, sums: &mut [LogSum]) {
        let Self { estimator, points, tables, coefficient, exponent } = self;
        let (dim, n) = (estimator.columns.len(), range.len());
        let (coefficient, exponent) = (&mut coefficient[..n], &mut exponent[..n]);
        let mut before: Option<&[f64]> = None;
        for (i, sum) in sums.iter_mut().enumerate() {
            let point = &points[i * dim..(i + 1) * dim];
            // The factors before the exponential depend on which parameters are active alone.
            let same = before.is_some_and(|b| b.iter().zip(point).all(|(a, b)| a.is_nan() == b.is_nan()));
            if !same {
                coefficient.copy_from_slice(&estimator.probability[range.clone()]);
                for (column, x) in estimator.columns.iter().zip(point) {
                    if let (Column::Number(column), false, false) =
                        (column, x.is_nan(), estimator.by_logarithm)
                    {
                        coefficient.iter_mut().zip(&column.scale[range.clone()]).for_each(|(c, s)| *c *= s);
                    }
                }
                before = Some(point);
            }
            exponent.fill(0.0);
            for (d, (column, &x)) in estimator.columns.iter().zip(point).enumerate() {
                match (column, tables.starts[i * dim + d]) {
                    (Column::Number(column), _) if !x.is_nan() => {
                        let kernels = column.mu[range.clone()].iter().zip(&column.precision[range.clone()]);
                        for (e, (mu, precision)) in exponent.iter_mut().zip(kernels) {
                            let z = (x - mu) * precision;
                            *e = fma::<FMA>(-0.5 * z, z, *e);
                        }
                        if estimator.by_logarithm {
                            exponent
                                .iter_mut()
                                .zip(&column.scale[range.clone()])
                                .for_each(|(e, s)| *e += s.ln());
                        }
                    }
                    (Column::Grid(column), Some(start)) => {
                        look_up(exponent, &column.atom[range.clone()], &tables.values[start..]);
                    }
                    (Column::Choice(column), Some(start)) => {
                        look_up(exponent, &column.row[range.clone()], &tables.values[start..]);
                    }
                    _ => {}
                }
            }
            let largest = in_lanes(exponent, f64::NEG_INFINITY, |a, b| if b > a { b } else { a });
            if largest == f64::NEG_INFINITY {
                continue;
            }
            for (e, c) in exponent.iter_mut().zip(&*coefficient) {
                *e = c * exp_negative::<FMA>(*e - largest);
            }
            sum.add(largest, in_lanes(exponent, 0.0, |a, b| a + b));
        }
    }
}

/// A fold in eight lanes: one alone would wait for each operation to end.
#[inline(always)]
fn in_lanes(values: &[f64], start: f64, combine: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [start; 8];
    let chunks = values.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = combine(*lane, *value);
        }
    }
    rest.iter().chain(&lanes).fold(start, |a, b| combine(a, *b))
}

#[inline(always)]
fn look_up(exponent: &mut [f64], entries: &[u32], table: &[f64]) {
    for (e, entry) in exponent.iter_mut().zip(entries) {
        *e += table[*entry as usize];
    }
}

//! Log densities of kernel mixtures at many points.

use std::ops::Range;

use thrifty_simd::{VectorLoop, dispatch, exp_negative, fma};

use crate::Estimator;
use crate::density::column::{GridColumn, KernelColumn, NumberColumn};
use crate::density::estimator::LARGEST_LOG;
use crate::density::interval::log_mass;

/// Kernels looked at together: their numbers stay in the nearest cache for all points.
const TILE: usize = 512;

/// See [`Estimator::log_density_into`].
pub(crate) fn log_density_into(estimator: &Estimator, points: &[f64], out: &mut [f64]) {
    let dim = estimator.columns.len();
    assert_eq!(points.len(), dim * out.len(), "points of {dim} numbers");
    if let [KernelColumn::Number(column)] = &estimator.columns[..]
        && estimator.reach.is_finite()
        && 0.5 * column.axis.farthest().powi(2) < LARGEST_LOG
    {
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

impl VectorLoop for OnAxis<'_> {
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

/// Log densities of the kernels of grids and choices at each point; equal values share a table.
struct Tables {
    values: Vec<f64>,
    /// Start of the table of (point, dimension); none for numbers and inactive parameters.
    starts: Vec<Option<usize>>,
}

impl Tables {
    fn new(estimator: &Estimator, points: &[f64], count: usize) -> Self {
        let dim = estimator.columns.len();
        let mut values = Vec::new();
        let mut starts: Vec<Option<usize>> = vec![None; points.len()];
        for (d, column) in estimator.columns.iter().enumerate() {
            if matches!(column, KernelColumn::Number(_)) {
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
                        KernelColumn::Grid(column) => cell_masses(column, estimator.reach, x, &mut values),
                        KernelColumn::Choice(column) => {
                            let of =
                                |row: &Vec<f64>| row.get(x as usize).map_or(f64::NEG_INFINITY, |p| p.ln());
                            values.extend(column.rows.iter().map(of));
                        }
                        KernelColumn::Number(_) => {}
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

impl VectorLoop for Evaluate<'_> {
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
                    if let (KernelColumn::Number(column), false, false) =
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
                    (KernelColumn::Number(column), _) if !x.is_nan() => {
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
                    (KernelColumn::Grid(column), Some(start)) => {
                        look_up(exponent, &column.atom[range.clone()], &tables.values[start..]);
                    }
                    (KernelColumn::Choice(column), Some(start)) => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Choices, Dimension, GridEnds, Layout, Observed, TpeSettings, Weights};

    #[test]
    fn sums_of_exponentials_gather_in_any_order() {
        let mut sum = LogSum::default();
        assert_eq!(sum.value(), f64::NEG_INFINITY);
        // Nothing at all stays nothing, not NaN.
        sum.add(f64::NEG_INFINITY, 0.0);
        assert_eq!(sum.value(), f64::NEG_INFINITY);
        for parts in [[(0.0, 2.0), (1.0, 3.0), (-700.0, 5.0)], [(-700.0, 5.0), (1.0, 3.0), (0.0, 2.0)]] {
            let mut sum = LogSum::default();
            parts.iter().for_each(|(largest, part)| sum.add(*largest, *part));
            sum.add(f64::NEG_INFINITY, 1.0);
            let expected = (2.0 + 3.0 * 1_f64.exp()).ln();
            assert!((sum.value() - expected).abs() < 1e-14, "{}", sum.value());
        }
        let mut equal = LogSum::default();
        (0..4).for_each(|_| equal.add(900.0, 0.25));
        assert!((equal.value() - 900.0).abs() < 1e-12);
    }

    #[test]
    fn lanes_fold_all_values() {
        for n in [0_u8, 1, 7, 8, 9, 16, 29] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            let expected = f64::from(n) * (f64::from(n) - 1.0) / 2.0;
            assert!((in_lanes(&values, 0.0, |a, b| a + b) - expected).abs() < 1e-12);
            let largest = in_lanes(&values, f64::NEG_INFINITY, f64::max);
            assert_eq!(largest, if n == 0 { f64::NEG_INFINITY } else { f64::from(n) - 1.0 });
        }
    }

    /// An estimator over a number, a grid and choices, of enough trials for two tiles.
    fn mixed(n: usize) -> (Vec<Dimension>, Vec<Vec<f64>>, Estimator) {
        let dimensions = vec![
            Dimension::Numeric(Axis::float(0.0, 1.0, false).unwrap()),
            Dimension::Numeric(Axis::grid(0.0, 9.0, 1.0, false, GridEnds::Whole).unwrap()),
            Dimension::Categorical(Choices::uniform(3).unwrap()),
        ];
        let gap = |i: usize, value: f64, every: usize| if i.is_multiple_of(every) { f64::NAN } else { value };
        let columns: Vec<Vec<f64>> = vec![
            (0..n).map(|i| gap(i, (i as f64 * 0.618_034).fract(), 5)).collect(),
            (0..n).map(|i| gap(i, (i * i % 10) as f64, 7)).collect(),
            (0..n).map(|i| gap(i, (i % 3) as f64, 4)).collect(),
        ];
        let observed = dimensions.iter().zip(&columns).map(|(d, c)| Observed::new(d, c)).collect();
        let weights = Weights::LinearForgetting.of(&vec![0.0; n], None);
        let kernels = TpeSettings::optuna5().kernels;
        let estimator =
            Estimator::fit(&dimensions, observed, &weights, &kernels, Layout::Observations).unwrap();
        (dimensions, columns, estimator)
    }

    /// The sum over kernels written out, with the exact normal functions.
    fn written_out(estimator: &Estimator, dimensions: &[Dimension], point: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (kernel, p) in estimator.probabilities().iter().enumerate() {
            let mut product = *p;
            for (d, (dimension, x)) in dimensions.iter().zip(point).enumerate() {
                if x.is_nan() {
                    continue;
                }
                product *= match dimension {
                    Dimension::Categorical(_) => estimator.row(d, kernel).unwrap()[*x as usize],
                    Dimension::Numeric(axis) => {
                        let (mu, sigma) = estimator.kernel(d, kernel).unwrap();
                        let below = |bound: f64| thrifty_prob::cdf((bound - mu) / sigma);
                        let within = below(axis.bounds.1) - below(axis.bounds.0);
                        if axis.grid.is_some() {
                            let (low, high) = axis.cell(*x);
                            (below(high) - below(low)) / within
                        } else {
                            thrifty_prob::pdf((x - mu) / sigma) / sigma / within
                        }
                    }
                };
            }
            sum += product;
        }
        sum.ln()
    }

    #[test]
    fn densities_are_the_sum_of_products_written_out() {
        for n in [0, 1, 9, 40, 511, 512, 700] {
            let (dimensions, _, estimator) = mixed(n);
            let nan = f64::NAN;
            let points = [
                [0.3, 4.0, 1.0],
                [0.3, 4.0, 2.0],
                [nan, 4.0, 0.0],
                [0.9, nan, 0.0],
                [0.0, 0.0, nan],
                [nan, nan, nan],
                [1.0, 9.0, 1.0],
                [0.3, nan, nan],
            ];
            let mut out = [0.0; 8];
            estimator.log_density_into(&points.concat(), &mut out);
            for (point, found) in points.iter().zip(out) {
                let expected = written_out(&estimator, &dimensions, point);
                assert!((found - expected).abs() < 1e-9, "{n} {point:?}: {found}, expected {expected}");
            }
        }
    }

    /// A single axis goes its own way, in windows once there are many kernels.
    #[test]
    fn densities_on_an_axis_are_the_sum_written_out() {
        for n in [0, 1, 7, 8, 100, 300, 900] {
            let dimension = Dimension::Numeric(Axis::float(0.0, 1.0, false).unwrap());
            // Most lie close together: narrow kernels and wide ones.
            let place = |i: usize| {
                if i.is_multiple_of(9) {
                    i as f64 / n as f64
                } else {
                    0.4 + 0.1 * (i as f64 * 0.618_034).fract()
                }
            };
            let values: Vec<f64> = (0..n).map(place).collect();
            let weights = Weights::LinearForgetting.of(&vec![0.0; n], None);
            let kernels = TpeSettings::optuna5().kernels;
            let observed = vec![Observed::new(&dimension, &values)];
            let dimensions = [dimension];
            let estimator =
                Estimator::fit(&dimensions, observed, &weights, &kernels, Layout::Compact).unwrap();
            let points: Vec<f64> = (0..=60).map(|i| f64::from(i) / 60.0).chain([f64::NAN]).collect();
            let mut out = vec![0.0; points.len()];
            estimator.log_density_into(&points, &mut out);
            for (x, found) in points.iter().zip(&out) {
                let expected = if x.is_nan() { 0.0 } else { written_out(&estimator, &dimensions, &[*x]) };
                assert!((found - expected).abs() < 1e-9, "{n} {x}: {found}, expected {expected}");
            }
        }
    }

    /// Far from a narrow prior and from every kernel the density is too small for a number, its logarithm is not.
    #[test]
    fn logarithms_on_an_axis_outlast_the_density() {
        let axis = Axis::float(0.0, 1.0, false).unwrap().with_prior(0.5, 0.01).unwrap();
        let dimensions = [Dimension::Numeric(axis)];
        let values = [0.49, 0.5, 0.505, 0.51];
        let weights = Weights::Uniform.of(&[0.0; 4], None);
        let kernels = TpeSettings::optuna5().kernels;
        let observed = vec![Observed::new(&dimensions[0], &values)];
        let estimator = Estimator::fit(&dimensions, observed, &weights, &kernels, Layout::Compact).unwrap();
        let points = [0.0, 0.2, 0.45, 0.5, 0.8, 1.0];
        let mut out = [0.0; 6];
        estimator.log_density_into(&points, &mut out);
        for (x, found) in points.iter().zip(out) {
            let mut expected = LogSum::default();
            for (kernel, p) in estimator.probabilities().iter().enumerate() {
                let (mu, sigma) = estimator.kernel(0, kernel).unwrap();
                expected.add(thrifty_prob::log_pdf((x - mu) / sigma), p / sigma);
            }
            let expected = expected.value();
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{x}: {found}, {expected}");
        }
        assert!(out[5] < -1000.0, "too small for a number: {}", out[5]);
    }

    #[test]
    fn equal_values_share_a_table() {
        let (_, _, estimator) = mixed(12);
        let points = [[0.1, 4.0, 1.0], [0.2, 4.0, 2.0], [0.3, 7.0, 1.0], [0.4, f64::NAN, 1.0]].concat();
        let tables = Tables::new(&estimator, &points, 4);
        let [KernelColumn::Number(_), KernelColumn::Grid(grid), KernelColumn::Choice(choice)] =
            &estimator.columns[..]
        else {
            panic!("three sorts")
        };
        let (atoms, rows) = (grid.atoms.len(), choice.rows.len());
        assert_eq!(tables.values.len(), 2 * atoms + 2 * rows);
        let of = |at: usize, d: usize| tables.starts[3 * at + d];
        assert!((0..4).all(|at| of(at, 0).is_none()) && of(3, 1).is_none());
        assert_eq!([of(0, 1), of(1, 1), of(2, 1)], [Some(0), Some(0), Some(atoms)]);
        let start = 2 * atoms;
        assert_eq!([0, 1, 2, 3].map(|at| of(at, 2).unwrap()), [start, start + rows, start, start]);
    }
}

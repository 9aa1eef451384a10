//! Kernels of one parameter.

use std::f64::consts::TAU;

use crate::density::masses::KnownMasses;
use crate::history::observed::List;
use crate::{Axis, Choices, Dimension, Kernels, Observed};

/// The kernels of one parameter.
#[derive(Debug, Clone)]
pub(crate) enum KernelColumn {
    Number(NumberColumn),
    Grid(GridColumn),
    Choice(ChoiceColumn),
}

/// Normal kernels, one an entry.
#[derive(Debug, Clone)]
pub(crate) struct NumberColumn {
    pub(crate) axis: Axis,
    pub(crate) mu: Vec<f64>,
    /// `1 / σ`.
    pub(crate) precision: Vec<f64>,
    /// `1 / (σ √(2π) · mass within bounds)`.
    pub(crate) scale: Vec<f64>,
    /// The largest `1 / σ`.
    pub(crate) sharpest: f64,
}

/// Kernel of each observation.
pub(crate) enum Place {
    /// Its own.
    Own,
    /// Kernel k is that of this observation.
    Sorted(Vec<u32>),
    /// One of those that are left once equal ones are merged.
    Merged(Vec<u32>),
}

/// Normal kernels of which many are equal: entries point to what is different.
#[derive(Debug, Clone)]
pub(crate) struct GridColumn {
    pub(crate) axis: Axis,
    pub(crate) atom: Vec<u32>,
    pub(crate) atoms: Vec<GridKernel>,
}

/// A normal kernel and its mass within bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GridKernel {
    pub(crate) mu: f64,
    pub(crate) sigma: f64,
    pub(crate) mass: f64,
    pub(crate) log_mass: f64,
}

impl GridKernel {
    fn new(axis: &Axis, mu: f64, sigma: f64) -> Self {
        let mass = axis.mass(mu, sigma);
        Self { mu, sigma, mass, log_mass: mass.ln() }
    }
}

/// Rows of probabilities, one a choice and the prior's last.
#[derive(Debug, Clone)]
pub(crate) struct ChoiceColumn {
    pub(crate) row: Vec<u32>,
    pub(crate) rows: Vec<Vec<f64>>,
}

impl KernelColumn {
    /// The kernels of observations and the prior, and where they went; nothing where numbers are given for choices.
    pub(crate) fn fit(
        dimension: &Dimension,
        observed: Observed,
        kernels: &Kernels,
        dim: usize,
        compact: bool,
        masses: &mut KnownMasses,
    ) -> Option<(Self, Place)> {
        Some(match (dimension, observed.0) {
            (Dimension::Numeric(axis), List::Numbers { count, latent, order }) => {
                let mut widths = Vec::with_capacity(latent.len() + 1);
                kernels.bandwidth.widths(&latent, axis, dim, &mut widths);
                let sorted = Sorted { count, latent, order, widths };
                if axis.grid.is_some() {
                    grid(axis, &sorted, compact)
                } else {
                    numbers(axis, sorted, compact, masses)
                }
            }
            (Dimension::Categorical(choices), List::Choices(values)) => {
                rows_of(choices, &values, kernels, compact)
            }
            _ => return None,
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Number(column) => column.mu.len(),
            Self::Grid(column) => column.atom.len(),
            Self::Choice(column) => column.row.len(),
        }
    }

    /// The part of a kernel within bounds.
    pub(crate) fn mass(&self, kernel: usize) -> f64 {
        match self {
            Self::Number(column) => column.precision[kernel] / (column.scale[kernel] * TAU.sqrt()),
            Self::Grid(column) => column.atoms[column.atom[kernel] as usize].mass,
            Self::Choice(_) => 1.0,
        }
    }

    /// The largest logarithm of a factor before an exponential, up or down.
    pub(crate) fn log_range(&self) -> f64 {
        match self {
            // A kernel cut at a bound has a third of its mass within, or more.
            Self::Number(column) => {
                let range = (3.0 * column.sharpest).ln().abs().max((0.3 / column.axis.prior_sd).ln().abs());
                // A prior centred beyond the bounds has less.
                column.scale.last().map_or(range, |prior| range.max(prior.ln().abs()))
            }
            _ => 0.0,
        }
    }

    /// Largest ratio of a kernel to the prior anywhere, as a logarithm; infinite where the prior vanishes.
    pub(crate) fn excess(&self) -> f64 {
        let over = |axis: &Axis, least: f64| {
            let far = axis.farthest();
            // A kernel cut at a bound still has a third of its mass within.
            (3.0 * axis.prior_sd / least).ln() + 0.5 * far * far
        };
        match self {
            Self::Number(column) => over(&column.axis, 1.0 / column.sharpest),
            // On a cell a kernel has at most all of its mass, and the prior that of its thinnest cell.
            Self::Grid(column) => {
                let axis = &column.axis;
                let ends = axis.grid.map_or((0.0, 0.0), |grid| (grid.first, grid.last));
                // No cell is thinner, although the last one may be longer than a step.
                let thinnest = [ends.0, ends.1].map(|value| {
                    let (low, high) = axis.step_around(value);
                    high - low
                });
                over(axis, thinnest[0].min(thinnest[1]))
            }
            Self::Choice(column) => {
                let prior = column.rows.last().map_or(&[][..], Vec::as_slice);
                -prior.iter().copied().fold(1.0, f64::min).ln()
            }
        }
    }

    pub(crate) fn kernel(&self, kernel: usize) -> Option<(f64, f64)> {
        match self {
            Self::Number(column) => Some((column.mu[kernel], 1.0 / column.precision[kernel])),
            Self::Grid(column) => {
                let atom = &column.atoms[column.atom[kernel] as usize];
                Some((atom.mu, atom.sigma))
            }
            Self::Choice(_) => None,
        }
    }

    pub(crate) fn row(&self, kernel: usize) -> Option<&[f64]> {
        match self {
            Self::Choice(column) => Some(&column.rows[column.row[kernel] as usize]),
            _ => None,
        }
    }
}

impl NumberColumn {
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        for list in [&mut self.mu, &mut self.precision, &mut self.scale] {
            *list = order.iter().map(|&i| list[i]).collect();
        }
    }
}

/// Observed numbers in ascending order, the trials they are from, and their widths.
struct Sorted {
    count: usize,
    latent: Vec<f64>,
    order: Vec<u32>,
    widths: Vec<f64>,
}

fn rows_of(choices: &Choices, values: &[f64], kernels: &Kernels, compact: bool) -> (KernelColumn, Place) {
    let row = |c| choices.row(c, kernels.categorical, values.len() + 1, kernels.prior_weight);
    let rows = (0..choices.len()).map(row).chain([choices.probabilities().to_vec()]).collect();
    let prior = choices.len() as u32;
    let entry = |value: &f64| if value.is_nan() { prior } else { *value as u32 };
    let entries: Vec<u32> = values.iter().map(entry).chain([prior]).collect();
    if compact {
        (KernelColumn::Choice(ChoiceColumn { row: (0..=prior).collect(), rows }), Place::Merged(entries))
    } else {
        (KernelColumn::Choice(ChoiceColumn { row: entries, rows }), Place::Own)
    }
}

fn numbers(axis: &Axis, sorted: Sorted, compact: bool, masses: &mut KnownMasses) -> (KernelColumn, Place) {
    let Sorted { count, mut latent, order, mut widths } = sorted;
    let mut mass = masses.of(axis, &latent, &widths);
    latent.push(axis.prior_mean);
    widths.push(axis.prior_sd);
    mass.push(axis.mass(axis.prior_mean, axis.prior_sd));
    let root = TAU.sqrt();
    let mut scale = mass;
    scale.iter_mut().zip(&widths).for_each(|(mass, s)| *mass = 1.0 / (s * root * *mass));
    let mut precision = widths;
    precision.iter_mut().for_each(|s| *s = 1.0 / *s);
    let sharpest = precision.iter().copied().fold(0.0, f64::max);
    if compact && order.len() == count {
        let column = NumberColumn { axis: *axis, mu: latent, precision, scale, sharpest };
        return (KernelColumn::Number(column), Place::Sorted(order));
    }
    // In the order of the trials; what is missing is the prior.
    let by_trial = |sorted: &[f64]| {
        let mut list = vec![sorted[order.len()]; count + 1];
        order.iter().zip(sorted).for_each(|(i, value)| list[*i as usize] = *value);
        list
    };
    let (mu, precision, scale) = (by_trial(&latent), by_trial(&precision), by_trial(&scale));
    (KernelColumn::Number(NumberColumn { axis: *axis, mu, precision, scale, sharpest }), Place::Own)
}

fn grid(axis: &Axis, sorted: &Sorted, compact: bool) -> (KernelColumn, Place) {
    let mut atoms: Vec<GridKernel> = Vec::new();
    let mut entries = vec![u32::MAX; sorted.count + 1];
    // Kernels at one place follow each other; few of them differ in width.
    let mut run = 0;
    for ((&i, &mu), &sigma) in sorted.order.iter().zip(&sorted.latent).zip(&sorted.widths) {
        if atoms.last().is_some_and(|last| last.mu != mu) {
            run = atoms.len();
        }
        let known = atoms[run..].iter().position(|atom| atom.sigma == sigma);
        let at = known.map_or(atoms.len(), |offset| run + offset);
        if known.is_none() {
            atoms.push(GridKernel::new(axis, mu, sigma));
        }
        entries[i as usize] = at as u32;
    }
    let prior = atoms.len() as u32;
    atoms.push(GridKernel::new(axis, axis.prior_mean, axis.prior_sd));
    entries.iter_mut().filter(|entry| **entry == u32::MAX).for_each(|entry| *entry = prior);
    if compact {
        (
            KernelColumn::Grid(GridColumn { axis: *axis, atom: (0..=prior).collect(), atoms }),
            Place::Merged(entries),
        )
    } else {
        (KernelColumn::Grid(GridColumn { axis: *axis, atom: entries, atoms }), Place::Own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bandwidth, BandwidthRule, CategoricalKernel, Floor, GridEnds, Truncation};

    fn fit(dimension: &Dimension, values: &[f64], floor: Floor) -> KernelColumn {
        let rule = BandwidthRule::Neighbors { prior: false, bounds: false };
        let kernels = Kernels {
            bandwidth: Bandwidth { rule, floor },
            truncation: Truncation::Component,
            categorical: CategoricalKernel::Smoothed,
            prior_weight: 1.0,
        };
        KernelColumn::fit(
            dimension,
            Observed::new(dimension, values),
            &kernels,
            1,
            false,
            &mut KnownMasses::default(),
        )
        .unwrap()
        .0
    }

    fn axes() -> Vec<Axis> {
        let float = |low, high| Axis::float(low, high, false).unwrap();
        vec![
            float(0.0, 1.0),
            float(-3e6, 2e6),
            float(0.0, 1e-7),
            Axis::float(1e-4, 10.0, true).unwrap(),
            float(0.0, 1.0).with_prior(0.9, 0.2).unwrap(),
            float(0.0, 1.0).with_prior(0.5, 30.0).unwrap(),
        ]
    }

    /// Values at these shares of the bounds.
    fn values(axis: &Axis, shares: &[f64]) -> Vec<f64> {
        let (low, high) = axis.bounds;
        shares.iter().map(|u| axis.value(low + u * (high - low))).collect()
    }

    /// ln of the factors before the exponentials never leaves `log_range`.
    #[test]
    fn factors_stay_within_their_logarithmic_range() {
        for axis in axes() {
            for shares in [&[][..], &[0.5], &[0.0, 1.0], &[0.1, 0.100_1, 0.7, 1.0]] {
                let column = fit(&Dimension::Numeric(axis), &values(&axis, shares), Floor::MAGIC_CLIP);
                let KernelColumn::Number(numbers) = &column else { panic!("numbers") };
                for scale in &numbers.scale {
                    assert!(scale.ln().abs() <= column.log_range() + 1e-9, "{axis:?} {shares:?}");
                }
                assert!(column.log_range() < 50.0, "{axis:?}: {}", column.log_range());
            }
        }
    }

    /// No kernel exceeds the prior by more than `excess`, and the bound is tight: within e⁴ of what is reached where
    /// the prior is flat.
    #[test]
    fn kernels_exceed_the_prior_by_no_more_than_their_excess() {
        for axis in axes() {
            let column =
                fit(&Dimension::Numeric(axis), &values(&axis, &[0.0, 0.02, 0.5, 1.0]), Floor::MAGIC_CLIP);
            let KernelColumn::Number(numbers) = &column else { panic!("numbers") };
            let (low, high) = axis.bounds;
            let log = |kernel: usize, x: f64| {
                let z = (x - numbers.mu[kernel]) * numbers.precision[kernel];
                numbers.scale[kernel].ln() - 0.5 * z * z
            };
            let mut largest = f64::NEG_INFINITY;
            for i in 0..=1000 {
                let x = low + (high - low) * f64::from(i) / 1000.0;
                (0..4).for_each(|kernel| largest = largest.max(log(kernel, x) - log(4, x)));
            }
            assert!(largest <= column.excess(), "{axis:?}: {largest} {}", column.excess());
            let far = (high - axis.prior_mean).max(axis.prior_mean - low) / axis.prior_sd;
            assert!(
                column.excess() <= largest + 4.0 + 0.5 * far * far,
                "{axis:?}: {largest} {}",
                column.excess()
            );
        }
    }

    /// On grids likewise, of the masses of cells: also far from 0, where ends are large.
    #[test]
    fn cells_exceed_the_prior_by_no_more_than_their_excess() {
        let grids = [
            Axis::grid(100.0, 110.0, 1.0, false, GridEnds::Whole).unwrap(),
            Axis::grid(0.0, 30.0, 2.0, false, GridEnds::Cut).unwrap(),
            Axis::grid(-90.0, -80.0, 0.5, false, GridEnds::Cut).unwrap(),
            Axis::grid(0.0, 29.0, 10.0, false, GridEnds::Cut).unwrap(),
            Axis::grid(1.0, 4.9, 1.0, true, GridEnds::Cut).unwrap(),
            Axis::grid(1.0, 1000.0, 1.0, true, GridEnds::Whole).unwrap(),
        ];
        for axis in grids {
            let grid = axis.grid.unwrap();
            let column = fit(&Dimension::Numeric(axis), &[grid.first, grid.last, grid.last], Floor::NONE);
            let KernelColumn::Grid(cells) = &column else { panic!("a grid") };
            let mass = |atom: &GridKernel, value: f64| {
                let (low, high) = axis.cell(value);
                crate::density::interval::mass((low - atom.mu) / atom.sigma, (high - atom.mu) / atom.sigma)
                    / atom.mass
            };
            let prior = cells.atoms.last().unwrap();
            let mut largest = 0.0_f64;
            for i in 0..=((grid.last - grid.first) / grid.step) as usize {
                let value = grid.first + i as f64 * grid.step;
                for atom in &cells.atoms {
                    largest = largest.max(mass(atom, value) / mass(prior, value));
                }
            }
            assert!(largest.ln() <= column.excess(), "{axis:?}: {} {}", largest.ln(), column.excess());
            assert!(column.excess() < largest.ln() + 9.0, "{axis:?}: {} {}", largest.ln(), column.excess());
        }
    }

    /// A choice is certain at most: -ln of the least probability.
    #[test]
    fn choices_exceed_the_prior_by_its_least_probability() {
        let choices = |p: &[f64]| Dimension::Categorical(Choices::with_probabilities(p.to_vec()).unwrap());
        let excess = |p: &[f64]| fit(&choices(p), &[0.0, 1.0], Floor::NONE).excess();
        assert!((excess(&[0.5, 0.3, 0.2]) - 5_f64.ln()).abs() < 1e-12);
        assert_eq!(excess(&[1.0, 0.0]), f64::INFINITY);
        assert_eq!(fit(&choices(&[0.5, 0.5]), &[0.0], Floor::NONE).log_range(), 0.0);
    }

    /// A single choice whose probability rounding has put above 1: no law is below another everywhere, so the largest ratio is at least 1.
    #[test]
    fn a_ratio_of_two_laws_is_somewhere_at_least_1() {
        let choices = Choices::with_probabilities(vec![1.0 + 5e-10]).unwrap();
        let excess = fit(&Dimension::Categorical(choices), &[0.0], Floor::NONE).excess();
        assert!(excess >= 0.0, "{excess}");
    }

    /// The mass within bounds of a kernel at a bound is about a half, and all of it in the middle.
    #[test]
    fn masses_are_the_parts_within_bounds() {
        let axis = Axis::float(0.0, 1.0, false).unwrap();
        let floor = Floor { factor: 0.01, exponent: 9.0, steps: 0.0 };
        let column = fit(&Dimension::Numeric(axis), &[0.0, 0.02, 0.5, 0.52, 1.0], floor);
        assert!((column.mass(0) - 0.5).abs() < 1e-9 && (column.mass(3) - 0.697).abs() < 0.02);
        let (mu, sigma) = column.kernel(0).unwrap();
        assert!(mu == 0.0 && (sigma - 0.02).abs() < 1e-12);
        // The prior: Φ(1/2) - Φ(-1/2) = 0.3829.
        assert!((column.mass(5) - 0.382_924_922_548_026).abs() < 1e-12);
        assert_eq!((column.len(), column.row(0)), (6, None));
        let choices = Dimension::Categorical(Choices::uniform(3).unwrap());
        let column = fit(&choices, &[2.0, f64::NAN], Floor::NONE);
        assert_eq!((column.len(), column.mass(1), column.kernel(0)), (3, 1.0, None));
        // What is missing is the prior.
        assert_eq!(column.row(1), column.row(2));
        assert!(column.row(0).unwrap()[2] > column.row(0).unwrap()[0]);
    }
}

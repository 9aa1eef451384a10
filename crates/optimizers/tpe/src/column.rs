use std::f64::consts::TAU;

use crate::{Axis, Dimension, Kernels, Observed};

/// The kernels of one parameter.
#[derive(Debug, Clone)]
pub(crate) enum Column {
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
}

/// Which kernel an observation went to.
pub(crate) enum Place {
    /// Its own.
    Own,
    /// That of its rank in the sorted order.
    Sorted,
    /// One of those that are left once equal ones are merged.
    Merged(Vec<u32>),
}

/// Normal kernels of which many are equal: entries point to what is different.
#[derive(Debug, Clone)]
pub(crate) struct GridColumn {
    pub(crate) axis: Axis,
    pub(crate) atom: Vec<u32>,
    pub(crate) atoms: Vec<Atom>,
}

/// A normal kernel and its mass within bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Atom {
    pub(crate) mu: f64,
    pub(crate) sigma: f64,
    pub(crate) mass: f64,
    pub(crate) log_mass: f64,
}

impl Atom {
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

impl Column {
    /// The kernels of observations and the prior, and where they went.
    pub(crate) fn fit(
        dimension: &Dimension,
        observed: &Observed<'_>,
        kernels: &Kernels,
        dim: usize,
        compact: bool,
    ) -> (Self, Place) {
        match dimension {
            Dimension::Numeric(axis) if axis.grid.is_some() => grid(axis, observed, kernels, dim, compact),
            Dimension::Numeric(axis) => numbers(axis, observed, kernels, dim, compact),
            Dimension::Categorical(choices) => {
                let n = observed.values.len();
                let rows = (0..choices.len())
                    .map(|c| choices.row(c, kernels.categorical, n + 1, kernels.prior_weight))
                    .chain([choices.probabilities().to_vec()])
                    .collect();
                let prior = choices.len() as u32;
                let row = |value: &f64| if value.is_nan() { prior } else { *value as u32 };
                let entries: Vec<u32> = observed.values.iter().map(row).chain([prior]).collect();
                if compact {
                    (Self::Choice(ChoiceColumn { row: (0..=prior).collect(), rows }), Place::Merged(entries))
                } else {
                    (Self::Choice(ChoiceColumn { row: entries, rows }), Place::Own)
                }
            }
        }
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
            Self::Number(column) => {
                let largest = column.scale.iter().copied().fold(0.0, f64::max).ln().abs();
                let smallest = column.scale.iter().copied().fold(f64::INFINITY, f64::min).ln().abs();
                largest.max(smallest)
            }
            _ => 0.0,
        }
    }

    /// How much more a kernel can be than the prior anywhere, as a logarithm; infinite where the prior vanishes.
    pub(crate) fn excess(&self) -> f64 {
        let over = |axis: &Axis, least: f64| {
            let far = (axis.bounds.1 - axis.prior_mean).max(axis.prior_mean - axis.bounds.0) / axis.prior_sd;
            // A kernel cut at a bound still has a third of its mass within.
            (3.0 * axis.prior_sd / least).ln() + 0.5 * far * far
        };
        match self {
            Self::Number(column) => {
                over(&column.axis, 1.0 / column.precision.iter().copied().fold(0.0, f64::max))
            }
            // On a cell a kernel has at most all of its mass, and the prior that of its thinnest cell.
            Self::Grid(column) => {
                let axis = &column.axis;
                let ends = axis.grid.map_or((0.0, 0.0), |grid| (grid.first, grid.last));
                let thinnest = [ends.0, ends.1].map(|value| {
                    let (low, high) = axis.cell(value);
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

/// Latent places in ascending order and the widths of kernels there.
fn sorted_kernels(
    axis: &Axis,
    observed: &Observed<'_>,
    kernels: &Kernels,
    dim: usize,
) -> (Vec<f64>, Vec<f64>) {
    let latent = |value: f64| if axis.grid.is_some() { axis.latent(value) } else { value };
    let sorted: Vec<f64> = observed.order.iter().map(|&i| latent(observed.values[i as usize])).collect();
    let mut widths = Vec::with_capacity(sorted.len());
    kernels.bandwidth.widths(&sorted, axis, dim, &mut widths);
    (sorted, widths)
}

fn numbers(
    axis: &Axis,
    observed: &Observed<'_>,
    kernels: &Kernels,
    dim: usize,
    compact: bool,
) -> (Column, Place) {
    let n = observed.values.len();
    let (mut sorted, mut widths) = sorted_kernels(axis, observed, kernels, dim);
    let (mu, sigma, place) = if compact && sorted.len() == n {
        sorted.push(axis.prior_mean);
        widths.push(axis.prior_sd);
        (sorted, widths, Place::Sorted)
    } else {
        // What is missing is the prior.
        let (mut mu, mut sigma) = (vec![axis.prior_mean; n + 1], vec![axis.prior_sd; n + 1]);
        for ((&i, at), width) in observed.order.iter().zip(&sorted).zip(&widths) {
            mu[i as usize] = *at;
            sigma[i as usize] = *width;
        }
        (mu, sigma, Place::Own)
    };
    let root = TAU.sqrt();
    let scale = mu.iter().zip(&sigma).map(|(m, s)| 1.0 / (s * root * axis.mass(*m, *s))).collect();
    let mut precision = sigma;
    precision.iter_mut().for_each(|s| *s = 1.0 / *s);
    (Column::Number(NumberColumn { axis: *axis, mu, precision, scale }), place)
}

fn grid(
    axis: &Axis,
    observed: &Observed<'_>,
    kernels: &Kernels,
    dim: usize,
    compact: bool,
) -> (Column, Place) {
    let n = observed.values.len();
    let (sorted, widths) = sorted_kernels(axis, observed, kernels, dim);
    let mut atoms: Vec<Atom> = Vec::new();
    let mut entries = vec![0; n + 1];
    // Kernels at one place follow each other; few of them differ in width.
    let mut run = 0;
    for ((&i, &mu), &sigma) in observed.order.iter().zip(&sorted).zip(&widths) {
        if atoms.last().is_some_and(|last| last.mu != mu) {
            run = atoms.len();
        }
        let known = atoms[run..].iter().position(|atom| atom.sigma == sigma);
        let at = known.map_or(atoms.len(), |offset| run + offset);
        if known.is_none() {
            atoms.push(Atom::new(axis, mu, sigma));
        }
        entries[i as usize] = at as u32;
    }
    let prior = atoms.len() as u32;
    let (mu, sigma) = (axis.prior_mean, axis.prior_sd);
    atoms.push(Atom::new(axis, mu, sigma));
    entries[n] = prior;
    for (entry, value) in entries.iter_mut().zip(observed.values.iter()) {
        if value.is_nan() {
            *entry = prior;
        }
    }
    if compact {
        (Column::Grid(GridColumn { axis: *axis, atom: (0..=prior).collect(), atoms }), Place::Merged(entries))
    } else {
        (Column::Grid(GridColumn { axis: *axis, atom: entries, atoms }), Place::Own)
    }
}

use std::f64::consts::TAU;

use crate::observed::List;
use crate::{Axis, Choices, Dimension, Kernels, Observed};

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
    /// The largest `1 / σ`.
    pub(crate) sharpest: f64,
}

/// Which kernel an observation went to.
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
    /// The kernels of observations and the prior, and where they went; nothing where numbers are given for choices.
    pub(crate) fn fit(
        dimension: &Dimension,
        observed: Observed,
        kernels: &Kernels,
        dim: usize,
        compact: bool,
    ) -> Option<(Self, Place)> {
        Some(match (dimension, observed.0) {
            (Dimension::Numeric(axis), List::Numbers { count, latent, order }) => {
                let mut widths = Vec::with_capacity(latent.len() + 1);
                kernels.bandwidth.widths(&latent, axis, dim, &mut widths);
                let sorted = Sorted { count, latent, order, widths };
                if axis.grid.is_some() {
                    grid(axis, &sorted, compact)
                } else {
                    numbers(axis, sorted, compact)
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
                (3.0 * column.sharpest).ln().abs().max((0.3 / column.axis.prior_sd).ln().abs())
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
            Self::Number(column) => over(&column.axis, 1.0 / column.sharpest),
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

/// Observed numbers in ascending order, the trials they are from, and their widths.
struct Sorted {
    count: usize,
    latent: Vec<f64>,
    order: Vec<u32>,
    widths: Vec<f64>,
}

fn rows_of(choices: &Choices, values: &[f64], kernels: &Kernels, compact: bool) -> (Column, Place) {
    let row = |c| choices.row(c, kernels.categorical, values.len() + 1, kernels.prior_weight);
    let rows = (0..choices.len()).map(row).chain([choices.probabilities().to_vec()]).collect();
    let prior = choices.len() as u32;
    let entry = |value: &f64| if value.is_nan() { prior } else { *value as u32 };
    let entries: Vec<u32> = values.iter().map(entry).chain([prior]).collect();
    if compact {
        (Column::Choice(ChoiceColumn { row: (0..=prior).collect(), rows }), Place::Merged(entries))
    } else {
        (Column::Choice(ChoiceColumn { row: entries, rows }), Place::Own)
    }
}

fn numbers(axis: &Axis, sorted: Sorted, compact: bool) -> (Column, Place) {
    let Sorted { count, mut latent, order, mut widths } = sorted;
    let (mu, sigma, place) = if compact && latent.len() == count {
        latent.push(axis.prior_mean);
        widths.push(axis.prior_sd);
        (latent, widths, Place::Sorted(order))
    } else {
        // What is missing is the prior.
        let (mut mu, mut sigma) = (vec![axis.prior_mean; count + 1], vec![axis.prior_sd; count + 1]);
        for ((&i, at), width) in order.iter().zip(&latent).zip(&widths) {
            mu[i as usize] = *at;
            sigma[i as usize] = *width;
        }
        (mu, sigma, Place::Own)
    };
    let root = TAU.sqrt();
    let scale = mu.iter().zip(&sigma).map(|(m, s)| 1.0 / (s * root * axis.mass(*m, *s))).collect();
    let mut precision = sigma;
    precision.iter_mut().for_each(|s| *s = 1.0 / *s);
    let sharpest = precision.iter().copied().fold(0.0, f64::max);
    (Column::Number(NumberColumn { axis: *axis, mu, precision, scale, sharpest }), place)
}

fn grid(axis: &Axis, sorted: &Sorted, compact: bool) -> (Column, Place) {
    let mut atoms: Vec<Atom> = Vec::new();
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
            atoms.push(Atom::new(axis, mu, sigma));
        }
        entries[i as usize] = at as u32;
    }
    let prior = atoms.len() as u32;
    atoms.push(Atom::new(axis, axis.prior_mean, axis.prior_sd));
    entries.iter_mut().filter(|entry| **entry == u32::MAX).for_each(|entry| *entry = prior);
    if compact {
        (Column::Grid(GridColumn { axis: *axis, atom: (0..=prior).collect(), atoms }), Place::Merged(entries))
    } else {
        (Column::Grid(GridColumn { axis: *axis, atom: entries, atoms }), Place::Own)
    }
}

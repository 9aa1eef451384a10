//! Kernel density estimators over several parameters.

use rand_distr::{Distribution, StandardNormal};
use thrifty_prob::{cdf, quantile};
use thrifty_sampling::Stream;

use crate::density::column::{KernelColumn, Place};
use crate::density::log_density::log_density_into;
use crate::density::masses::KnownMasses;
use crate::{Axis, Bandwidth, CategoricalKernel, Choices, Observed, SideWeights, TpeError};

/// One parameter of an estimator.
#[derive(Debug, Clone, PartialEq)]
pub enum Dimension {
    /// A number.
    Numeric(Axis),
    /// One of several choices.
    Categorical(Choices),
}

impl Dimension {
    /// Internal value of a parameter value: the latent place of a number, a grid value or the index of a choice as it is.
    #[must_use]
    pub fn internal(&self, value: f64) -> f64 {
        match self {
            Self::Numeric(axis) if axis.grid.is_none() => axis.latent(value),
            _ => value,
        }
    }
}

/// Treatment of the part of a kernel beyond the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// It goes to all kernels: the mixture is cut as a whole. Source: Hyperopt.
    Mixture,
    /// It goes back to the kernel: each is cut by itself. Source: Optuna.
    #[default]
    Component,
}

/// The rules of an estimator.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kernels {
    /// Widths.
    pub bandwidth: Bandwidth,
    /// Treatment of the bounds.
    pub truncation: Truncation,
    /// Kernel of categorical parameters.
    pub categorical: CategoricalKernel,
    /// Weight of the prior, in observations.
    pub prior_weight: f64,
}

/// The order of an estimator's kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Observation by observation, the prior last.
    Observations,
    /// For a single parameter: sorted, equal kernels as one. The density is the same, and faster.
    Compact,
}

/// A density over some parameters: a weighted sum of products of kernels, one an observation, and the prior.
///
/// ```text
/// p(x) = Σ_i p_i Π_d k_id(x_d)
/// k_id = normal density of mean μ_id and std_dev σ_id cut at the bounds, its mass on the cell of a grid value,
///        or a row of probabilities
/// ```
///
/// Where an observation lacks a parameter its kernel there is the prior. Cost: O(n d) to build and for each point;
/// for a single parameter the kernels within reach of a point.
#[derive(Debug, Clone)]
pub struct Estimator {
    pub(crate) columns: Vec<KernelColumn>,
    /// Probability of drawing each kernel.
    pub(crate) probability: Vec<f64>,
    /// Standard deviations beyond which a kernel is negligible beside the prior.
    pub(crate) reach: f64,
    /// Kernels before this one are sorted and at most so wide.
    pub(crate) narrow: usize,
    pub(crate) width: f64,
    /// True if the factors before the exponentials may leave the range of numbers when they are multiplied.
    pub(crate) by_logarithm: bool,
}

impl Estimator {
    /// The density of observations with weights, in the order of the trials.
    ///
    /// # Errors
    /// [`TpeError::InvalidSetting`] when there are neither observations nor a prior.
    ///
    /// # Panics
    /// When dimensions, observations and weights do not fit together.
    pub fn fit(
        dimensions: &[Dimension],
        observed: Vec<Observed>,
        weights: &SideWeights,
        kernels: &Kernels,
        layout: Layout,
    ) -> Result<Self, TpeError> {
        let mut masses = vec![KnownMasses::default(); dimensions.len()];
        Self::fit_knowing(dimensions, observed, weights, kernels, layout, &mut masses)
    }

    /// [`Estimator::fit`] with the known masses of kernels per dimension.
    pub(crate) fn fit_knowing(
        dimensions: &[Dimension],
        observed: Vec<Observed>,
        weights: &SideWeights,
        kernels: &Kernels,
        layout: Layout,
        masses: &mut [KnownMasses],
    ) -> Result<Self, TpeError> {
        assert_eq!(dimensions.len(), observed.len(), "one list of observations a dimension");
        let n = weights.trials.len();
        assert!(observed.iter().all(|list| list.len() == n), "one observation a weight");
        let mut prior_weight = kernels.prior_weight * weights.prior_scale;
        if let ([Dimension::Categorical(choices)], CategoricalKernel::Counts) =
            (dimensions, kernels.categorical)
        {
            prior_weight *= choices.len() as f64;
        }
        let total = weights.trials.iter().sum::<f64>() + prior_weight;
        if !(total > 0.0 && total.is_finite()) {
            let expected = "a positive total with the observations";
            return Err(TpeError::InvalidSetting { name: "prior weight", value: prior_weight, expected });
        }
        let compact = layout == Layout::Compact && dimensions.len() == 1;
        let (mut columns, mut place) = (Vec::with_capacity(dimensions.len()), Place::Own);
        for ((dimension, observed), masses) in dimensions.iter().zip(observed).zip(masses) {
            let fitted = KernelColumn::fit(dimension, observed, kernels, dimensions.len(), compact, masses);
            let (column, placed) = fitted.expect("observations of the same sort as their dimension");
            columns.push(column);
            place = placed;
        }
        let is_sorted = matches!(place, Place::Sorted(_));
        let (each, prior) = (1.0 / total, prior_weight / total);
        let mut probability: Vec<f64> = match place {
            Place::Own => weights.trials.iter().map(|w| w * each).chain([prior]).collect(),
            Place::Sorted(order) => {
                order.iter().map(|i| weights.trials[*i as usize] * each).chain([prior]).collect()
            }
            // Where kernels were merged their weights add up.
            Place::Merged(kernel) => {
                let mut merged = vec![0.0; columns[0].len()];
                kernel.iter().zip(&weights.trials).for_each(|(k, w)| merged[*k as usize] += w * each);
                merged[kernel[n] as usize] += prior;
                merged
            }
        };
        if kernels.truncation == Truncation::Mixture {
            weigh_by_mass(&columns, &mut probability);
        }
        let by_logarithm = columns.iter().map(KernelColumn::log_range).sum::<f64>() > LARGEST_LOG;
        let prior = probability.last().copied().unwrap_or(0.0);
        let reach = reach(&columns, n, prior);
        let mut estimator = Self { columns, probability, reach, narrow: 0, width: 0.0, by_logarithm };
        if is_sorted {
            estimator.find_narrow();
        }
        Ok(estimator)
    }

    /// Number of kernels, the prior included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.probability.len()
    }

    /// True if there is no kernel: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.probability.is_empty()
    }

    /// The probabilities of the kernels.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        &self.probability
    }

    /// Mean and standard deviation of a kernel in a numeric dimension, latent.
    #[must_use]
    pub fn kernel(&self, dimension: usize, kernel: usize) -> Option<(f64, f64)> {
        self.columns[dimension].kernel(kernel)
    }

    /// Probabilities of the choices under a kernel in a categorical dimension.
    #[must_use]
    pub fn row(&self, dimension: usize, kernel: usize) -> Option<&[f64]> {
        self.columns[dimension].row(kernel)
    }

    /// Logarithms of the density at points, each as long as there are dimensions, of internal values
    /// ([`Dimension::internal`]); NaN marks a parameter that is not active, and counts as 1.
    pub fn log_density_into(&self, points: &[f64], out: &mut [f64]) {
        log_density_into(self, points, out);
    }

    /// Draws a kernel.
    #[must_use]
    pub fn draw_kernel(&self, rng: &mut Stream) -> usize {
        let mut left = rng.uniform();
        let reached = |p: &f64| {
            left -= p;
            left < 0.0
        };
        self.probability.iter().position(reached).unwrap_or(self.len() - 1)
    }

    /// Draws an internal value of a dimension from a kernel.
    #[must_use]
    pub fn draw(&self, dimension: usize, kernel: usize, rng: &mut Stream) -> f64 {
        match &self.columns[dimension] {
            KernelColumn::Number(column) => {
                truncated_normal(&column.axis, column.mu[kernel], 1.0 / column.precision[kernel], rng)
            }
            KernelColumn::Grid(column) => {
                let atom = &column.atoms[column.atom[kernel] as usize];
                let latent = truncated_normal(&column.axis, atom.mu, atom.sigma, rng);
                let value = column.axis.value(latent);
                column.axis.grid.map_or(value, |grid| grid.nearest(value))
            }
            KernelColumn::Choice(column) => {
                let row = &column.rows[column.row[kernel] as usize];
                let mut u = rng.uniform();
                let chosen = row.iter().position(|p| {
                    u -= p;
                    u < 0.0
                });
                chosen.unwrap_or_else(|| row.iter().rposition(|p| *p > 0.0).unwrap_or(0)) as f64
            }
        }
    }

    /// Sorts narrow kernels before wide ones, so that a point needs to see only those around it.
    fn find_narrow(&mut self) {
        let Some(KernelColumn::Number(column)) = self.columns.first_mut() else { return };
        if self.reach.is_infinite() || self.probability.len() < WORTH_SORTING {
            return;
        }
        let prior = self.probability.len() - 1;
        let is_narrow = |i: &usize| column.precision[*i] >= 0.5 * column.sharpest;
        let (narrow, wide): (Vec<usize>, Vec<usize>) = (0..prior).partition(is_narrow);
        (self.width, self.narrow) = (2.0 / column.sharpest, narrow.len());
        // The prior stays the last.
        if !wide.is_empty() {
            let order: Vec<usize> = narrow.into_iter().chain(wide).chain([prior]).collect();
            column.reorder(&order);
            self.probability = order.iter().map(|&i| self.probability[i]).collect();
        }
    }
}

/// A product of factors whose logarithms add up to less than this, up or down, is a number.
pub(crate) const LARGEST_LOG: f64 = 600.0;

/// Fewer kernels are looked at all together.
const WORTH_SORTING: usize = 256;

/// Multiplies probabilities of kernels by their masses within bounds, and normalises them.
fn weigh_by_mass(columns: &[KernelColumn], probability: &mut [f64]) {
    for column in columns {
        probability.iter_mut().enumerate().for_each(|(i, p)| *p *= column.mass(i));
    }
    let mass: f64 = probability.iter().sum();
    probability.iter_mut().for_each(|p| *p /= mass);
}

/// Standard deviations beyond which n kernels together are below 2⁻⁵³ of the prior, wherever the point is.
fn reach(columns: &[KernelColumn], n: usize, prior: f64) -> f64 {
    let excess: f64 = columns.iter().map(KernelColumn::excess).sum();
    let reach = (2.0 * (excess + ((n + 1) as f64 / prior).ln() + 53.0 * std::f64::consts::LN_2)).sqrt();
    if reach.is_nan() { f64::INFINITY } else { reach }
}

/// Attempts before a truncated normal draw is made by its quantile: a kernel centred within bounds needs 3 on average.
const ATTEMPTS: usize = 32;

fn truncated_normal(axis: &Axis, mean: f64, sd: f64, rng: &mut Stream) -> f64 {
    let (low, high) = axis.bounds;
    for _ in 0..ATTEMPTS {
        let z: f64 = StandardNormal.sample(rng);
        let x = mean + sd * z;
        if (low..=high).contains(&x) {
            return x;
        }
    }
    let (a, b) = ((low - mean) / sd, (high - mean) / sd);
    let u = rng.uniform();
    let z = if a > 0.0 {
        -quantile(cdf(-b) + u * (cdf(-a) - cdf(-b)))
    } else {
        quantile(cdf(a) + u * (cdf(b) - cdf(a)))
    };
    (mean + sd * z).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    /// Draws of a normal distribution that has next to nothing within its bounds: by quantiles, uniform in probability.
    #[test]
    fn draws_far_outside_follow_the_truncated_distribution() {
        for (low, high, mean, sd) in [(0.0, 1.0, 5.0, 0.8), (0.0, 1.0, -4.0, 0.7), (-2.0, -1.5, 3.0, 1.0)] {
            let axis = Axis::float(low, high, false).unwrap();
            let mut rng = Seed(3).stream("draws", 0);
            let (a, b) = ((low - mean) / sd, (high - mean) / sd);
            // In the tail with the digits.
            let sign = if a > 0.0 { -1.0 } else { 1.0 };
            let share = |x: f64| {
                let z = sign * (x - mean) / sd;
                (cdf(z) - cdf(sign * a)) / (cdf(sign * b) - cdf(sign * a))
            };
            let mut shares: Vec<f64> =
                (0..400).map(|_| share(truncated_normal(&axis, mean, sd, &mut rng))).collect();
            shares.sort_by(f64::total_cmp);
            // Kolmogorov's distance of 400 draws exceeds 0.1 with a probability below 10⁻³.
            let off =
                |(i, u): (usize, &f64)| (u - i as f64 / 400.0).abs().max((u - (i + 1) as f64 / 400.0).abs());
            let distance = shares.iter().enumerate().map(off).fold(0.0, f64::max);
            assert!(distance < 0.1, "{low} {high} {mean}: {distance}");
        }
    }
}

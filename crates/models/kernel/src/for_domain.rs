//! Kernels for mixed domains.

use std::ops::Range;

use thrifty_domain::{Domain, Variable, VariableKind};
use thrifty_prob::Prior;

use crate::compose::Factors;
use crate::{
    ByLengthscale, CategoricalCorrelation, Conditional, Constant, Hamming, Kernel, KernelError, OnColumns,
    Stationary, StationaryProfile, Warped,
};

/// Kernel of unit variance for a domain of continuous, stepped, categorical and conditional variables.
///
/// ```text
/// k(x, y) = k_R(x_N, y_N) · exp(-Σ_c [x_c ≠ y_c] / ℓ_c) · Π_q k_q(x_q, y_q)
/// ```
///
/// Continuous and stepped variables N share one stationary kernel with one lengthscale each. Categorical variables c, in
/// either encoding, have the weighted Hamming distance: a change of category is as far as a move of 1 along an axis.
/// Each conditional variable q has a kernel of its own that ignores the filler ([`Conditional`]). A variable with
/// one level and no condition has no effect and no parameter.
///
/// # Errors
/// [`KernelError`] for a lengthscale or bound that is not positive and finite, or bounds in the wrong order.
pub fn for_domain<R: StationaryProfile>(
    domain: &Domain,
    inputs: &Inputs,
) -> Result<Box<dyn Kernel>, KernelError> {
    let stationary = |dim: usize| -> Result<Stationary<R>, KernelError> {
        let (low, high) = inputs.bounds;
        let kernel = Stationary::<R>::new(vec![inputs.lengthscale; dim])?.with_bounds(low, high)?;
        Ok(match &inputs.prior {
            Some(prior) => kernel.with_prior(prior.clone()),
            None => kernel,
        })
    };
    let (mut numeric, mut categorical) = (Vec::new(), Vec::new());
    let mut factors: Vec<Box<dyn Kernel>> = Vec::new();
    for (index, variable) in domain.variables().iter().enumerate() {
        let columns = domain.columns(index);
        if !variable.conditions.is_empty() {
            let (activity, own) = (columns.end - 1, columns.start..columns.end - 1);
            let kernel: Box<dyn Kernel> = if is_numeric(variable) {
                Box::new(stationary(1)?)
            } else {
                Box::new(hamming(std::iter::once(0..own.len()).collect(), inputs)?)
            };
            factors.push(Box::new(Conditional::new(kernel, own.collect(), activity, 0.5)?));
        } else if variable.levels() != Some(1) {
            if is_numeric(variable) { numeric.push(columns.start) } else { categorical.push(columns) }
        }
    }
    if !categorical.is_empty() {
        factors.insert(0, Box::new(hamming(categorical, inputs)?));
    }
    if !numeric.is_empty() {
        let mut kernel = stationary(numeric.len())?.clone_box();
        if inputs.warped {
            kernel = Box::new(Warped::new(kernel, numeric.len())?);
        }
        if numeric.len() < domain.dim() {
            kernel = Box::new(OnColumns::new(kernel, numeric)?);
        }
        factors.insert(0, kernel);
    }
    Ok(match factors.len() {
        0 => Box::new(Constant),
        1 => factors.remove(0),
        _ => Box::new(Factors::new(factors)),
    })
}

/// The kernel of categories, within the bounds of the inputs and its own, as far as they have a part in common.
fn hamming(blocks: Vec<Range<usize>>, inputs: &Inputs) -> Result<Hamming, KernelError> {
    let (low, high) = inputs.bounds;
    let count = blocks.len();
    let mut kernel = Hamming::new(blocks, vec![inputs.lengthscale; count])?.with_bounds(low, high)?;
    let (least, largest, _) = ByLengthscale::LEARNT;
    let (low, high) = (low.max(least), high.min(largest));
    if low <= high {
        kernel = kernel.with_bounds(low, high)?;
    }
    Ok(match &inputs.prior {
        Some(prior) => kernel.with_prior(prior.clone()),
        None => kernel,
    })
}

/// Settings of [`for_domain`].
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// The lengthscale where learning starts.
    pub lengthscale: f64,
    /// Smallest and largest lengthscale. Those of categories are within `[0.1, 100]` besides, if that leaves any.
    pub bounds: (f64, f64),
    /// The prior of each lengthscale.
    pub prior: Option<Prior>,
    /// Warps unconditional continuous and stepped variables by a learnt function ([`Warped`]).
    pub warped: bool,
}

impl Inputs {
    /// Lengthscales within `[0.01, 100]` from ½√d, with the prior [`dimension_scaled_prior`]; no warp.
    #[must_use]
    pub fn for_dimension(dim: usize) -> Self {
        let bounds = (0.01, 100.0);
        let lengthscale = (0.5 * (dim.max(1) as f64).sqrt()).clamp(bounds.0, bounds.1);
        Self { lengthscale, bounds, prior: Some(dimension_scaled_prior(dim)), warped: false }
    }

    /// [`Inputs::for_dimension`] for hyperparameters that are sampled: lengthscales with the prior log-normal(√2 + ½ ln d - 3, √3).
    ///
    /// A maximum a posteriori takes the density of a prior as it is, without a Jacobian, so that log-normal(μ, σ) draws it to its mode
    /// `exp(μ - σ²)`. A sample is of the law itself, whose median is `exp(μ)`: 4.1 √d with the [`dimension_scaled_prior`], nearly
    /// linear functions. This law has its median at that mode, 0.2 √d. Source: `run gp/calibration`. For a maximum take [`Inputs::for_dimension`].
    #[must_use]
    pub fn for_sampling(dim: usize) -> Self {
        let moved = match dimension_scaled_prior(dim) {
            Prior::LogNormal { mu, sigma } => Prior::LogNormal { mu: mu - sigma * sigma, sigma },
            other => other,
        };
        Self { prior: Some(moved), ..Self::for_dimension(dim) }
    }
}

/// The prior of lengthscales on the unit cube of d dimensions: log-normal(√2 + ½ ln d, √3).
///
/// Distances between points of the cube grow with √d, and so does the median `4.1 √d`: typical functions are as hard to
/// learn in 50 dimensions as in 5. With a prior that does not grow, points are nearly uncorrelated from some ten
/// dimensions on, and a search goes to the corners.
/// Source: Hvarfner, Hellsten & Nardi (2024), "Vanilla Bayesian optimization performs great in high dimensions".
#[must_use]
pub fn dimension_scaled_prior(dim: usize) -> Prior {
    Prior::LogNormal { mu: 2_f64.sqrt() + 0.5 * (dim.max(1) as f64).ln(), sigma: 3_f64.sqrt() }
}

fn is_numeric(variable: &Variable) -> bool {
    matches!(variable.kind, VariableKind::Continuous | VariableKind::Stepped { .. })
}

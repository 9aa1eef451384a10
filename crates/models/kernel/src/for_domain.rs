use thrifty_domain::{Domain, Variable, VariableKind};
use thrifty_prob::Prior;

use crate::{
    Conditional, Constant, Hamming, Kernel, KernelError, OnColumns, Product, Radial, Stationary, Warped,
    dimension_scaled_prior,
};

/// How [`for_domain`] takes the variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// The lengthscale where learning starts.
    pub lengthscale: f64,
    /// Smallest and largest lengthscale.
    pub bounds: (f64, f64),
    /// What is believed of each lengthscale before data.
    pub prior: Option<Prior>,
    /// Whether unconditional continuous and stepped variables are bent by a learnt warp ([`Warped`]).
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
}

/// A kernel of unit variance that takes every variable of a domain as what it is:
///
/// ```text
/// k(x, y) = k_R(x_N, y_N) · exp(-Σ_c [x_c ≠ y_c] / ℓ_c) · Π_q k_q(x_q, y_q)
/// ```
///
/// Continuous and stepped variables N share one stationary kernel with a lengthscale each. Categorical ones c, in
/// whichever encoding, have weighted Hamming distance: a change of category is as far as a move of 1 along an axis.
/// Each conditional variable q has a kernel of its own that ignores the filler ([`Conditional`]). A variable with
/// one level and no condition says nothing and has no parameter.
///
/// # Errors
/// [`KernelError`] for lengthscales that make no sense.
pub fn for_domain<R: Radial>(domain: &Domain, inputs: &Inputs) -> Result<Box<dyn Kernel>, KernelError> {
    let stationary = |dim: usize| -> Result<Stationary<R>, KernelError> {
        let (low, high) = inputs.bounds;
        let kernel = Stationary::<R>::new(vec![inputs.lengthscale; dim])?.with_bounds(low, high)?;
        Ok(match &inputs.prior {
            Some(prior) => kernel.with_prior(prior.clone()),
            None => kernel,
        })
    };
    let hamming = |blocks: Vec<std::ops::Range<usize>>| -> Result<Hamming, KernelError> {
        let values = vec![inputs.lengthscale.clamp(0.1, 100.0); blocks.len()];
        let kernel = Hamming::new(blocks, values)?;
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
                Box::new(hamming(std::iter::once(0..own.len()).collect())?)
            };
            factors.push(Box::new(Conditional::new(kernel, own.collect(), activity, 0.5)?));
        } else if variable.levels() != Some(1) {
            if is_numeric(variable) { numeric.push(columns.start) } else { categorical.push(columns) }
        }
    }
    if !categorical.is_empty() {
        factors.insert(0, Box::new(hamming(categorical)?));
    }
    if !numeric.is_empty() {
        let mut kernel = stationary(numeric.len())?.boxed();
        if inputs.warped {
            kernel = Box::new(Warped::new(kernel, numeric.len())?);
        }
        if numeric.len() < domain.dim() {
            kernel = Box::new(OnColumns::new(kernel, numeric)?);
        }
        factors.insert(0, kernel);
    }
    let mut factors = factors.into_iter();
    let first = factors.next().unwrap_or_else(|| Box::new(Constant));
    factors.try_fold(first, |product, factor| Ok(Box::new(Product::new(product, factor)?) as Box<dyn Kernel>))
}

fn is_numeric(variable: &Variable) -> bool {
    matches!(variable.kind, VariableKind::Continuous | VariableKind::Stepped { .. })
}

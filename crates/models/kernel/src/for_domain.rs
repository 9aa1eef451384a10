use thrifty_domain::{Domain, Variable, VariableKind};
use thrifty_prob::Prior;

use crate::{Conditional, Constant, Hamming, Kernel, KernelError, OnColumns, Product, Radial, Stationary};

/// What the lengthscales of [`for_domain`] may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Lengthscales {
    /// Where learning starts.
    pub start: f64,
    /// Smallest and largest.
    pub bounds: (f64, f64),
    /// What is believed of each before data.
    pub prior: Option<Prior>,
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
pub fn for_domain<R: Radial>(
    domain: &Domain,
    lengthscales: &Lengthscales,
) -> Result<Box<dyn Kernel>, KernelError> {
    let stationary = |dim: usize| -> Result<Stationary<R>, KernelError> {
        let (low, high) = lengthscales.bounds;
        let kernel = Stationary::<R>::new(vec![lengthscales.start; dim])?.with_bounds(low, high)?;
        Ok(match &lengthscales.prior {
            Some(prior) => kernel.with_prior(prior.clone()),
            None => kernel,
        })
    };
    let hamming = |blocks: Vec<std::ops::Range<usize>>| -> Result<Hamming, KernelError> {
        let values = vec![lengthscales.start.clamp(0.1, 100.0); blocks.len()];
        let kernel = Hamming::new(blocks, values)?;
        Ok(match &lengthscales.prior {
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
                Box::new(hamming(vec![0..own.len()])?)
            };
            factors.push(Box::new(Conditional::new(kernel, own.collect(), activity, 0.5)?));
        } else if variable.levels() != Some(1) {
            if is_numeric(variable) { numeric.push(columns.start) } else { categorical.push(columns) }
        }
    }
    if !categorical.is_empty() {
        factors.insert(0, Box::new(hamming(categorical)?));
    }
    if numeric.len() == domain.dim() && !numeric.is_empty() {
        return Ok(Box::new(stationary(numeric.len())?));
    }
    if !numeric.is_empty() {
        factors.insert(0, Box::new(OnColumns::new(stationary(numeric.len())?, numeric)?));
    }
    let mut factors = factors.into_iter();
    let first = factors.next().unwrap_or_else(|| Box::new(Constant));
    factors.try_fold(first, |product, factor| Ok(Box::new(Product::new(product, factor)?) as Box<dyn Kernel>))
}

fn is_numeric(variable: &Variable) -> bool {
    matches!(variable.kind, VariableKind::Continuous | VariableKind::Stepped { .. })
}

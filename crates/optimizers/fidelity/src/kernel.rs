//! The kernel of a function with a fidelity.

use thrifty_domain::{Domain, Variable};
use thrifty_kernel::{
    Constant, ExponentialDecay, Inputs, Kernel, KernelError, Matern52Profile, OnColumns, Scaled, for_domain,
};

use crate::FidelityAxis;

/// Kernel of a target function plus a bias that vanishes at the target fidelity.
///
/// ```text
/// f(x, s) = g(x) + b(x, s),   cov = v k(x, x') (1 + r d(s, s')),   d(1, s) = 0
/// ```
///
/// k is a Matérn-5/2 kernel of the other parameters. v is the variance of the target function. d is [`ExponentialDecay`] between the ends
/// of the axis, and r the variance of the bias at the cheapest fidelity relative to v. The bias has the same lengthscales as the target:
/// knowledge of the bias at one configuration carries over to others as far as a loss does.
///
/// # Errors
/// [`KernelError`] for a domain that does not have the axis.
pub fn multi_fidelity_kernel(domain: &Domain, axis: &FidelityAxis) -> Result<Box<dyn Kernel>, KernelError> {
    // A single level removes the fidelity from the kernel of the other columns; their positions stay.
    let mut variables = domain.variables().to_vec();
    if let Some(variable) = variables.get_mut(axis.index()) {
        *variable = Variable::stepped(1);
    }
    let columns = |problem: &dyn std::fmt::Display| KernelError::Columns {
        columns: vec![axis.column()],
        problem: problem.to_string(),
    };
    let others = Domain::new(variables).map_err(|error| columns(&error))?;
    if others.dim() != domain.dim() || axis.column() >= domain.dim() {
        return Err(columns(&"expected one column of the domain for the fidelity"));
    }
    let inputs = Inputs::for_dimension(others.free_variables());
    let (low, target) = axis.ends();
    let decay = ExponentialDecay::new(1.0, 1.0)?.between(low, target)?;
    let bias = Scaled::new(OnColumns::new(decay, vec![axis.column()])?, 1.0)?;
    let product = for_domain::<Matern52Profile>(&others, &inputs)? * (Constant + bias);
    Ok(Box::new(Scaled::new(product, 1.0)?))
}

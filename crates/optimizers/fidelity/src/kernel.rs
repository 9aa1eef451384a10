//! The kernel of a function with a fidelity.

use thrifty_domain::{Domain, Variable};
use thrifty_kernel::{
    ExponentialDecay, Inputs, Kernel, KernelError, Matern52Profile, OnColumns, Scaled, for_domain,
};

use crate::FidelityAxis;

/// The kernel of a target function and a bias that vanishes at the target fidelity.
///
/// ```text
/// f(x, s) = g(x) + b(x, s),   cov = v_g k_g(x, x') + v_b k_b(x, x') d(s, s'),   d(1, s) = 0
/// ```
///
/// `k_g` and `k_b` are Matérn-5/2 kernels of the other parameters with lengthscales of their own, so that the bias may be smoother than the
/// target; d is [`ExponentialDecay`] between the ends of the axis.
///
/// # Errors
/// [`KernelError`] for a domain that does not have the axis.
pub fn multi_fidelity_kernel(domain: &Domain, axis: &FidelityAxis) -> Result<Box<dyn Kernel>, KernelError> {
    // With a single level the fidelity has no part in the kernels of the other columns, which stay where they are.
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
    let inputs = Inputs::for_dimension(others.variables().len().saturating_sub(1));
    let of_others = || for_domain::<Matern52Profile>(&others, &inputs);
    let (low, target) = axis.ends();
    let decay = OnColumns::new(ExponentialDecay::new(1.0, 1.0)?.between(low, target)?, vec![axis.column()])?;
    let target = Scaled::new(of_others()?, 1.0)?;
    let bias = Scaled::new(of_others()? * decay, 1.0)?;
    Ok(Box::new(target + bias))
}

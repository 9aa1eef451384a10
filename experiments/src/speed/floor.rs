//! Time of the stages of a likelihood with its gradient, and the least that the machine allows.

use thrifty_kernel::{Kernel, KernelWorkspace};
use thrifty_linalg::{Matrix, Threads, factor_in_place, gram_of_inverse_into, invert_lower_into};

use super::clock::{cpu_minimum, cpu_minimum_prepared};
use super::inputs::Inputs;
use super::line::Tool;
use super::tasks::Operation;
use crate::error::ExperimentError;

/// Copies factored between two looks at the clock.
const COPIES: usize = 16;

/// Time of the stages of a likelihood with gradient at one size, in CPU milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Stages {
    pub n: usize,
    /// `K` from the points.
    pub build: f64,
    /// `L` from `K`: n³/3 flops.
    pub factor: f64,
    /// `L⁻¹` from `L`: n³/3 flops.
    pub invert: f64,
    /// `A⁻¹` from `L⁻¹`: n³/3 flops.
    pub gram: f64,
    /// The gradient from its weights.
    pub gradient: f64,
    /// The whole.
    pub measured: f64,
}

impl Stages {
    /// Rate of the factorisation in GFLOP/s.
    pub fn rate(&self) -> f64 {
        (self.n as f64).powi(3) / 3.0 / (1e6 * self.factor)
    }

    /// The n³ flops that a likelihood with gradient needs, at the rate of this machine's own factorisation, and
    /// both passes over the kernel.
    pub fn floor(&self) -> f64 {
        3.0 * self.factor + self.build + self.gradient
    }

    /// Floor over measured: 1 is as good as it gets.
    pub fn share(&self) -> f64 {
        self.floor() / self.measured
    }
}

/// Times the stages at every size at which Thrifty's likelihood was timed.
pub fn measure(inputs: &Inputs, ours: &Tool) -> Result<Vec<Stages>, ExperimentError> {
    let wholes = ours.lines.iter().filter(|line| line.operation == Operation::Likelihood);
    wholes.map(|line| stages(inputs, line.n, line.cpu_ms.unwrap_or(f64::NAN))).collect()
}

/// The matrix that a likelihood factors, with what the kernel keeps for its gradient.
pub fn covariance(inputs: &Inputs, n: usize) -> Result<(Matrix, KernelWorkspace), ExperimentError> {
    let (kernel, x) = (inputs.hyperparameters.kernel()?, inputs.data(n)?.points()?);
    let (mut workspace, mut covariance) = (KernelWorkspace::default(), Matrix::default());
    kernel.forward(x.as_ref(), 1.0, &mut workspace, &mut covariance);
    covariance.add_to_diagonal(inputs.hyperparameters.noise);
    Ok((covariance, workspace))
}

fn stages(inputs: &Inputs, n: usize, measured: f64) -> Result<Stages, ExperimentError> {
    let budget = inputs.budget;
    let (kernel, x) = (inputs.hyperparameters.kernel()?, inputs.data(n)?.points()?);
    let (given, mut workspace) = covariance(inputs, n)?;

    // Small matrices in turns, because one alone is done before the clock notices.
    let copies = if n <= 200 { COPIES } else { 1 };
    let mut factors = vec![given.clone(); copies];
    let mut outcome = Ok(());
    let factor = cpu_minimum_prepared(
        budget,
        &mut factors,
        |factors| factors.iter_mut().for_each(|matrix| matrix.clone_from(&given)),
        |factors| {
            for matrix in factors {
                outcome = outcome.and(factor_in_place(matrix, Threads::One));
            }
        },
    ) / copies as f64;
    outcome.map_err(ExperimentError::measure("a factor, at pivot"))?;

    let (mut inverse, mut gram) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
    let (invert, ..) = cpu_minimum(budget, || invert_lower_into(&factors[0], &mut inverse, Threads::One));
    let (of_gram, ..) = cpu_minimum(budget, || gram_of_inverse_into(&inverse, &mut gram, Threads::One));

    // Weights of the right shape; their values do not change the time.
    let weights = Matrix::from_fn(n, n, |i, j| if i >= j { gram[(i, j)] } else { 0.0 });
    let mut gradient = vec![0.0; kernel.num_params()];
    let (of_gradient, ..) = cpu_minimum(budget, || {
        kernel.pull_back_params(x.as_ref(), &mut workspace, &weights, 1.0, &mut gradient)
    });
    let mut built = Matrix::default();
    let (build, ..) = cpu_minimum(budget, || kernel.forward(x.as_ref(), 1.0, &mut workspace, &mut built));
    Ok(Stages { n, build, factor, invert, gram: of_gram, gradient: of_gradient, measured })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_three_factorizations_and_both_passes() {
        let stages =
            Stages { n: 300, build: 0.5, factor: 1.0, invert: 2.0, gram: 2.0, gradient: 0.5, measured: 8.0 };
        assert_eq!((stages.floor(), stages.share()), (4.0, 0.5));
        assert!((stages.rate() - 9.0).abs() < 1e-12);
    }
}

//! The contract of surrogates, on Gaussian processes.

use thrifty_gp::{GpSurrogate, KernelFamily};
use thrifty_kernel::{Kernel, Linear, Matern52, Scaled, Sum};
use thrifty_surrogate::contract;

#[test]
fn every_family_is_a_surrogate() {
    for family in [
        KernelFamily::SquaredExponential,
        KernelFamily::Matern12,
        KernelFamily::Matern32,
        KernelFamily::Matern52,
    ] {
        contract::surrogate(&GpSurrogate { family, ..GpSurrogate::default() });
    }
    contract::surrogate(&GpSurrogate { lengthscale_bounds: Some((0.05, 5.0)), ..GpSurrogate::default() });
    contract::surrogate(&GpSurrogate { warp_inputs: true, ..GpSurrogate::default() });
}

#[test]
fn a_kernel_of_ones_own_is_a_surrogate() {
    contract::surrogate(&GpSurrogate::default().with_kernel("smooth + linear", |domain| {
        let smooth = Scaled::new(Matern52::new(vec![0.5; domain.dim()])?, 1.0)?.with_bounds(1e-3, 1e3)?;
        Ok(Sum::new(smooth, Linear::new(vec![0.5; domain.dim()])?)?.clone_box())
    }));
}

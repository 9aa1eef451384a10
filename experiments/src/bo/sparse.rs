//! Sparse axes: a Gaussian process of which few parameters of many are expected to matter.

use thrifty_bo::GpSurrogate;
use thrifty_domain::Domain;
use thrifty_gp::{Gp, KernelFactoryError, Learning};
use thrifty_kernel::{Inputs, Kernel, Matern52Profile};
use thrifty_prob::Prior;

/// Global shrinkage. The source draws it from a half-Cauchy law of this scale; here it is fixed.
const SHRINKAGE: f64 = 0.1;

/// The default surrogate with the prior of sparse axes for its lengthscales.
///
/// Source: Eriksson & Jankowiak (2021), section 4.1. Departures: the global shrinkage is fixed, Matérn 5/2 as in the default.
pub fn surrogate(learning: Learning) -> GpSurrogate {
    GpSurrogate { learning, ..GpSurrogate::default() }.with_kernel("sparse axes", kernel)
}

/// The default kernel with that prior. Lengthscales are learnt from its median `1/√s` on.
fn kernel(domain: &Domain) -> Result<Box<dyn Kernel>, KernelFactoryError> {
    let prior = Prior::SparseAxis { scale: SHRINKAGE };
    let defaults = Inputs::for_dimension(domain.free_variables());
    let inputs = Inputs { lengthscale: SHRINKAGE.sqrt().recip(), prior: Some(prior), ..defaults };
    Ok(Gp::on_domain_with::<Matern52Profile>(domain, &inputs)?.kernel().clone())
}

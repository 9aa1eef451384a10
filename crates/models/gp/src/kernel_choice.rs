//! Kernels of surrogates: a family by name, or a closure.

use std::fmt;
use std::sync::Arc;

use thrifty_domain::Domain;
use thrifty_kernel::Kernel;

/// Stationary kernels by name, each with one lengthscale per dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelFamily {
    /// Infinitely differentiable sample paths.
    SquaredExponential,
    /// Continuous sample paths.
    Matern12,
    /// Once differentiable sample paths.
    Matern32,
    /// Twice differentiable sample paths.
    #[default]
    Matern52,
}

/// Error of a kernel closure: a kernel that cannot be built on a domain.
pub type KernelFactoryError = Box<dyn std::error::Error + Send + Sync>;

/// Closure that builds a kernel for a domain, with its name in journals.
#[derive(Clone)]
pub struct KernelFactory {
    name: String,
    build: Arc<KernelClosure>,
}

type KernelClosure = dyn Fn(&Domain) -> Result<Box<dyn Kernel>, KernelFactoryError> + Send + Sync;

impl KernelFactory {
    /// A closure and its name. Two kernels with the same name must be equal: a journal stores only the name.
    pub fn new(
        name: impl Into<String>,
        build: impl Fn(&Domain) -> Result<Box<dyn Kernel>, KernelFactoryError> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), build: Arc::new(build) }
    }

    /// The kernel on a domain.
    pub(crate) fn build(&self, domain: &Domain) -> Result<Box<dyn Kernel>, KernelFactoryError> {
        (self.build)(domain)
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for KernelFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KernelFactory").field(&self.name).finish()
    }
}

impl PartialEq for KernelFactory {
    /// Compares the names.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl serde::Serialize for KernelFactory {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

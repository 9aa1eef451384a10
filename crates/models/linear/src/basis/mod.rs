//! Functions of a point whose weighted sums are learnt.

mod fourier;
mod polynomial;
mod splines;

pub use fourier::Fourier;
pub use polynomial::Polynomial;
pub use splines::Splines;

use std::sync::Arc;

/// Finitely many functions `φ₁ … φ_J` of a point.
pub trait Basis: Send + Sync {
    /// Dimension of the points.
    fn dim(&self) -> usize;

    /// Number of functions, J.
    fn len(&self) -> usize;

    /// True if there are no functions.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their values at a point: J numbers. Overwrites.
    fn eval_into(&self, x: &[f64], out: &mut [f64]);

    /// Their slopes at a point: J×d, row-major. Overwrites; false, and nothing written, when they are not known.
    fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> bool {
        let _ = (x, out);
        false
    }

    /// Name of the basis; two bases with the same name have the same functions.
    fn name(&self) -> String;

    /// Their values at a point.
    fn eval(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        self.eval_into(x, &mut out);
        out
    }
}

/// A basis of one's own from a closure, without slopes.
pub struct FromFn<F> {
    name: String,
    dim: usize,
    len: usize,
    function: F,
}

impl<F: Fn(&[f64], &mut [f64]) + Send + Sync> FromFn<F> {
    /// Basis of a closure that writes `len` numbers for a point of dimension `dim`; `name` must be unique.
    pub fn new(name: impl Into<String>, dim: usize, len: usize, function: F) -> Self {
        Self { name: name.into(), dim, len, function }
    }
}

impl<F: Fn(&[f64], &mut [f64]) + Send + Sync> Basis for FromFn<F> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        self.len
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        (self.function)(x, out);
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// Pointers to a basis are that basis.
macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl Basis for $pointer {
            fn dim(&self) -> usize {
                (**self).dim()
            }

            fn len(&self) -> usize {
                (**self).len()
            }

            fn eval_into(&self, x: &[f64], out: &mut [f64]) {
                (**self).eval_into(x, out);
            }

            fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> bool {
                (**self).gradient_into(x, out)
            }

            fn name(&self) -> String {
                (**self).name()
            }
        }
    )*};
}

pointers!(Box<dyn Basis>, Arc<dyn Basis>);

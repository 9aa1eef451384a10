//! Composition of kernels by `+` and `*`.

/// Implements `+` and `*` of a kernel with any other kernel, and `f64 * kernel`, for a type that implements [`Kernel`](crate::Kernel).
///
/// ```text
/// a + b = Sum(a, b),   a * b = Product(a, b),   v * a = Scaled(a, v)
/// ```
///
/// Every kernel of this crate and `Box<dyn Kernel>` has these operators; call the macro for a kernel of your own.
/// Generic parameters come first, in brackets: `kernel_operators!([K: Kernel + Clone + 'static] Mine<K>)`. The operators panic where
/// [`Sum::new`](crate::Sum::new), [`Product::new`](crate::Product::new) and [`Scaled::new`](crate::Scaled::new) return
/// an error: parts of different dimension, a variance that is not positive and finite.
///
/// ```
/// use thrifty_kernel::{Constant, Kernel, Linear, Matern52, Periodic};
/// let trend = Linear::new(vec![2.0])? + 0.5 * Constant;
/// let seasons = Matern52::new(vec![3.0])? * Periodic::new(vec![1.0], 0.25)?;
/// let kernel: Box<dyn Kernel> = Box::new(trend + 1.5 * seasons);
/// assert_eq!(kernel.eval(&[0.0], &[0.0]), 2.0);
/// // Behind a pointer kernels compose alike.
/// assert_eq!((kernel.clone() * kernel).eval(&[0.0], &[0.0]), 4.0);
/// # Ok::<(), thrifty_kernel::KernelError>(())
/// ```
#[macro_export]
macro_rules! kernel_operators {
    ([$($generics:tt)*] $kernel:ty) => {
        impl<Other: $crate::Kernel + Clone + 'static, $($generics)*> ::std::ops::Add<Other> for $kernel {
            type Output = $crate::Sum<Self, Other>;

            fn add(self, other: Other) -> Self::Output {
                $crate::Sum::new(self, other).unwrap_or_else(|error| ::std::panic!("{error}"))
            }
        }

        impl<Other: $crate::Kernel + Clone + 'static, $($generics)*> ::std::ops::Mul<Other> for $kernel {
            type Output = $crate::Product<Self, Other>;

            fn mul(self, other: Other) -> Self::Output {
                $crate::Product::new(self, other).unwrap_or_else(|error| ::std::panic!("{error}"))
            }
        }

        impl<$($generics)*> ::std::ops::Mul<$kernel> for f64 {
            type Output = $crate::Scaled<$kernel>;

            fn mul(self, kernel: $kernel) -> Self::Output {
                $crate::Scaled::new(kernel, self).unwrap_or_else(|error| ::std::panic!("{error}"))
            }
        }
    };
    ($kernel:ty) => {
        $crate::kernel_operators!([] $kernel);
    };
}

use crate::{
    Categorical, CategoricalCorrelation, Conditional, Constant, Coregionalization, ExponentialDecay,
    Hierarchical, Kernel, Linear, OnColumns, Periodic, Product, Scaled, Stationary, StationaryProfile, Sum,
    Warped, WhiteNoise,
};

kernel_operators!(Box<dyn Kernel>);
kernel_operators!(Constant);
kernel_operators!(Coregionalization);
kernel_operators!(ExponentialDecay);
kernel_operators!(Linear);
kernel_operators!(Periodic);
kernel_operators!(WhiteNoise);
kernel_operators!([R: StationaryProfile] Stationary<R>);
kernel_operators!([L: CategoricalCorrelation] Categorical<L>);
kernel_operators!([K: Kernel + Clone + 'static] Conditional<K>);
kernel_operators!([K: Kernel + Clone + 'static] OnColumns<K>);
kernel_operators!([K: Kernel + Clone + 'static] Scaled<K>);
kernel_operators!([K: Kernel + Clone + 'static] Warped<K>);
kernel_operators!([A: Kernel + Clone + 'static, B: Kernel + Clone + 'static] Sum<A, B>);
kernel_operators!([A: Kernel + Clone + 'static, B: Kernel + Clone + 'static] Product<A, B>);
kernel_operators!([F: Kernel + Clone + 'static, D: Kernel + Clone + 'static] Hierarchical<F, D>);

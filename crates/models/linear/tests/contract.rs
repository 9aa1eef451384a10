//! The contract of surrogates, on linear regression.

use thrifty_linear::{Fourier, LinearSurrogate, Polynomial};
use thrifty_surrogate::contract;

#[test]
fn linear_regression_is_a_surrogate() {
    contract::surrogate(&LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5)))));
    contract::surrogate(&LinearSurrogate::new(|domain| Ok(Box::new(Fourier::new(domain.dim(), 1, 2.0)))));
}

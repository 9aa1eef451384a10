//! Adaptors between our objectives and the solvers of argmin.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`FusedProblem`] makes a problem of argmin of an objective with a gradient; [`fused`] goes the other way. [`nelder_mead`] is
//! argmin's simplex search in a box, for functions without gradient.

mod error;
mod nelder_mead;
mod problem;

pub use error::ArgminError;
pub use nelder_mead::nelder_mead;
pub use problem::{FusedProblem, fused};

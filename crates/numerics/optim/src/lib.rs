//! Minimising and maximising functions that are cheap: likelihoods and acquisitions.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Lbfgsb`] is the work-horse: smooth functions in a box, value and gradient from one call. [`multi_start`]
//! runs anything from several places. [`nelder_mead`] needs no gradient. [`LocalSearch`] climbs on mixed
//! domains. [`argmin_problem`] adapts our functions to argmin's solvers and theirs to ours. Nothing here depends on
//! what a model is.

pub mod argmin_problem;
mod error;
mod interval;
mod lbfgsb;
mod local_search;
mod multi_start;
pub mod suite;

pub use argmin_problem::nelder_mead;
pub use error::OptimError;
pub use interval::golden_section;
pub use lbfgsb::{Lbfgsb, Minimum, Termination};
pub use local_search::{LocalMaximum, LocalSearch, Objective};
pub use multi_start::{MultiStart, multi_start};

//! Minimising and maximising functions that are cheap: likelihoods and acquisitions.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Lbfgsb`] is the work-horse: smooth functions in a box, value and gradient from one call. [`StructuredNewton`] takes fewer
//! evaluations where a model of the curvature is cheap, as it is for likelihoods. [`multi_start`]
//! runs anything from several places. [`golden_section`] searches an interval without a gradient. [`LocalSearch`] climbs on
//! mixed domains. The crate `thrifty-argmin` adapts our functions to argmin's solvers and theirs to ours. Nothing here
//! depends on what a model is.

mod error;
mod interval;
mod lbfgsb;
mod local_search;
mod multi_start;
mod structured_newton;
pub mod suite;

pub use error::{OptimError, projected_start};
pub use interval::golden_section;
pub use lbfgsb::{Lbfgsb, Minimum, Termination};
pub use local_search::{LocalMaximum, LocalSearch, Objective};
pub use multi_start::{MultiStart, multi_start};
pub use structured_newton::{CurvedObjective, StructuredNewton};

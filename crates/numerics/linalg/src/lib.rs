//! Dense symmetric linear algebra for Gaussian models.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Matrix`] is column-major with padded columns, so that vector code needs no tails. [`Cholesky`] factors a
//! symmetric positive-definite matrix; when rounding has made it indefinite it climbs a [`JitterLadder`] and
//! reports the jitter that it used. No other crate names a decomposition.
//!
//! Everything below [`PARALLEL_FROM`] rows runs on the calling thread: measured, two threads are slower there
//! than one. Above it the choice is the caller's, through [`Threads`].

mod cholesky;
mod eigen;
mod in_place;
mod matrix;
mod triangular;
mod update;

pub use cholesky::{Cholesky, JitterLadder, NotPositiveDefinite};
pub use eigen::{NoEigenvalues, SymmetricEigen};
pub use in_place::{
    PARALLEL_FROM, Threads, factor_in_place, gram_of_inverse_into, invert_lower_into, lower_times_into,
    subtract_inner_products,
};
pub use matrix::{LANES, Matrix};
pub use triangular::solve_lower_in_place;

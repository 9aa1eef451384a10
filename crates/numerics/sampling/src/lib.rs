//! Random streams and space-filling designs.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Stream`] is keyed by (seed, purpose, id), never by how many numbers were drawn before: the suggestion
//! for trial 17 draws from `seed.stream("acquisition", 17)` whatever the trials before it did, on any number
//! of threads. [`Sobol`] and [`latin_hypercube`] fill the unit cube.

mod directions;
mod latin;
mod seed;
mod sobol;

pub use latin::latin_hypercube;
pub use seed::{Seed, Stream};
pub use sobol::{MAX_SOBOL_DIM, Sobol};

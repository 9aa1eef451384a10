//! Random streams and space-filling designs.
//!
//! A [`Stream`] is keyed by (seed, purpose, id), never by how many numbers were drawn before: the suggestion
//! for trial 17 draws from `seed.stream("acquisition", 17)` whatever the trials before it did, on any number
//! of threads. [`Sobol`] and [`latin_hypercube`] fill the unit cube.
//!
//! ```
//! use thrifty_sampling::Seed;
//! let a = Seed(7).stream("acquisition", 17).uniform();
//! let b = Seed(7).stream("acquisition", 17).uniform();
//! assert_eq!(a.to_bits(), b.to_bits());
//! assert_ne!(a, Seed(7).stream("acquisition", 18).uniform());
//! ```

mod latin;
mod seed;
mod sobol;

pub use latin::latin_hypercube;
pub use seed::{Seed, Stream};
pub use sobol::{MAX_SOBOL_DIM, Sobol};

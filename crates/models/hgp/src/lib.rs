//! The hierarchical Gaussian process on (configuration, fold): a true loss and the folds around it.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! ```text
//! y_j(x) = f(x) + δ_j(x) + ε:   cov = k_f(x, x') + c(i, j) k_δ(x, x') + σ² on the diagonal
//! c(i, j) = 1 for the same fold, β for two folds
//! use thrifty_domain::Points;
//! use thrifty_hgp::Hgp;
//! use thrifty_sampling::Seed;
//! use thrifty_surrogate::{Posterior, Prediction};
//! let x = Points::from_rows(&[[0.0], [0.25], [0.5], [0.75], [1.0], [0.4]])?;
//! let (folds, y) = ([0, 1, 2, 0, 1, 2], [1.0, 0.4, 0.1, 0.5, 1.2, 0.2]);
//! let posterior = Hgp::matern52(1).fit(x.as_ref(), &folds, &y, &mut Seed(1).stream("fit", 0))?;
//! let Prediction { mean, variance } = posterior.common().predict(&[0.5]);
//! assert!(mean < 0.5 && variance > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod component;
mod error;
mod fold_surrogate;
mod gain;
mod lookahead;
mod model;
mod posterior;

pub use component::Component;
pub use error::HgpError;
pub use fold_surrogate::FoldSurrogate;
pub use gain::FoldGain;
pub use lookahead::FoldLookahead;
pub use model::{FoldKernel, Hgp};
pub use posterior::HgpPosterior;

//! Checks of a build against reference numbers: `cargo test` asserts them, `thrifty-experiments verify` prints them.
//!
//! A file contains everything that its numbers depend on: priors, noises, kernels, spaces. What a file names and this build
//! does not know is a failure with its name; a section that a file does not have is skipped, and named.

mod acquisitions;
mod autobct;
mod autobct_reference;
mod caligo;
mod error;
mod fcvopt;
mod fcvopt_reference;
mod files;
mod findings;
mod gp;
mod iterates;
mod json;
mod kernels;
mod levelset;
mod line;
mod optim;
mod pareto;
mod prob;
mod tpe;
mod tpe_hyperopt;
mod tpe_optuna;

pub use error::GoldenError;
pub use files::{check, folder, own};
pub use findings::Findings;
pub use json::relative_to_largest;
pub use line::Line;

//! Fractional cross-validation against full cross-validation and other ways with single folds.

mod baselines;
mod problem;
pub mod synth;

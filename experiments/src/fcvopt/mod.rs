//! Fractional cross-validation against full cross-validation and other ways with single folds.

mod baselines;
mod branin;
mod contest;
mod drawn;
mod methods;
mod mtbo;
mod problem;
mod svm_table;
pub mod synth;
pub mod tables;

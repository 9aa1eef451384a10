//! Fractional cross-validation against full cross-validation and other ways with single folds.

pub mod ablation;
mod any;
pub mod batches;
pub mod branin;
mod comparison;
mod drawn;
pub mod failures;
pub mod growth;
pub mod landscape;
pub mod landscapes;
pub mod late;
pub mod learners;
pub mod live;
mod methods;
mod problem;
pub mod regimes;
mod smac;
mod svm_table;
pub mod synth;
pub mod tables;
pub mod verified;

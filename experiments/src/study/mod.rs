//! Experiments on studies: trials that stop early.

mod curves;
mod draws;
mod meter;
mod model_based;
mod optuna;
pub mod pruning;

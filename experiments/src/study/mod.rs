//! Experiments on studies: trials that stop early.

mod curves;
mod draws;
mod optuna;
pub mod pruning;

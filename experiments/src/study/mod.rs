//! What a study can do besides suggesting: stopping trials early.

mod curves;
mod draws;
mod optuna;
pub mod pruning;

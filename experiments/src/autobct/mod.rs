//! Training under a budget: the paper's tables and its synthetic example.

pub mod alternatives;
mod approximators;
mod earnings;
pub mod paper;
pub mod replay;
pub mod standins;
pub mod synthetic;
pub mod values;

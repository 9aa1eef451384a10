//! Training under a budget: the paper's tables and its synthetic example.

pub mod alternatives;
pub mod paper;
pub mod replay;
pub mod standins;
pub mod synthetic;
pub mod values;

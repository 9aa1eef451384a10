//! Training under a budget: the paper's tables and its synthetic example.

pub mod alternatives;
mod approximators;
pub mod map_of_two_controls;
pub mod paper;
mod policy_value;
pub mod published_map;
pub mod replay;
pub mod substitute_tasks;
pub mod synthetic;
pub mod values;

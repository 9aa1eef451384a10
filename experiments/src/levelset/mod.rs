//! Where is a function above a threshold: criteria against each other, and bounds against what happens.

pub mod criteria;
mod curves;
mod judged;
mod maps;
mod methods;
mod problems;
mod tables;
pub mod theory;

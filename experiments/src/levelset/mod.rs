//! Level sets: criteria against each other, and bounds against what happens.

pub mod criteria;
mod curves;
pub mod deathvalley;
mod maps;
mod methods;
mod problems;
mod responses;
mod scored;
mod tables;
pub mod theory;
mod valley_map;

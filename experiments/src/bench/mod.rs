//! Benchmarks against other libraries and on landscapes that others measured.

pub mod charts;
pub mod egreedy;
pub mod functions;
mod peers;
pub mod race;
pub mod regrets;
pub mod sample;
mod synthetic;
pub mod table;
mod table_files;
pub mod tables;
pub mod versus;

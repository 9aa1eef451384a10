//! Benchmarks against other libraries and on landscapes that others measured.

mod charts;
pub mod egreedy;
pub mod functions;
mod peers;
mod sample;
mod synthetic;
mod table;
mod table_files;
pub mod tables;
mod versus;

//! Non-dominated sorting genetic algorithm II.

mod operators;
mod optimizer;
mod rank;

pub use optimizer::{Nsga2, Nsga2Settings};

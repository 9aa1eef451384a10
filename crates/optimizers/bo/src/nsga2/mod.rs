//! Non-dominated sorting genetic algorithm II.

mod operators;
mod optimizer;
mod standing;

pub use optimizer::{Nsga2, Nsga2Settings};

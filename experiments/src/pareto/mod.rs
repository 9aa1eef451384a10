//! Several losses at once.

pub mod benchmarks;
mod botorch;
pub mod comparison;
pub mod methods;

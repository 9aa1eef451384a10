//! Several losses at once.

pub mod benchmarks;
mod methods;

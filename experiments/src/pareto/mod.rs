//! Several losses at once.

pub mod benchmarks;
mod botorch;
mod methods;

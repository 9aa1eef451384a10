//! Several losses at once.

pub mod benchmarks;
mod botorch;
pub mod contest;
pub mod methods;

//! Several losses at once.

pub mod benchmarks;
pub mod comparison;
pub mod methods;
pub mod peers;

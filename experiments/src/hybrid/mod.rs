//! "A Hybrid Monte Carlo Architecture for Parameter Optimization": its toy, and its credit approval study.

pub mod credit;
pub mod credit_data;
mod methods;
mod success;
pub mod toy;
pub mod triplets;
pub mod wangfreitas;

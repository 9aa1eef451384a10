//! "A Hybrid Monte Carlo Architecture for Parameter Optimization": its toy, and its credit approval study.

pub mod anticipation;
pub mod credit;
mod credit_convergence;
pub mod credit_data;
mod credit_tables;
pub(crate) mod largest_mean;
mod methods;
mod success;
pub mod toy;
pub mod triplets;
pub mod wangfreitas;

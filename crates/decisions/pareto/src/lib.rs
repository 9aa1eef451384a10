//! Pareto dominance, hypervolume and expected hypervolume improvement.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! Every objective is minimised. Points are rows of a [`PointsRef`](thrifty_domain::PointsRef), objectives its columns.

mod boxes;
mod check;
mod crowding;
mod dominance;
mod ehvi;
mod error;
mod filter;
mod front;
mod hypervolume;
mod indicator;
mod rank;
mod reference;
mod staircase;

pub use boxes::{LocalUpperBounds, NonDominatedBoxes};
pub use crowding::crowding_distance;
pub use dominance::{dominates, strictly_dominates, weakly_dominates};
pub use ehvi::ExpectedHypervolumeImprovement;
pub use error::ParetoError;
pub use filter::{Duplicates, non_dominated};
pub use hypervolume::{ApproximateVolume, Hypervolume, hypervolume};
pub use indicator::{additive_epsilon, igd, igd_plus};
pub use rank::non_dominated_ranks;
pub use reference::{ReferenceOrigin, ReferencePoint};

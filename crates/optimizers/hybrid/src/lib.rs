//! Hybrid optimisation: model-based optimisation that explores by the flip of a coin.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Hybrid`] is Algorithms 1, 2 and 3 of "A Hybrid Monte Carlo Architecture for Parameter Optimization" around any
//! [`ModelBased`](thrifty_model_based::ModelBased) optimiser: an [`Exploration`] sets how often to explore, an
//! [`ExplorePoint`] where, and [`OnConvergence`] what happens when exploiting promises nothing. The published text lost its
//! formulas and settings; our readings are marked. [`CoinFlip`] explores around any other optimiser.

mod coin_flip;
mod explore;
mod optimizer;
mod settings;

pub use coin_flip::CoinFlip;
pub use optimizer::Hybrid;
pub use settings::{Exploration, ExplorePoint, HybridSettings, OnConvergence};

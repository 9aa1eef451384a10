//! Hybrid optimisation: model-based optimisation that explores by the flip of a coin.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Hybrid`] is Algorithms 1, 2 and 3 of "A Hybrid Monte Carlo Architecture for Parameter Optimization" around any
//! [`ModelBased`](thrifty_model_based::ModelBased) optimiser: an [`Exploration`] sets how often to explore, an
//! [`ExplorePoint`] where, [`Anticipation`] by which acquisition function to exploit, and [`OnConvergence`] what happens when exploiting
//! promises nothing. [`HybridSettings::algorithm_1`] and its siblings are the algorithms as they are written. The published text lost its
//! formulas and settings; our readings are marked. [`CoinFlip`] explores around any other optimiser.

mod algorithms;
mod anticipation;
mod coin_flip;
mod explore;
mod optimizer;
mod settings;

pub use anticipation::{Anticipation, ConvergenceMeasure};
pub use coin_flip::CoinFlip;
pub use optimizer::Hybrid;
pub use settings::{Exploration, ExplorePoint, HybridSettings, OnConvergence};

//! Hybrid optimisation: model-based optimisation with exploration by coin flip.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Hybrid`] is Algorithms 1, 2 and 3 of "A Hybrid Monte Carlo Architecture for Parameter Optimization" around any
//! [`ModelBased`](thrifty_model_based::ModelBased) optimiser. [`Exploration`] sets how often it explores, and [`ExplorePoint`] where.
//! [`Anticipation`] sets the acquisition function of an exploit turn, and [`OnConvergence`] the reaction when no improvement is expected.
//! [`HybridSettings::algorithm_1`] and its siblings are the algorithms as written. The published text lost its formulas and settings; our
//! readings are marked. [`CoinFlip`] explores around any other optimiser.

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

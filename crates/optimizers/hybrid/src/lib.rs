//! Hybrid optimisation: model-based optimisation that explores by the flip of a coin.
//!
//! [`Hybrid`] is Algorithms 1, 2 and 3 of "A Hybrid Monte Carlo Architecture for Parameter Optimization" around any
//! [`ModelBased`](thrifty_model_based::ModelBased) optimiser: an [`Exploration`] sets how often to explore, an
//! [`ExplorePoint`] where, [`Anticipation`] by which acquisition function to exploit, and [`OnConvergence`] what happens when exploiting
//! promises nothing. [`HybridSettings::algorithm_1`] and its siblings are the algorithms as they are written. The published text lost its
//! formulas and settings; our readings are marked. [`CoinFlip`] explores around any other optimiser.
//!
//! ```
//! use thrifty_bo::BayesianOptimizer;
//! use thrifty_hybrid::{Exploration, Hybrid, HybridSettings};
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::builder().float("x", 0.0, 10.0).build()?;
//! let settings = HybridSettings { exploration: Exploration::FixedRate { rate: 0.1 }, ..Default::default() };
//! let optimizer = Hybrid::new(BayesianOptimizer::new(space)).with_settings(settings)?;
//! let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(15));
//! study.run(|config, _| config.float("x").map_or(f64::NAN, |x| -x * x.sin()))?;
//! assert!(study.history().best().unwrap().1 < -7.8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

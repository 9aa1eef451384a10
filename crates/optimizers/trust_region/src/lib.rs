//! Bayesian optimisation in a trust region, for spaces of many dimensions.
//!
//! [`TrustRegionOptimizer`] models the loss by a Gaussian process and looks for its minimum in a box around the best trial. The box grows
//! after successes and shrinks after failures; once it is too small, a new run starts from a new design.
//!
//! ```
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! use thrifty_trust_region::TrustRegionOptimizer;
//! let space = Space::unit_cube(4);
//! let mut study = Study::new(TrustRegionOptimizer::new(space), Seed(1)).with_stop(MaxTrials(30));
//! study.run(|config, _| (0..4).map(|i| config.float(&format!("x{i}")).map_or(f64::NAN, |x| (x - 0.3).powi(2))).sum::<f64>())?;
//! assert!(study.history().best().unwrap().1 < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod candidates;
mod optimizer;
mod region;
mod settings;

pub use optimizer::TrustRegionOptimizer;
pub use settings::TrustRegionSettings;

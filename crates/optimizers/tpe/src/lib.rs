//! The tree-structured Parzen estimator, with the rules of several libraries by name.
//!
//! [`TpeOptimizer`] suggests; [`TpeSettings`] holds its rules, of which [`TpeSettings::hyperopt`] and
//! [`TpeSettings::optuna5`] are checked against those libraries' own numbers. Each rule is a small part:
//! [`Split`], [`Weights`], [`Bandwidth`], [`Truncation`], [`CategoricalKernel`], [`Joint`]. [`Estimator`] is the
//! density that they make.
//!
//! ```
//! use thrifty_sampling::Seed;
//! use thrifty_space::{Config, Space};
//! use thrifty_study::{MaxTrials, Study};
//! use thrifty_tpe::TpeOptimizer;
//! let space = Space::builder().float("x", -1.0, 1.0).categorical("kind", ["even", "odd"]).build()?;
//! let mut study = Study::new(TpeOptimizer::new(space)?, Seed(1)).with_stop(MaxTrials(60));
//! study.run(|config: &Config, _| {
//!     let x = config.float("x").unwrap_or(f64::NAN);
//!     if config.str("kind") == Ok("even") { x * x } else { 1.0 + x }
//! })?;
//! let (best, loss) = study.history().best().expect("60 trials");
//! assert!(loss < 0.01, "{}: {loss}", best.query);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod density;
mod error;
mod history;
mod optimizer;
mod rules;
mod settings;

pub use density::axis::{Axis, Grid, GridEnds};
pub use density::bandwidth::{Bandwidth, BandwidthRule, Floor};
pub use density::choices::{CategoricalKernel, Choices};
pub use density::estimator::{Dimension, Estimator, Kernels, Layout, Truncation};
pub use density::prior::ParameterPrior;
pub use error::TpeError;
pub use history::observed::Observed;
pub use optimizer::TpeOptimizer;
pub use rules::split::Split;
pub use rules::weights::{SideWeights, Weights};
pub use settings::{
    Branching, ConstraintPolicy, CostPolicy, FailurePolicy, Joint, PendingPolicy, Repeats, SplitScope,
    Startup, StartupCount, TpeSettings,
};

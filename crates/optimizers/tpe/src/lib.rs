//! The tree-structured Parzen estimator, with the rules of several libraries by name.
//!
//! [`TpeOptimizer`] suggests; [`TpeSettings`] holds its rules, of which [`TpeSettings::hyperopt`] and
//! [`TpeSettings::optuna5`] are checked against those libraries' own numbers. Each rule is a small part:
//! [`Split`], [`Weights`], [`Bandwidth`], [`Truncation`], [`CategoricalKernel`], [`Joint`]. [`Estimator`] is the
//! density that they make.
//!
//! ```
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{FixedTrials, Study};
//! use thrifty_tpe::TpeOptimizer;
//! let space = Space::builder().float("x", -1.0, 1.0).categorical("kind", ["a", "b"]).build()?;
//! let mut study = Study::new(TpeOptimizer::new(space, Seed(1))?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod axis;
mod bandwidth;
mod choices;
mod coding;
mod column;
mod density;
mod error;
mod estimator;
mod interval;
mod observed;
mod optimizer;
mod pareto;
mod preset;
mod prior;
mod ranking;
mod score;
mod settings;
mod sides;
mod split;
mod table;
mod weights;

pub use axis::{Axis, Grid, GridEnds};
pub use bandwidth::{Bandwidth, BandwidthRule, Floor};
pub use choices::{CategoricalKernel, Choices};
pub use error::TpeError;
pub use estimator::{Dimension, Estimator, Kernels, Layout, Truncation};
pub use observed::Observed;
pub use optimizer::TpeOptimizer;
pub use prior::ParameterPrior;
pub use settings::{
    Branching, ConstraintPolicy, FailurePolicy, Joint, PendingPolicy, Repeats, SplitScope, Startup,
    TpeSettings,
};
pub use split::Split;
pub use weights::{SideWeights, Weights};

//! The tree-structured Parzen estimator, with the rules of several libraries by name.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`TpeOptimizer`] suggests; [`TpeSettings`] holds its rules, of which [`TpeSettings::hyperopt`] and
//! [`TpeSettings::optuna5`] are checked against those libraries' own numbers. Each rule is a small part:
//! [`Split`], [`Weights`], [`Bandwidth`], [`Truncation`], [`CategoricalKernel`], [`Joint`]. [`Estimator`] is the
//! density that they make.

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

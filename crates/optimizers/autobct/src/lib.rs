//! Training under a budget: what to train next, and when to stop.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A model is trained at a control u, a point of the unit cube; that has a score and a cost, both observed with noise. Both
//! are linear in basis functions with normal coefficients ([`State`]), so that a training run is a step of two Kalman
//! filters. Score is worth 1 a unit and cost γ: the best policy solves a Markov decision problem over these beliefs,
//! and [`Decision`] has its value functions: one and two steps exactly, more by quadrature. [`AutoBct`] is the optimiser
//! that follows them.
//! Source: `AutoBCT` (Cironis, Palczewski & Aivaliotis, 2022).

mod decision;
mod error;
mod lookahead;
mod optimizer;
mod settings;
mod value_function;

pub use decision::controls::{Controls, NoiseStdDev};
pub use decision::cost::expected_cost;
pub use decision::scale::Scale;
pub use decision::state::{Record, State};
pub use decision::value::{Decision, Values};
pub use error::AutoBctError;
pub use lookahead::belief_samples::{BeliefSamples, Branching, SamplingSettings};
pub use lookahead::bellman_recursion::{BellmanRecursion, OneStep, Shrunk, ValueFunction};
pub use lookahead::expectation::Expectation;
pub use lookahead::posterior_family::{Innovation, PosteriorFamily};
pub use lookahead::quadrature::Quadrature;
pub use lookahead::two_steps::TwoSteps;
pub use optimizer::AutoBct;
pub use settings::{AutoBctSettings, Plan};
pub use value_function::{
    Baseline, Features, Level, MapBuild, MapProgress, MapSettings, Regressor, ValueMap,
};

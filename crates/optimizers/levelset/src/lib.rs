//! Level-set estimation: classifies a domain above or below a threshold, with certificates.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`LevelSetOptimizer`] estimates where the objective is above a [`Threshold`]: on a grid, among candidates, or over a whole space by
//! quasi-random points. It suggests the best point of a [`Criterion`] and classifies by confidence intervals. It stops when no point is
//! undecided or when its diagnostics meet a rule ([`DiagnosticStop`]), and recommends the [`Classified`] domain.
//! [`PhasedLevelSet`] changes its rule between phases. [`metrics`] compares a classification with the truth; [`theory`] evaluates the
//! theoretical bounds.

mod classification_set;
mod classified;
mod confidence;
mod cost;
mod criterion;
mod design;
mod diagnostics;
mod intervals;
pub mod metrics;
mod model;
mod optimizer;
mod phased;
mod progress;
mod settings;
mod state;
mod stop;
pub mod theory;
mod threshold;
mod turn;

pub use classification_set::ClassificationSet;
pub use classified::{Classified, Label};
pub use confidence::Confidence;
pub use criterion::Criterion;
pub use intervals::Intervals;
pub use model::FixedGp;
pub use optimizer::LevelSetOptimizer;
pub use phased::{Phase, PhaseRule, PhasedLevelSet, PhasedSettings};
pub use settings::{Integration, LevelSetSettings};
pub use stop::DiagnosticStop;
pub use threshold::{Level, Threshold};

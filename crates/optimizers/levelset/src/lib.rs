//! Classifies a domain above or below a threshold, with certificates.
//!
//! [`LevelSetOptimizer`] asks where the objective is above a [`Threshold`]: on a grid, among candidates, or over a
//! whole space by quasi-random points. It suggests the best point of a [`Criterion`], classifies by confidence
//! intervals, stops when no point is undecided or when its diagnostics meet a rule ([`DiagnosticStop`]), and recommends the
//! [`Classified`] domain. [`metrics`] compares that with the truth, [`theory`] evaluates the bounds behind it.
//!
//! ```
//! use thrifty_levelset::{Criterion, Label, LevelSetOptimizer, LevelSetSettings, ClassificationSet};
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::builder().float("x", 0.0, 6.0).build()?;
//! let settings = LevelSetSettings {
//!     over: ClassificationSet::Grid { per_axis: 61 },
//!     criterion: Criterion::IntegratedBernoulli,
//!     epsilon: 0.02,
//!     ..LevelSetSettings::above(0.5)
//! };
//! let optimizer = LevelSetOptimizer::new(space, settings)?;
//! let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(30));
//! study.run(|config, _| config.float("x").map_or(f64::NAN, f64::sin))?;
//! let found = study.recommend()?.unwrap();
//! // sin x > ½ between π/6 and 5π/6: 21 of the 61 points.
//! assert!(found.is_certified() && study.history().len() < 30);
//! assert_eq!(found.labels().iter().filter(|label| **label == Label::Above).count(), 21);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classification_set;
mod classified;
mod confidence;
mod cost;
mod criterion;
mod diagnostics;
mod intervals;
pub mod metrics;
mod model;
mod optimizer;
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
pub use settings::{Integration, LevelSetSettings};
pub use stop::DiagnosticStop;
pub use threshold::{Level, Threshold};

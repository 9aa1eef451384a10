//! Initial designs and model-free search.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`RandomSearch`] and [`SobolSearch`] are baselines for one objective, and [`Nsga2`] for several. [`InitialDesign`] and [`Designer`]
//! provide the first trials of every optimiser. [`ParetoSet`] is the recommendation for several objectives.

mod asked;
mod candidate;
mod design;
mod designer;
mod fingerprint;
mod given;
mod measurement;
mod nsga2;
mod pareto_set;
mod points;
mod random;
mod rank;
mod sobol;

pub use asked::Asked;
pub use candidate::{Candidate, first_allowed};
pub use design::{DesignBudget, InitialDesign, PlannedTrials};
pub use designer::Designer;
pub use fingerprint::{design_changed, fingerprint};
pub use given::{Given, ask_given, check_config, within, without_gains};
pub use measurement::{MeasurementMismatch, ended_without_loss, measurement, same_shape, shape};
pub use nsga2::{Nsga2, Nsga2Settings};
pub use pareto_set::{ParetoMember, ParetoSet};
pub use points::{asked_points, is_asked, points_of};
pub use random::{RandomSearch, random_allowed, random_new, random_points};
pub use rank::Rank;
pub use sobol::SobolSearch;

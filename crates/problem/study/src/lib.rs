//! Studies by ask and tell, with a history and a journal.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! An [`Optimizer`] suggests queries, based on a [`History`] of trials. A [`Study`] owns the history, keeps it in a journal if it has one,
//! and runs the loop, in order or in parallel. A suggestion depends only on the settings of the optimiser, the history (with the study's
//! seed) and the trial's id. A study can therefore be stopped after any event and resumed with bit-identical suggestions.

mod any_optimizer;
mod best;
mod contents;
mod context;
pub mod contract;
mod costed;
mod curves;
mod direction;
mod disk;
mod durability;
mod enqueue;
mod error;
mod event;
mod failure;
mod fingerprint;
mod history;
mod journal;
mod line;
mod locked_file;
mod machine;
mod measurement;
mod memo;
mod numbers;
mod observer;
mod optimizer;
mod outcome;
mod pruned_as;
mod pruner;
mod queue;
mod replay;
mod restarts;
mod run;
pub mod shared;
mod stop;
mod study;
mod trial;
mod worth;

pub use any_optimizer::AnyOptimizer;
pub use best::{Basis, Best};
pub use context::{Context, ReportError};
pub use costed::{CostUnit, costed};
pub use direction::{Direction, Directions};
pub use durability::Durability;
pub use error::{JournalError, OptimizerError, StudyError};
pub use failure::{Failure, FailureReason};
pub use fingerprint::{Difference, Fingerprint};
pub use history::{History, HistoryView, Lineage};
pub use locked_file::LockedFile;
pub use measurement::{Measurement, MeasurementProblem};
pub use memo::{
    EXPECTED_COST, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, Memo, MemoKey, MemoValue,
};
pub use observer::Observer;
pub use optimizer::{Ask, Optimizer, Query, Suggestion};
pub use outcome::Outcome;
pub use pruned_as::{PrunedAs, PrunedPolicy};
pub use pruner::{Curve, Pruner};
pub use run::Schedule;
pub use stop::{
    All, Any, MaxCost, MaxTrials, NoImprovement, Patience, StopReason, StopRule, Target, WallTime,
};
pub use study::{Next, Study};
pub use trial::{Timing, Trial, TrialId};
pub use worth::WorthItsCost;

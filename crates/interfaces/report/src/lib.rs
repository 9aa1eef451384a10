//! Reports of studies: figures as SVG, and one self-contained HTML page with all of them.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Report`] reads a history of configurations. [`Figure`] lists what it draws; [`Report::page`] is the page: summary,
//! warnings, all figures that the study fits, and a table of the trials that can be sorted. Studies of folds have [`fold_scores`] and
//! [`fold_correlations`]; training under a budget has [`training_values`].

mod derived;
mod error;
mod figure;
mod figures;
mod folds;
mod importance;
mod model;
mod page;
mod parameter;
mod ped_anova;
mod report;
mod summary;
mod training;
mod warnings;

pub use error::{ReportError, Unfit};
pub use figure::Figure;
pub use folds::{fold_correlations, fold_scores};
pub use importance::ParameterImportance;
pub use report::Report;
pub use training::training_values;

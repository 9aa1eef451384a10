//! Reports of studies: figures as SVG, and one self-contained HTML page with all of them.
//!
//! A [`Report`] reads a history of configurations. [`Figure`] lists what it draws; [`Report::page`] is the page: summary,
//! warnings, all figures that the study fits, and a table of the trials that can be sorted. Studies of folds have [`fold_scores`] and
//! [`fold_correlations`]; training under a budget has [`training_values`].
//!
//! ```
//! use thrifty_report::{Figure, Report};
//! use thrifty_sampling::Seed;
//! use thrifty_search::SobolSearch;
//! use thrifty_space::{Config, Space};
//! use thrifty_study::{MaxTrials, Study};
//!
//! let mut study = Study::new(SobolSearch::new(Space::unit_cube(2)), Seed(1)).with_stop(MaxTrials(8));
//! study.run(|config: &Config, _| config.float("x0").map(|x| (x - 0.3).powi(2)))?;
//! let report = Report::new(study.history(), Some(&Space::unit_cube(2)))?;
//! assert!(report.draw(Figure::History)?.starts_with("<svg"));
//! assert!(report.draw(Figure::Pareto).is_err(), "one objective has no Pareto front");
//! assert!(report.page("a study")?.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

//! Fractional cross-validation: Bayesian optimisation that evaluates one fold at a time.
//!
//! [`FractionalCv`] asks for a fold of a configuration, learns the true loss from such folds by the hierarchical
//! process of [`thrifty_hgp`], and recommends the configuration with the smallest posterior mean of the true loss. A full
//! cross-validation costs K model fits a configuration; this costs one.
//! Source: `FCVOpt` (Yerramilli & Apley, 2025).
//!
//! ```
//! use thrifty_cv::FoldQuery;
//! use thrifty_fcvopt::FractionalCv;
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::builder().float("x", 0.0, 1.0).build()?;
//! let mut study = Study::new(FractionalCv::new(space, 5)?, Seed(1)).with_stop(MaxTrials(25));
//! study.run(|query: &FoldQuery, _| {
//!     let x = query.config.float("x").unwrap_or(f64::NAN);
//!     (x - 0.3).powi(2) + 0.02 * query.fold as f64 * x
//! })?;
//! let best = study.recommend()?.expect("25 trials").config.float("x")?;
//! assert!((best - 0.28).abs() < 0.1, "{best}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod constraints;
mod costs;
mod evidence;
mod fold;
mod knowledge;
mod optimizer;
mod settings;
mod surrogate_state;
mod turn;
mod verification;
mod verify;
mod weighted;

pub use knowledge::FoldKnowledge;
pub use optimizer::FractionalCv;
pub use settings::{
    FoldAcquisition, FoldCosts, FoldRule, FractionalSettings, Incumbent, InitialFolds, LossTarget,
};
pub use surrogate_state::{Evaluated, FoldSurrogateState};

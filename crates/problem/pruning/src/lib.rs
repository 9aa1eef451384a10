//! Pruners: rules that stop a running trial early by its intermediate values.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! | pruner | stops a trial when | source |
//! |---|---|---|
//! | [`MedianPruner`] | its best value is worse than the median of others at the step | Golovin et al. (2017) |
//! | [`PercentilePruner`] | … than another percentile | |
//! | [`SuccessiveHalvingPruner`] | at a rung it is not among the best 1/η that reached it | Li, Jamieson et al. (2020), ASHA |
//! | [`HyperbandPruner`] | the same, with a first rung that differs between brackets of trials | Li et al. (2018) |
//! | [`PatiencePruner`] | it has not improved for some reports | |
//! | [`ThresholdPruner`] | a value is NaN or out of bounds | |
//! | [`WilcoxonPruner`] | on the folds of both it is worse than the best trial (signed-rank test) | Wilcoxon (1945) |
//! | [`Both`] | two pruners agree | |
//!
//! Values are losses: smaller is better, and NaN is as bad as infinity. A decision depends on the settings, the seed of the study, the trial's number and its
//! values, and the curves that [`Pruner`](thrifty_study::Pruner) describes, on nothing else.

mod both;
mod check;
mod hyperband;
mod kind;
mod patience;
mod percentile;
mod signed_rank;
mod successive_halving;
mod threshold;
mod wilcoxon;

pub use both::Both;
pub use hyperband::HyperbandPruner;
pub use kind::PrunerKind;
pub use patience::PatiencePruner;
pub use percentile::{MedianPruner, PercentilePruner};
pub use signed_rank::signed_rank;
pub use successive_halving::SuccessiveHalvingPruner;
pub use threshold::ThresholdPruner;
pub use wilcoxon::WilcoxonPruner;

/// A loss by which curves are compared: NaN is as bad as infinity.
fn loss(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

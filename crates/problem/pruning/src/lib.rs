//! Pruners: rules that stop a running trial early by its intermediate values.
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
//!
//! ```
//! # use thrifty_study::{Ask, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, Outcome, ReportError, Study, Suggestion, TrialId};
//! use thrifty_pruning::MedianPruner;
//! # struct Rates;
//! # impl Optimizer for Rates {
//! #     type Query = f64;
//! #     type Recommendation = ();
//! #     fn ask(&mut self, _: &History<f64>, id: TrialId) -> Result<Ask<f64>, OptimizerError> {
//! #         Ok(Ask::Evaluate(Suggestion::new(0.5 / (1.0 + id.0 as f64))))
//! #     }
//! #     fn recommend(&mut self, _: &History<f64>) -> Result<Option<()>, OptimizerError> { Ok(None) }
//! #     fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> { Ok(Fingerprint::new("rates")) }
//! # }
//! let mut study = Study::new(Rates, thrifty_sampling::Seed(0))
//!     .with_pruner(MedianPruner::default())
//!     .with_stop(MaxTrials(10));
//! study.run(|rate, context| -> Result<Outcome, ReportError> {
//!     let mut loss = 1.0;
//!     for epoch in 1..=20 {
//!         loss *= 1.0 - rate;
//!         context.report(epoch, loss)?;
//!         if context.should_prune() {
//!             return Ok(context.pruned());
//!         }
//!     }
//!     Ok(loss.into())
//! })?;
//! let pruned = study.history().trials().iter().filter(|trial| matches!(trial.outcome, Some(Outcome::Pruned { .. })));
//! assert_eq!(pruned.count(), 5);
//! # Ok::<(), thrifty_study::StudyError>(())
//! ```

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

//! Acquisitions for level-set estimation. The superlevel set is where f > threshold.
//!
//! [`Straddle`] and related acquisitions use only the mean and standard deviation at the candidate. [`Integrated`] uses the effect of an
//! observation on a whole [`ThresholdField`], by an [`ExpectedReduction`] per point.

mod bernoulli;
mod boundary_information;
mod expected_feasibility;
mod expected_reduction;
mod field;
mod integrated;
mod integrated_bernoulli;
mod margin;
mod misclassified;
mod ranjan;
mod robust;
mod series;
mod straddle;
mod superlevel_volume;
mod targeted;
mod targeted_variance;
mod truncated_variance;

pub use bernoulli::{BernoulliEntropy, BernoulliVariance, LogBernoulliEntropy, LogBernoulliVariance};
pub use boundary_information::BoundaryInformation;
pub use expected_feasibility::ExpectedFeasibility;
pub use expected_reduction::{ExpectedReduction, PointState};
pub use field::ThresholdField;
pub use integrated::Integrated;
pub use integrated_bernoulli::IntegratedBernoulli;
pub use misclassified::MisclassifiedVolume;
pub use ranjan::RanjanImprovement;
pub use robust::Robust;
pub use straddle::{RandomizedStraddle, Straddle};
pub use superlevel_volume::SuperlevelVolume;
pub use targeted::TargetedMeanSquaredError;
pub use targeted_variance::TargetedVariance;
pub use truncated_variance::TruncatedVariance;

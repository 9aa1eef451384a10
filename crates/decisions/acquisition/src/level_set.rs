//! Where is the function above a threshold? Above means f > threshold.
//!
//! Of mean and deviation alone: [`Straddle`] and its kin. Of what an observation tells of a whole field of points:
//! [`Integrated`] over a [`ThresholdField`], with a [`ExpectedReduction`] a point.

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

//! Information-theoretic acquisitions: information about the minimum or the minimiser from an observation, in nats.

mod entropy_search;
mod gibbon;
mod joint_entropy;
mod max_value;
mod minimizer;
mod predictive;

pub use entropy_search::{EntropySearch, EntropySearchFactory};
pub use gibbon::{Gibbon, GibbonBatch, GibbonFactory};
pub use joint_entropy::{JointEntropySearch, JointEntropySearchFactory};
pub use max_value::{MaxValueEntropySearch, MaxValueEntropySearchFactory};
pub use minimizer::MinimizerDistribution;
pub use predictive::{PredictiveEntropySearch, PredictiveEntropySearchFactory};

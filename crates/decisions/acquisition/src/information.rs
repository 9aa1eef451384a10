//! How much an observation tells of the minimum or of where it is, in nats.

mod entropy_search;
mod gibbon;
mod joint_entropy;
mod max_value;
mod minimiser;
mod predictive;

pub use entropy_search::EntropySearch;
pub use gibbon::{Gibbon, GibbonBatch};
pub use joint_entropy::JointEntropySearch;
pub use max_value::MaxValueEntropySearch;
pub use minimiser::MinimiserLaw;
pub use predictive::PredictiveEntropySearch;

//! Several objectives at once.

mod baseline;
mod data;
mod error;
mod improvement;
mod noisy;
mod observed;
mod optimizer;
mod reference;
mod scalarization;
mod settings;
mod state;
mod turn;

pub use error::MultiObjectiveError;
pub use improvement::LogExpectedHypervolume;
pub use noisy::{LogNoisyExpectedHypervolume, UncertainFront};
pub use optimizer::MultiObjectiveOptimizer;
pub use scalarization::augmented_chebyshev;
pub use settings::{MultiObjectiveRule, MultiObjectiveSettings};

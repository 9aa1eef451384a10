//! Several objectives at once.

mod data;
mod error;
mod improvement;
mod noisy;
mod observed;
mod optimizer;
mod reference;
mod scalarisation;
mod settings;
mod state;
mod turn;

pub use error::MultiObjectiveError;
pub use improvement::LogExpectedHypervolume;
pub use noisy::{LogNoisyExpectedHypervolume, UncertainFront};
pub use optimizer::MultiObjectiveOptimizer;
pub use scalarisation::augmented_chebyshev;
pub use settings::{MultiObjectiveRule, MultiObjectiveSettings};

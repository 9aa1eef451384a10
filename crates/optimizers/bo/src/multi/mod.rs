//! Several objectives at once.

mod belief;
mod error;
mod improvement;
mod noisy;
mod observed;
mod optimizer;
mod pareto_set;
mod reference;
mod scalarisation;
mod scale;
mod settings;

pub use error::MultiObjectiveError;
pub use improvement::LogExpectedHypervolume;
pub use noisy::{LogNoisyExpectedHypervolume, UncertainFront};
pub(crate) use observed::{measurement, same_shape};
pub use optimizer::MultiObjectiveOptimizer;
pub use pareto_set::{ParetoMember, ParetoSet};
pub use scalarisation::augmented_chebyshev;
pub use settings::{MultiObjectiveRule, MultiObjectiveSettings};

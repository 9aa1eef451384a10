//! Bayesian optimisation: surrogate × acquisition × maximiser = optimiser.
//!
//! [`BayesianOptimizer`] fits a [`Surrogate`](thrifty_surrogate::Surrogate) to what was measured, forms a [`SurrogateState`] that counts failures and
//! pending trials in, and lets a [`Maximiser`] find the best point of an acquisition on it. [`RandomSearch`]
//! and [`SobolSearch`] are the baselines. These minimise the first objective. [`MultiObjectiveOptimizer`] looks for
//! compromises between several, and [`Nsga2`] is its baseline.
//!
//! ```
//! use thrifty_bo::BayesianOptimizer;
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::builder().float("x", 0.0, 10.0).build()?;
//! let optimizer = BayesianOptimizer::new(space, Seed(1));
//! let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(15));
//! study.run(|config, _| config.float("x").map_or(f64::NAN, |x| -x * x.sin()))?;
//! let (best, loss) = study.history().best().unwrap();
//! assert!(loss < -7.9, "{} gives {loss}", best.query);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod design;
mod fingerprint;
mod first_feasible;
mod maximiser;
mod multi;
mod novelty;
mod nsga2;
mod optimizer;
mod running;
mod search;
mod settings;
mod surrogate_state;
mod targets;
mod weights;

pub use design::InitialDesign;
pub use fingerprint::{acquisition_fingerprint, design_changed, fingerprint, surrogate_fingerprint};
pub use maximiser::{Candidate, Maximiser, reject_nan};
pub use multi::{
    LogExpectedHypervolume, LogNoisyExpectedHypervolume, MultiObjectiveError, MultiObjectiveOptimizer,
    MultiObjectiveRule, MultiObjectiveSettings, ParetoMember, ParetoSet, UncertainFront, augmented_chebyshev,
};
pub use novelty::Designer;
pub use nsga2::{Nsga2, Nsga2Settings};
pub use optimizer::BayesianOptimizer;
pub use search::{RandomSearch, SobolSearch};
pub use settings::{BoSettings, FailurePolicy, LossTransform, PendingPolicy, Restarts};
pub use surrogate_state::{Allowed, SurrogateState};
pub use thrifty_gp::{GpSurrogate, KernelFamily};
pub use weights::CostAwareness;

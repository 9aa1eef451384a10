//! Bayesian optimisation: surrogate × acquisition × maximizer = optimiser.
//!
//! [`BayesianOptimizer`] minimises the first objective: it fits a [`Surrogate`](thrifty_surrogate::Surrogate) to the measured
//! losses, with failures and running trials counted in ([`SurrogateState`]), and a [`Maximizer`] finds the best point of an
//! acquisition function on it. [`MultiObjectiveOptimizer`] looks for compromises between several objectives.
//!
//! ```
//! use thrifty_bo::BayesianOptimizer;
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::builder().float("x", 0.0, 10.0).build()?;
//! let mut study = Study::new(BayesianOptimizer::new(space), Seed(1)).with_stop(MaxTrials(15));
//! study.run(|config, _| config.float("x").map_or(f64::NAN, |x| -x * x.sin()))?;
//! let (best, loss) = study.history().best().unwrap();
//! assert!(loss < -7.9, "{} gives {loss}", best.query);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod multi;
mod optimizer;
mod settings;
mod turn;

pub use multi::{
    LogExpectedHypervolume, LogNoisyExpectedHypervolume, MultiObjectiveError, MultiObjectiveOptimizer,
    MultiObjectiveRule, MultiObjectiveSettings, UncertainFront, augmented_chebyshev,
};
pub use optimizer::BayesianOptimizer;
pub use settings::{BoSettings, Convergence};
pub use thrifty_model_based::{
    Candidate, CostAwareness, EarlierStudies, EarlierStudyError, FailurePolicy, GpSurrogate, InitialDesign,
    KernelFamily, LeftOut, LossTransform, Maximizer, ParetoMember, ParetoSet, PendingPolicy, SurrogateState,
    TransferError, TransferSettings, TransferSurrogate,
};

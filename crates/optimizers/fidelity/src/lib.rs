//! Multi-fidelity Bayesian optimisation: a budget parameter as an input of the model.
//!
//! An evaluation with few epochs, rows or trees is cheap and tells something of the loss with all of them.
//! [`MultiFidelityOptimizer`] chooses a configuration together with its fidelity, by what the evaluation is expected to teach about the best
//! loss at the target, per unit of cost.
//!
//! ```
//! use thrifty_fidelity::MultiFidelityOptimizer;
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 27).build()?;
//! let optimizer = MultiFidelityOptimizer::new(space, "epochs")?;
//! let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(16));
//! study.run(|config, _| -> Result<f64, thrifty_space::SpaceError> {
//!     let (x, epochs) = (config.float("x")?, config.int("epochs")? as f64);
//!     Ok((x - 0.3).powi(2) + 0.2 * (1.5 - x) / epochs)
//! })?;
//! let best = study.recommend()?.expect("measured trials");
//! assert_eq!(best.config.int("epochs")?, 27);
//! assert!((best.config.float("x")? - 0.3).abs() < 0.1, "{best:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod best;
mod cost;
mod evidence;
mod kernel;
mod knowledge_gradient;
mod lookahead;
mod optimizer;
mod settings;
mod turn;

pub use axis::FidelityAxis;
pub use best::FidelityBest;
pub use cost::ProportionalCost;
pub use kernel::multi_fidelity_kernel;
pub use knowledge_gradient::{TargetKnowledgeGradient, target_knowledge_gradient};
pub use lookahead::TargetLookahead;
pub use optimizer::MultiFidelityOptimizer;
pub use settings::{FidelityCost, MultiFidelitySettings};

//! Covariance matrix adaptation: an evolution strategy for spaces of many dimensions.
//!
//! [`CmaEs`] draws trials from a normal distribution on the encoded unit cube. After each generation the distribution moves towards
//! the better half, and its covariance matrix learns the directions in which steps succeeded. Only the ranks of the losses count.
//!
//! ```
//! use thrifty_cmaes::CmaEs;
//! use thrifty_sampling::Seed;
//! use thrifty_space::Space;
//! use thrifty_study::{MaxTrials, Study};
//! let space = Space::from_bounds(&[(-5.0, 5.0); 4])?;
//! let mut study = Study::new(CmaEs::new(space), Seed(1)).with_stop(MaxTrials(600));
//! study.run(|config, _| (0..4).map(|i| config.float(&format!("x{i}")).map_or(f64::NAN, |x| (x - 1.0).powi(2))).sum::<f64>())?;
//! let (_, loss) = study.history().best().unwrap();
//! assert!(loss < 1e-6, "{loss}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod coordinates;
mod distribution;
mod generations;
mod margin;
mod optimizer;
mod run;
mod settings;
mod strategy;

pub use optimizer::CmaEs;
pub use settings::CmaEsSettings;

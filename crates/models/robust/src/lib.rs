//! Gaussian processes with Student-t noise: regression on observations of which some are outliers.
//!
//! Normal noise has one scale, so a single observation ten standard deviations off pulls the mean towards itself and widens every interval. Student-t noise is a
//! normal noise whose precision differs from one observation to the next. Each observation gets a [weight](RobustPosterior::weights): near 1 for most, near 0 for an outlier.
//!
//! The posterior of weights and function is approximated by the closest product of both (variational inference); given the weights, everything is a
//! [`GpPosterior`](thrifty_gp::GpPosterior) with known noise for each observation.
//!
//! ```
//! use thrifty_domain::Points;
//! use thrifty_gp::Gp;
//! use thrifty_robust::RobustGp;
//! use thrifty_sampling::Seed;
//! use thrifty_surrogate::Posterior;
//! let x = Points::from_flat((0..20).map(|i| f64::from(i) / 19.0).collect(), 1);
//! let mut y: Vec<f64> = x.rows().map(|p| (6.0 * p[0]).sin()).collect();
//! y[10] = 50.0;
//! let posterior = RobustGp::new(Gp::matern52(1)).fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0))?;
//! assert!(posterior.weights()[10] < 1e-3);
//! assert!((posterior.predict(&[0.5]).mean - 3_f64.sin()).abs() < 0.02);
//! # Ok::<(), thrifty_robust::RobustError>(())
//! ```

mod data;
mod error;
mod likelihood;
mod model;
mod posterior;
mod student_t;
mod surrogate;
mod weighting;

pub use error::RobustError;
pub use model::RobustGp;
pub use posterior::RobustPosterior;
pub use student_t::StudentT;
pub use surrogate::RobustGpSurrogate;

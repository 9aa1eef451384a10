//! Gaussian processes of observations that are values, bounds or signs, by expectation propagation.
//!
//! A response that an instrument or a protocol cuts off is an inequality: the function lies beyond the cut, not on it. A process that takes such
//! responses for values has a plateau that is not there. In [`CensoredGp`] each [`Response`] is a value with noise, or a bound on one. A sign is
//! a bound at 0, so that classification with probit noise is the case of bounds alone.
//!
//! Values are exact. Bounds are replaced one by one by normal pseudo-observations that have the moments of the truncated distribution ([`expectation_propagation`]); from there
//! on everything is a [`GpPosterior`](thrifty_gp::GpPosterior) with known noise for each observation, gradients, joint covariances and paths included. With values
//! alone it is [`Gp`](thrifty_gp::Gp) to the bit.
//!
//! ```
//! use thrifty_censored::{CensoredGp, Response};
//! use thrifty_domain::Points;
//! use thrifty_gp::Gp;
//! use thrifty_sampling::Seed;
//! use thrifty_surrogate::{Posterior, Prediction};
//! // A line that is seen only where it is above 0: on the right half.
//! let x = Points::from_flat((0..12).map(|i| f64::from(i) / 11.0).collect(), 1);
//! let responses: Vec<Response> = x.rows().map(|p| Response::clipped(p[0] - 0.5, 0.0)).collect();
//! let process = CensoredGp::new(Gp::matern52(1));
//! let posterior = process.fit(x.as_ref(), &responses, &mut Seed(1).stream("fit", 0))?;
//! // Left of the cut the posterior mean keeps falling and its standard deviation grows.
//! let Prediction { mean, variance } = posterior.predict(&[0.1]);
//! assert!(mean < -0.1 && variance.sqrt() > 0.02, "{mean} {variance}");
//! # Ok::<(), thrifty_censored::CensoredError>(())
//! ```

mod data;
mod error;
mod expectation_propagation;
mod likelihood;
mod limits;
mod model;
mod posterior;
mod response;
mod surrogate;

pub use error::CensoredError;
pub use expectation_propagation::{Bound, Propagation, Side, Sites, Truncated, expectation_propagation};
pub use limits::Limits;
pub use model::CensoredGp;
pub use posterior::CensoredPosterior;
pub use response::Response;
pub use surrogate::CensoredGpSurrogate;

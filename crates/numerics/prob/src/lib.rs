//! The normal distribution and its friends, accurate in both tails, and priors with derivatives.
//!
#![doc = include_str!("../README.md")]

mod envelope;
mod erfcx;
mod error;
mod improvement;
mod normal;
mod owen;
mod prior;
mod quantile;
mod table;
mod tail;
mod truncated;

pub use envelope::{SlopedLines, UpperEnvelope};
pub use erfcx::erfcx;
pub use error::ProbError;
pub use improvement::{h, log_h, log_h_derivative};
pub use normal::{cdf, inverse_mills, log_cdf, log_pdf, mills_ratio, pdf};
pub use owen::{owen_t, owen_t_by_a, owen_t_by_h};
pub use prior::Prior;
pub use quantile::quantile;
pub use table::TableOfH;
pub use truncated::{log_truncated_variance_derivative, truncated_variance, truncation_loss};

//! Transfer learning: earlier tasks on the same domain as prior information for a new task.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`TransferSurrogate`] wraps any base surrogate and the data of earlier tasks ([`Task`]). Each source adds one model of the new data: a
//! line through its own mean, plus the base surrogate on the residuals. The weights of these models and of the base surrogate alone are the
//! probabilities of ranking the new observations best.
//! Two guards drop misleading sources. Without any source left, the fit is that of the base surrogate, bit for bit.

mod ensemble;
mod first_points;
mod leave_out;
mod ranking;
mod settings;
mod source;
mod surrogate;
mod trend;

pub use ensemble::{Ensemble, Weight};
pub use ranking::{chance_of_agreement, discordant_pairs, ranking_weights};
pub use settings::TransferSettings;
pub use source::{Task, TransferError};
pub use surrogate::TransferSurrogate;

//! A protocol for oblivious transfer: where it is secure, and what it trades for that.

pub mod boundaries;
mod figures;
pub mod noise;
pub mod pareto;
mod phases;
pub mod protocol;
mod stops;
mod traced;

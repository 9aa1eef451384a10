//! Acquisitions against each other.

pub mod functions;
mod rules;

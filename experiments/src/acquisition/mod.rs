//! Acquisitions against each other.

pub mod functions;
pub mod gallery;
mod rules;

//! Bellman recursion: expectations over the next outcomes of training.

pub(crate) mod belief_samples;
pub(crate) mod bellman_recursion;
pub(crate) mod expectation;
pub(crate) mod kronrod;
pub(crate) mod posterior_family;
pub(crate) mod quadrature;
pub(crate) mod two_steps;

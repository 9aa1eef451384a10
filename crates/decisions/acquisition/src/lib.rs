//! Utilities of a posterior, with gradients.

//! Covariance functions and their composition, with gradients.

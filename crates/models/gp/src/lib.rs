//! Exact Gaussian-process regression.

//! Cholesky with an explicit, reported jitter ladder; solves, inverse, log-determinant, append and drop a row.

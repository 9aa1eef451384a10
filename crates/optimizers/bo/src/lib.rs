//! Bayesian optimisation: surrogate, acquisition and maximiser as one optimiser.

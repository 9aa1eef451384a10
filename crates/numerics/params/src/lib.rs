//! Hyperparameters (name, value, transform, prior) and the one MAP objective.

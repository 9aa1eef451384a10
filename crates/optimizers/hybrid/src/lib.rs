//! The hybrid-exploration paper's Algorithms 1 to 3, and exploration mixed into any model-based optimiser.

//! Bounded quasi-Newton, multi-start, derivative-free and mixed-domain local search.

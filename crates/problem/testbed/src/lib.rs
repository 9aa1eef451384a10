//! Problems with known optima, and wrappers that make them noisy, shifted or failing.

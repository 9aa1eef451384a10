//! Integration tests of `thrifty-testbed`, built as one program.

mod bbob;
mod level_sets;
mod multi_objective;
mod optima;
mod stability;
mod values;

//! Integration tests of `thrifty-pareto`, built as one program.

mod edges;
mod improvement;
mod properties;

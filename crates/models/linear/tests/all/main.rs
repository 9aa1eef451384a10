//! Integration tests of `thrifty-linear`, built as one program.

mod contract;
mod laws;
mod stability;

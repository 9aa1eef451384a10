//! Integration tests of `thrifty-cmaes`, built as one program.

mod laws;
mod rates;

//! Integration tests of `thrifty-outsider`, built as one program.

mod acquisition;
mod coin_flip;
mod constraints;
mod folds;
mod hybrids;
mod kernel;
mod stopping;
mod surrogate;

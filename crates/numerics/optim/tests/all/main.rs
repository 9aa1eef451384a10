//! Integration tests of `thrifty-optim`, built as one program.

mod properties;
mod suite;

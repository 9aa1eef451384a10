//! Integration tests of `thrifty-optim`, built as one program.

mod properties;
mod structured_newton;
mod suite;

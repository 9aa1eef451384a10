//! Integration tests of `thrifty-prob`, built as one program.

mod golden;
mod properties;
